/* SPDX-License-Identifier: BSD-3-Clause */
/* perun doctor: how noisy this machine is, and what would make it less so. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor.h"
#include "cli/facts.h"

/* Some ten milliseconds of a shell that counts. */
static const char *const own_program[] = {"/bin/sh", "-c",
					  "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done", NULL};

const struct perun_option cli_doctor_options[] = {
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program that is run against itself, behind --; a small one by default"},
	CLI_FAIR_OPTIONS,
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
	double least;  /* change that `repeat` pairs tell */
};

static const struct cli_fair_series *series_of(const struct cli_fair_session *session, bool other)
{
	return other ? &session->other : &session->told;
}

static void measure_noise(const struct cli_fair *fair, const struct cli_fair_session sessions[2],
			  bool other, struct noise *noise)
{
	double *all = perun_alloc_zero(4 * fair->pairs + 1, sizeof *all), middles[2], mad;
	const struct perun_verdict *verdict = &series_of(&sessions[0], other)->verdict;
	size_t count = 0;

	for (int i = 0; i < 2; i++) {
		size_t start = count;

		for (int side = 0; side < 2; side++)
			for (size_t k = 0; k < fair->pairs; k++)
				all[count++] = series_of(&sessions[i], other)->values[side][k];
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

static void judge(const struct cli_fair *fair, struct cli_fair_series *series)
{
	struct perun_verdict_options options = {.struct_size = sizeof options, .paired = true};

	perun_judge(series->values[0], fair->pairs, series->values[1], fair->pairs, &options,
		    &series->verdict);
}

static void print_text(struct cli *cli, const struct cli_fair *fair, const struct noise noises[2],
		       const struct advice *advice, size_t count)
{
	const struct noise *noise = &noises[0];

	printf("Noise of ");
	cli_print_safe(fair->text);
	printf(", %zu runs, %s %.4g%s:\n", noise->runs, fair->metric, noise->median,
	       cli_fair_unit(fair->metric));
	printf("  one run deviates by %.2f %%, all range over %.2f %%\n", 100 * noise->run,
	       100 * noise->range);
	printf("  two sessions are %.2f %% apart\n", 100 * noise->drift);
	printf("  %zu pairs of runs tell changes from about %.2f %% on\n", fair->pairs,
	       100 * noise->least);
	if (fair->other)
		printf("  by %s time, from about %.2f %% on\n", fair->other, 100 * noises[1].least);
	printf("The machine:\n");
	for (size_t i = 0; i < count; i++) {
		printf("  %s%s%s: ", cli_color(cli, advice[i].matters ? CLI_YELLOW : CLI_GREEN),
		       advice[i].name, cli_color_end(cli));
		cli_print_safe(advice[i].state);
		if (advice[i].matters)
			printf("; %s", advice[i].help);
		putchar('\n');
	}
}

static json_t *fact_noise(const struct noise *noise)
{
	json_t *facts = json_object();

	json_object_set_new(facts, "runs", json_integer((json_int_t)noise->runs));
	json_object_set_new(facts, "median", cli_fact_number(noise->median));
	json_object_set_new(facts, "run", cli_fact_number(noise->run));
	json_object_set_new(facts, "range", cli_fact_number(noise->range));
	json_object_set_new(facts, "sessions", cli_fact_number(noise->drift));
	json_object_set_new(facts, "least", cli_fact_number(noise->least));
	return facts;
}

static void print_json(const struct cli_fair *fair, const struct noise noises[2],
		       const struct advice *advice, size_t count)
{
	json_t *document = json_object(), *machine = json_array(), *other = json_null();

	for (size_t i = 0; i < count; i++) {
		json_t *fact = json_object();

		json_object_set_new(fact, "name", cli_fact_text(advice[i].name));
		json_object_set_new(fact, "state", cli_fact_text(advice[i].state));
		json_object_set_new(fact, "advice",
				    cli_fact_text(advice[i].matters ? advice[i].help : NULL));
		json_array_append_new(machine, fact);
	}
	json_object_set_new(document, "command", cli_fact_text(fair->text));
	json_object_set_new(document, "metric", cli_fact_text(fair->metric));
	json_object_set_new(document, "noise", fact_noise(&noises[0]));
	if (fair->other) {
		other = fact_noise(&noises[1]);
		json_object_set_new(other, "metric", cli_fact_text(fair->other));
	}
	json_object_set_new(document, "other", other);
	json_object_set_new(document, "machine", machine);
	cli_print_facts(document);
}

int cli_doctor(struct cli *cli, const struct cli_call *call)
{
	const char **words = cli_strings(call->options, "command");
	const char *const *argv = words[0] ? words : own_program;
	const char *const here[2] = {".", "."};
	struct cli_fair_session sessions[2] = {{.count = 0}, {.count = 0}};
	struct advice advice[ADVICE_MOST];
	struct cli_fair fair;
	struct noise noises[2] = {{0}};
	size_t count;
	int status = cli_fair_start(cli, call->options, (char *const *)argv, &fair);

	for (int i = 0; !status && i < 2; i++) {
		status = cli_fair_pairs(&fair, here, fair.pairs, &sessions[i]);
		if (!status)
			judge(&fair, &sessions[i].told);
		if (!status && fair.other)
			judge(&fair, &sessions[i].other);
	}
	if (!status) {
		measure_noise(&fair, sessions, false, &noises[0]);
		if (fair.other)
			measure_noise(&fair, sessions, true, &noises[1]);
		count = cli_doctor_advice(perun_option_string(call->options, "system"),
					  perun_option_given(call->options, "pin"), advice);
		if (perun_option_flag(call->options, "json"))
			print_json(&fair, noises, advice, count);
		else
			print_text(cli, &fair, noises, advice, count);
		cli_doctor_free(advice, count);
	}
	for (int i = 0; i < 2; i++)
		cli_fair_session_free(&sessions[i]);
	cli_fair_free(&fair);
	perun_free(words);
	return status;
}
