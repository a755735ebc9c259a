/* SPDX-License-Identifier: BSD-3-Clause */
/* perun doctor: how noisy this machine is, and what would make it less so. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/units.h>

#include "commands/common/interleave-options.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "doctor.h"
#include "views/common/bars.h"

/* Some ten milliseconds of a shell that counts. */
static const char *const own_program[] = {"/bin/sh", "-c",
					  "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done", NULL};

static const struct perun_option options[] = {
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program that is run against itself, after --; a small one by default"},
	COMMANDS_INTERLEAVE_OPTIONS,
	{.name = "system",
	 .metavar = "DIR",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_HIDDEN,
	 .default_value = "",
	 .help = "read /sys and /proc below this directory"},
	{.name = "json", .help = "print JSON"},
	{0}};

/* What repeated runs of one program say of the machine; shares of the median. */
struct noise {
	size_t runs;
	double median; /* of all runs, in the unit of the metric */
	double run;    /* robust deviation of one run */
	double range;  /* from the fastest to the slowest */
	double drift;  /* between the two sessions */
	double least;  /* change that `repeat` pairs detect */
};

static const struct perun_interleave_series *
series_of(const struct perun_interleave_session *session, bool second)
{
	return second ? &session->second : &session->first;
}

static void measure_noise(const struct perun_interleave_facts *facts,
			  const struct perun_interleave_session sessions[2], bool second,
			  struct noise *noise)
{
	double *all = perun_alloc_zero(4 * facts->pairs + 1, sizeof *all), middles[2], mad;
	const struct perun_verdict *verdict = &series_of(&sessions[0], second)->verdict;
	size_t count = 0;

	for (int i = 0; i < 2; i++) {
		size_t start = count;

		for (int side = 0; side < 2; side++)
			for (size_t k = 0; k < facts->pairs; k++)
				all[count++] = series_of(&sessions[i], second)->values[side][k];
		middles[i] = perun_median(all + start, count - start);
	}
	*noise = (struct noise){.runs = count, .median = perun_median(all, count)};
	mad = perun_mad(all, count, noise->median);
	perun_sort_doubles(all, count);
	noise->run = PERUN_MAD_TO_SIGMA * mad / noise->median;
	noise->range = (all[count - 1] - all[0]) / noise->median;
	noise->drift = fabs(middles[1] - middles[0]) / noise->median;
	/* The interval of the shift must exclude 0, and the shift exceed the noise of a value. */
	noise->least = fmax(verdict->effect, (verdict->high - verdict->low) / 2) / noise->median;
	perun_free(all);
}

static void judge(const struct perun_interleave_facts *facts,
		  struct perun_interleave_series *series)
{
	struct perun_verdict_options options = {.struct_size = sizeof options, .paired = true};

	perun_judge(series->values[0], facts->pairs, series->values[1], facts->pairs, &options,
		    &series->verdict);
}

/* Words, and a share in percent with three digits. */
static void add_share(struct perun_buffer *text, const char *words, double share)
{
	double percent = 100 * share;

	perun_buffer_printf(text, "%s%.*f %%", words, percent < 10 ? 2 : percent < 100, percent);
}

static void print_text(const struct perun_command_call *call,
		       const struct perun_interleave_facts *facts, const struct noise noises[2],
		       const struct advice *advice, size_t count)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas, .color = call->color};
	const struct noise *noise = &noises[0];
	struct perun_buffer text = {0};
	char *safe = perun_printable(facts->command);

	perun_buffer_printf(&text, "Noise of %s, %zu runs, %s ", safe, noise->runs, facts->metric);
	perun_free(safe);
	perun_add_amount(&text, noise->median, perun_interleave_unit(facts->metric));
	add_share(&text, ":\n  run-to-run spread ", noise->run);
	add_share(&text, ", max\xe2\x80\x93min ", noise->range);
	add_share(&text, "\n  two sessions differ by ", noise->drift);
	perun_buffer_printf(&text, "\n  with %zu pairs of runs you can detect changes of about ",
			    facts->pairs);
	add_share(&text, "", noise->least);
	perun_buffer_add_text(&text, " or more\n");
	if (facts->second) {
		perun_buffer_printf(&text, "  by %s time, ", facts->second);
		add_share(&text, "of about ", noises[1].least);
		perun_buffer_add_text(&text, " or more\n");
	}
	perun_buffer_add_text(&text, "The machine:\n");
	for (size_t i = 0; i < count; i++) {
		perun_buffer_add_text(&text, "  ");
		views_add_color(&text, &canvas, advice[i].matters ? VIEWS_YELLOW : VIEWS_GREEN);
		perun_buffer_add_text(&text, advice[i].name);
		views_add_color(&text, &canvas, VIEWS_PLAIN);
		safe = perun_printable(advice[i].state);
		perun_buffer_printf(&text, ": %s", safe);
		perun_free(safe);
		if (advice[i].matters)
			perun_buffer_printf(&text, "; %s", advice[i].help);
		perun_buffer_add_char(&text, '\n');
	}
	perun_output_write(call->output, text.data, text.length);
	perun_buffer_free(&text);
}

static struct perun_json *describe_noise(const struct noise *noise)
{
	struct perun_json *object = perun_json_object();

	perun_json_set(object, "runs", perun_json_int64((int64_t)noise->runs));
	perun_json_set(object, "median", commands_number(noise->median));
	perun_json_set(object, "run", commands_number(noise->run));
	perun_json_set(object, "range", commands_number(noise->range));
	perun_json_set(object, "sessions", commands_number(noise->drift));
	perun_json_set(object, "least", commands_number(noise->least));
	return object;
}

static void print_json(const struct perun_command_call *call,
		       const struct perun_interleave_facts *facts, const struct noise noises[2],
		       const struct advice *advice, size_t count)
{
	struct perun_json *document = perun_json_object(), *machine = perun_json_array();
	struct perun_json *second = facts->second ? describe_noise(&noises[1]) : perun_json_null();

	if (facts->second)
		perun_json_set(second, "metric", perun_json_text(facts->second));
	for (size_t i = 0; i < count; i++) {
		struct perun_json *object = perun_json_object();

		perun_json_set(object, "name", perun_json_text(advice[i].name));
		perun_json_set(object, "state", perun_json_text(advice[i].state));
		perun_json_set(object, "advice",
			       advice[i].matters ? perun_json_text(advice[i].help)
						 : perun_json_null());
		perun_json_append(machine, object);
	}
	perun_json_set(document, "command", perun_json_text(facts->command));
	perun_json_set(document, "metric", perun_json_text(facts->metric));
	perun_json_set(document, "noise", describe_noise(&noises[0]));
	perun_json_set(document, "other", second);
	perun_json_set(document, "machine", machine);
	commands_print_json(call, document);
}

/* Two sessions of a program against itself. */
static int measure(struct perun_ctx *ctx, struct perun_interleave *interleave,
		   struct noise noises[2])
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	const char *const here[2] = {".", "."};
	struct perun_interleave_session sessions[2] = {{.count = 0}, {.count = 0}};
	int status = PERUN_OK;

	for (int i = 0; !status && i < 2; i++) {
		status = perun_interleave_pairs(ctx, interleave, here, facts->pairs, &sessions[i]);
		if (!status)
			judge(facts, &sessions[i].first);
		if (!status && facts->second)
			judge(facts, &sessions[i].second);
	}
	if (!status)
		measure_noise(facts, sessions, false, &noises[0]);
	if (!status && facts->second)
		measure_noise(facts, sessions, true, &noises[1]);
	for (int i = 0; i < 2; i++)
		perun_interleave_session_free(&sessions[i]);
	return status;
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char **words = commands_words(call->options, "command");
	struct advice advice[MAX_ADVICE];
	struct perun_interleave *interleave;
	const struct perun_interleave_facts *facts;
	struct noise noises[2] = {{0}};
	size_t count;
	int status;

	/* The program of this command reads nothing. */
	if (!words[0] && perun_option_given(call->options, "stdin")) {
		perun_free(words);
		return perun_fail(ctx, PERUN_USAGE,
				  "--stdin needs the program that reads it: put it after --");
	}
	status = commands_interleave_new(
		ctx, call->options, (char *const *)(words[0] ? words : own_program), &interleave);
	if (!status)
		status = measure(ctx, interleave, noises);
	if (!status) {
		facts = perun_interleave_facts(interleave);
		count = doctor_advice(perun_option_string(call->options, "system"),
				      perun_option_given(call->options, "pin"), advice);
		if (perun_option_flag(call->options, "json"))
			print_json(call, facts, noises, advice, count);
		else
			print_text(call, facts, noises, advice, count);
		doctor_free(advice, count);
	}
	perun_interleave_free(interleave);
	perun_free(words);
	return status;
}

COMMAND_PLUGIN(doctor, "doctor", "how noisy a machine is",
	       "measure how noisy this machine is, and say what would help", options, run_command);
