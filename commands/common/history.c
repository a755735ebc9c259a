/* SPDX-License-Identifier: BSD-3-Clause */
/* Histories and their changes, by the options of a command, as text and as JSON. */
#include "history.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include <perun/lib/lookup.h>
#include <perun/lib/units.h>

#include "between.h"
#include "output.h"

enum perun_direction commands_direction(const struct perun_options *options)
{
	return perun_option_given(options, "better")
		       ? perun_direction_of(perun_option_string(options, "better"))
		       : PERUN_BETTER_UNKNOWN;
}

struct perun_history_options commands_history_query(const struct perun_options *options,
						    const char *range, bool across_machines)
{
	return (struct perun_history_options){.struct_size = sizeof(struct perun_history_options),
					      .range = range,
					      .metric = perun_option_string(options, "metric"),
					      .machine = perun_option_string(options, "machine"),
					      .across_machines = across_machines,
					      .better = commands_direction(options)};
}

int commands_fail_no_method(struct perun_ctx *ctx, const char *name)
{
	struct perun_buffer known = {0};

	for (unsigned i = 0; i < PERUN_CHANGE_METHODS; i++)
		perun_buffer_printf(&known, "%s%s", i ? ", " : "",
				    perun_change_method_name((enum perun_change_method)i));
	perun_fail(ctx, PERUN_USAGE,
		   "'%s' finds no changes of a series; choose one of %s, or a check plugin for "
		   "whole histories",
		   name, known.data);
	perun_buffer_free(&known);
	return PERUN_USAGE;
}

double commands_threshold(double percent)
{
	return percent > 0 ? percent / 100 : -1;
}

int commands_change_options(struct perun_ctx *ctx, const char *method,
			    const struct perun_options *options,
			    struct perun_change_options *change_options)
{
	*change_options = (struct perun_change_options){.struct_size = sizeof *change_options};
	if (!method || strcmp(method, "changepoint") == 0)
		change_options->method = PERUN_CHANGE_SEGMENTS;
	else
		change_options->method = perun_change_method_from_name(method);
	if (change_options->method == PERUN_CHANGE_METHODS)
		return commands_fail_no_method(ctx, method);
	if (perun_option_given(options, "threshold"))
		change_options->threshold =
			commands_threshold(perun_option_number(options, "threshold"));
	return PERUN_OK;
}

/* ---- histories ------------------------------------------------------------------------------- */

static void report_left_out(struct perun_ctx *ctx, const struct perun_history *history)
{
	const char *difference, *machine = perun_history_machine(history);
	size_t count = perun_history_left_out(history, &difference);

	if (count)
		perun_note(ctx,
			   "%zu %s left out: measured on another class of machine than "
			   "'%s' (%s; --machine chooses another one, --across-machines takes all)",
			   count, count == 1 ? "profile is" : "profiles are",
			   machine ? machine : "", difference);
}

const char *commands_find_metric(char *const *names, size_t count, const char *wanted)
{
	size_t length = strlen(wanted);
	const char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(names[i], wanted, length) != 0 || names[i][length] != '(')
			continue;
		if (strcmp(names[i] + length, "(real)") == 0)
			return names[i];
		if (found)
			return NULL;
		found = names[i];
	}
	return found;
}

/* With the metric that was meant, where no version has one of the name that is asked for; `status` where that is none. */
static int load_meant(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_history_options *query, int status,
		      struct perun_history **history)
{
	struct perun_ctx *quiet =
		perun_ctx_new(NULL); /* what the first attempt said is not said again */
	struct perun_history_options meant = *query;
	size_t count = 0;
	char **names = NULL;

	(void)perun_history_metrics(quiet, store, query->range, &names, &count);
	meant.metric = commands_find_metric(names, count, query->metric);
	if (meant.metric) {
		perun_history_free(*history);
		*history = NULL;
		perun_ctx_clear(ctx);
		status = perun_history_load(ctx, store, &meant, history);
	}
	perun_history_metrics_free(names, count);
	perun_ctx_free(quiet);
	return status;
}

int commands_history_load(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_history_options *query, struct perun_history **history)
{
	int status = perun_history_load(ctx, store, query, history);

	if (status == PERUN_USAGE && query->metric)
		status = load_meant(ctx, store, query, status, history);
	if (status)
		return status;
	report_left_out(ctx, *history);
	/* A store that cannot be written to does not make this fail. */
	if (query->better != PERUN_BETTER_UNKNOWN &&
	    perun_directions_keep(ctx, store, *history, query->better)) {
		perun_warn(ctx, "the direction is not kept: %s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	}
	return PERUN_OK;
}

const struct perun_minor_version *commands_history_version(const struct perun_history *history,
							   size_t i)
{
	return perun_version_line_version(perun_history_line(history), i);
}

char *commands_history_subject(const struct perun_history *history, size_t i)
{
	const struct perun_minor_version *version = commands_history_version(history, i);

	return version ? perun_version_subject(version) : perun_strdup("");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set_version(struct perun_json *fact, const char *key, const struct perun_strand *series,
			size_t i)
{
	if (i < series->count && series->labels[i])
		perun_json_set(fact, key, commands_text(series->labels[i]));
}

struct perun_json *commands_json_time(int64_t seconds)
{
	time_t time = (time_t)seconds;
	struct tm parts;
	char text[40];

	if (!localtime_r(&time, &parts) ||
	    !strftime(text, sizeof text - 1, "%Y-%m-%dT%H:%M:%S%z", &parts))
		return perun_json_int64(seconds);
	/* +0100 to +01:00 */
	memmove(text + strlen(text) - 1, text + strlen(text) - 2, 3);
	text[strlen(text) - 3] = ':';
	return perun_json_text(text);
}

struct perun_json *commands_json_change_point(const struct perun_strand *series,
					      const struct perun_change_point *point, bool higher)
{
	struct perun_json *fact = perun_json_object(), *interval = perun_json_array();
	enum perun_result result = series->undirected ? PERUN_RESULT_UNKNOWN
						      : perun_change_point_result(point, higher);

	perun_json_set(fact, "index", perun_json_int64((int64_t)point->index));
	set_version(fact, "version", series, point->index);
	perun_json_set(fact, "result", commands_text(perun_result_name(result)));
	perun_json_set(fact, "before", commands_number(point->before));
	perun_json_set(fact, "after", commands_number(point->after));
	perun_json_set(fact, "relative", commands_number(perun_relative_change(point)));
	perun_json_set(fact, "shift", commands_number(point->shift));
	perun_json_append(interval, commands_number(point->low));
	perun_json_append(interval, commands_number(point->high));
	perun_json_set(fact, "interval", interval);
	perun_json_set(fact, "p", commands_number(point->p));
	perun_json_set(fact, "since", perun_json_int64((int64_t)point->first));
	perun_json_set(fact, "until", perun_json_int64((int64_t)point->end));
	return fact;
}

static struct perun_json *trend_json(const struct perun_strand *series,
				     const struct perun_trend *trend)
{
	struct perun_json *fact, *interval;

	if (!trend->found)
		return perun_json_null();
	fact = perun_json_object();
	interval = perun_json_array();
	perun_json_set(fact, "slope", commands_number(trend->slope));
	perun_json_append(interval, commands_number(trend->low));
	perun_json_append(interval, commands_number(trend->high));
	perun_json_set(fact, "interval", interval);
	perun_json_set(fact, "since", perun_json_int64((int64_t)trend->since));
	set_version(fact, "version", series, trend->since);
	perun_json_set(fact, "until", perun_json_int64((int64_t)trend->until));
	return fact;
}

struct perun_json *commands_json_strand(const struct perun_strand *series,
					const struct perun_segmentation *changes, bool higher)
{
	struct perun_json *document = perun_json_object(), *points = perun_json_array();

	for (size_t i = 0; i < changes->count; i++)
		perun_json_append(points,
				  commands_json_change_point(series, &changes->points[i], higher));
	perun_json_set(document, "change_points", points);
	perun_json_set(document, "trend", trend_json(series, &changes->trend));
	perun_json_set(document, "count", perun_json_int64((int64_t)series->count));
	perun_json_set(document, "noise", commands_number(changes->noise));
	perun_json_set(document, "correlation", commands_number(changes->correlation));
	perun_json_set(document, "better", perun_json_text(higher ? "higher" : "lower"));
	return document;
}

struct perun_json *commands_json_point_at(struct perun_json *document, size_t i)
{
	return perun_json_at(perun_json_get(document, "change_points"), i);
}

static struct perun_json *commit_json(const struct perun_minor_version *version)
{
	char *subject = perun_version_subject(version);
	struct perun_json *commit = perun_json_object();

	perun_json_set(commit, "version", commands_text(version->checksum));
	perun_json_set(commit, "subject", commands_text(subject));
	perun_free(subject);
	return commit;
}

struct perun_json *commands_json_commits(struct perun_ctx *ctx, struct perun_store *store,
					 const struct perun_history *history,
					 const struct perun_strand *strand, size_t index)
{
	struct perun_between *between = commands_between(ctx, store, history, strand, index);
	struct perun_json *commits = perun_json_array();
	size_t merged = between ? perun_between_count(between) : 0;

	for (size_t i = merged; i-- > 0;)
		perun_json_append(commits, commit_json(perun_between_at(between, i)));
	for (size_t i = perun_last_measured_before(strand, index) + 1; !merged && i <= index; i++)
		perun_json_append(commits, commit_json(commands_history_version(history, i)));
	perun_between_free(between);
	return commits;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The name of value i: that of its version, or its number. */
static char *name_of(const struct perun_strand *series, size_t i)
{
	return series->labels[i] ? perun_strdup(series->labels[i]) : perun_format("#%zu", i);
}

void commands_print_point(const struct perun_command_call *call, const struct perun_strand *strand,
			  const struct perun_change_point *point,
			  const struct commands_change_line *more)
{
	const struct commands_screen screen = commands_screen(call);
	const char *unit = strand->unit ? strand->unit : "";
	struct perun_change change = {.struct_size = sizeof change,
				      .result = perun_strand_result(strand, point),
				      .location = more->change ? more->change->location : "",
				      .type = more->change ? more->change->type : "",
				      .rate = point->before > 0 ? point->after / point->before : 1,
				      .confidence_type =
					      perun_strand_is_certain(strand) ? "no" : "p_value",
				      .confidence_rate = point->p};
	struct perun_buffer from = {0}, to = {0}, text = {0};
	struct commands_change_line line = *more;
	char *name = name_of(strand, point->index);

	perun_add_amount(&from, point->before, unit);
	perun_add_amount(&to, point->after, unit);
	change.from_baseline = from.data;
	change.to_target = to.data;
	if (point->before != 0) {
		change.low = point->low / fabs(point->before);
		change.high = point->high / fabs(point->before);
	}
	line.change = &change;
	line.version = name;
	commands_add_change_line(&screen, &line, &text);
	perun_output_text(call->output, text.data);
	perun_buffer_free(&from);
	perun_buffer_free(&to);
	perun_buffer_free(&text);
	perun_free(name);
}

void commands_print_basis(const struct perun_command_call *call,
			  const struct perun_change_point *point)
{
	const struct commands_screen screen = commands_screen(call);
	struct perun_buffer text = {0};
	char *words = perun_format(
		"from the %zu values since #%zu and the %zu values before #%zu; p %.3g of Mann and "
		"Whitney's test",
		point->index - point->first, point->first, point->end - point->index, point->end,
		point->p);

	commands_add_wrapped(&screen, words, 4, 4, &text);
	perun_output_write(call->output, text.data, text.length);
	perun_buffer_free(&text);
	perun_free(words);
}

void commands_print_commits(struct perun_ctx *ctx, struct perun_store *store,
			    const struct perun_command_call *call,
			    const struct perun_history *history, const struct perun_strand *strand,
			    size_t index)
{
	struct perun_between *merged = commands_between(ctx, store, history, strand, index);
	size_t first = perun_last_measured_before(strand, index) + 1, count = index + 1 - first;
	const struct perun_minor_version **versions = perun_alloc_zero(count + 1, sizeof *versions);
	struct perun_buffer text = {0};

	for (size_t i = 0; i < count; i++)
		versions[i] = commands_history_version(history, first + i);
	if (merged)
		commands_add_between(ctx, store, merged, &text);
	else
		commands_add_commits(versions, count, false, &text);
	perun_output_text(call->output, text.data ? text.data : "");
	perun_buffer_free(&text);
	perun_free((void *)versions);
	perun_between_free(merged);
}

static void print_name(const struct perun_command_call *call, const struct perun_strand *series,
		       size_t i)
{
	char *name = name_of(series, i);

	if (series->labels[i] && strlen(name) >= 40)
		perun_output_printf(call->output, "%.8s", name);
	else
		commands_print_safe(call, name);
	perun_free(name);
}

void commands_print_trend(const struct perun_command_call *call, const struct perun_strand *series,
			  const struct perun_trend *trend)
{
	perun_output_text(call->output, "trend since ");
	print_name(call, series, trend->since);
	if (trend->until < series->count) {
		perun_output_text(call->output, " until ");
		print_name(call, series, trend->until);
	}
	perun_output_printf(call->output, ": %+.4g for each version (95 %% CI %+.4g%s%+.4g)\n",
			    trend->slope, trend->low, call->unicode ? "…" : "..", trend->high);
}
