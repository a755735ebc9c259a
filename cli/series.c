/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check series: the changes of a series of measurements. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/compare.h>
#include <perun/lib/module.h>

#include "cli/facts.h"
#include "cli/history.h"
#include "cli/series.h"

const struct perun_option cli_check_series_options[] = {
	{.name = "file",
	 .metavar = "FILE",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .type = PERUN_OPTION_PATH,
	 .help = "JSON or CSV with a value for each version, the oldest first; - for standard "
		 "input"},
	{.name = "from",
	 .metavar = "REV..REV",
	 .type = PERUN_OPTION_STRING,
	 .help = "instead of a file, the profiles of these versions, both included"},
	{.name = "metric",
	 .metavar = "METRIC",
	 .type = PERUN_OPTION_STRING,
	 .help = "with --from: the metric, by default the first of the profiles"},
	{.name = "location",
	 .metavar = "UID",
	 .type = PERUN_OPTION_STRING,
	 .help = "with --from: only this function"},
	CLI_MACHINE_OPTION,
	CLI_BETTER_OPTION,
	CLI_THRESHOLD_OPTION,
	{.name = "column",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "the column of a CSV file, by name or number from 1; the last by default"},
	{0}};

enum perun_direction cli_told_direction(const struct cli_call *call)
{
	return perun_option_given(call->options, "better")
		       ? perun_direction_of(perun_option_string(call->options, "better"))
		       : PERUN_BETTER_UNKNOWN;
}

int cli_fail_no_method(struct cli *cli, const char *name)
{
	struct perun_buffer known = {0};

	for (unsigned i = 0; i < PERUN_CHANGE_METHODS; i++)
		perun_buffer_printf(&known, "%s%s", i ? ", " : "",
				    perun_change_method_name((enum perun_change_method)i));
	perun_fail(cli->ctx, PERUN_USAGE,
		   "'%s' finds no changes of a series; choose one of %s, or a check plugin for "
		   "whole histories",
		   name, known.data);
	perun_buffer_free(&known);
	return PERUN_USAGE;
}

/* The method is the option --method of check, given once. */
static int choose_method(struct cli *cli, const struct cli_call *call,
			 enum perun_change_method *method)
{
	const char *name = cli_string(call, "method");

	/* The check of that name, by its default algorithm. */
	if (!name || strcmp(name, "changepoint") == 0)
		*method = PERUN_CHANGE_SEGMENTS;
	else
		*method = perun_change_method_from_name(name);
	return *method == PERUN_CHANGE_METHODS ? cli_fail_no_method(cli, name) : PERUN_OK;
}

/* A threshold of 0 percent leaves everything that noise allows. */
static double threshold_of(double percent)
{
	return percent > 0 ? percent / 100 : -1;
}

const char **cli_series_params(const struct cli_call *call)
{
	const struct perun_options *options = call->options;

	if (call->before && !perun_option_given(options, "params"))
		options = call->before;
	return cli_strings(options, "params");
}

/* Options of the check changepoint given with --params. */
static int take_param(struct cli *cli, const char *name, const struct perun_json *value,
		      struct perun_change_options *options)
{
	const char *text = perun_json_as_string(value, NULL);
	double number;

	if (cli_same_name(name, "algorithm") && text) {
		options->method = perun_change_method_from_name(text);
		return options->method == PERUN_CHANGE_METHODS ? cli_fail_no_method(cli, text)
							       : PERUN_OK;
	}
	if (cli_same_name(name, "threshold")) {
		if (!perun_json_as_double(value, &number) || !(number >= 0))
			return perun_fail(cli->ctx, PERUN_USAGE,
					  "--params: threshold is a percentage");
		options->threshold = threshold_of(number);
		return PERUN_OK;
	}
	return perun_fail(cli->ctx, PERUN_USAGE,
			  "--params: a series has no option '%s'; it has algorithm and threshold",
			  name);
}

static int take_params(struct cli *cli, const struct cli_call *call,
		       struct perun_change_options *options)
{
	const char **params = cli_series_params(call);
	int status = PERUN_OK;

	for (size_t i = 0; !status && params[i]; i++) {
		struct perun_json *document = NULL;

		status = perun_params_yaml(cli->ctx, "changepoint", params[i], &document);
		for (size_t j = 0; !status && j < perun_json_count(document); j++)
			status = take_param(cli, perun_json_key_at(document, j, NULL),
					    perun_json_at(document, j), options);
		perun_json_free(document);
	}
	perun_free((void *)params);
	return status;
}

int cli_change_options(struct cli *cli, const struct cli_call *call,
		       struct perun_change_options *options)
{
	int status;

	*options = (struct perun_change_options){.struct_size = sizeof *options};
	status = choose_method(cli, call, &options->method);
	/* Only check has --params; --threshold of the sub-command comes before it. */
	if (!status && call->before)
		status = take_params(cli, call, options);
	if (perun_option_given(call->options, "threshold"))
		options->threshold = threshold_of(perun_option_number(call->options, "threshold"));
	return status;
}

int cli_series_changes(struct cli *cli, const struct cli_call *call,
		       const struct perun_strand *series, struct perun_segmentation *changes)
{
	struct perun_value_series given = perun_strand_series(series);
	struct perun_change_options options;
	int status = cli_change_options(cli, call, &options);

	/* What numbers of a file are nobody knows: neighbours alone do not tell how they vary. */
	if (given.starts && given.starts[given.count] == cli_strand_measured(series))
		given.starts = NULL;
	return status ? status : perun_find_changes(cli->ctx, &given, &options, changes);
}

static void set_version(json_t *fact, const char *key, const struct perun_strand *series, size_t i)
{
	if (i < series->count && series->labels[i])
		json_object_set_new(fact, key, cli_fact_text(series->labels[i]));
}

json_t *cli_fact_change_point(const struct perun_strand *series,
			      const struct perun_change_point *point, bool higher_is_better)
{
	json_t *fact = json_object(), *interval = json_array();
	enum perun_result result = perun_change_point_result(point, higher_is_better);

	json_object_set_new(fact, "index", json_integer((json_int_t)point->index));
	set_version(fact, "version", series, point->index);
	json_object_set_new(fact, "result", cli_fact_text(perun_result_name(result)));
	json_object_set_new(fact, "before", cli_fact_number(point->before));
	json_object_set_new(fact, "after", cli_fact_number(point->after));
	json_object_set_new(fact, "relative", cli_fact_number(cli_relative_change(point)));
	json_object_set_new(fact, "shift", cli_fact_number(point->shift));
	json_array_append_new(interval, cli_fact_number(point->low));
	json_array_append_new(interval, cli_fact_number(point->high));
	json_object_set_new(fact, "interval", interval);
	json_object_set_new(fact, "p", cli_fact_number(point->p));
	json_object_set_new(fact, "since", json_integer((json_int_t)point->first));
	json_object_set_new(fact, "until", json_integer((json_int_t)point->end));
	return fact;
}

json_t *cli_fact_trend(const struct perun_strand *series, const struct perun_trend *trend)
{
	json_t *fact, *interval;

	if (!trend->found)
		return json_null();
	fact = json_object();
	interval = json_array();
	json_object_set_new(fact, "slope", cli_fact_number(trend->slope));
	json_array_append_new(interval, cli_fact_number(trend->low));
	json_array_append_new(interval, cli_fact_number(trend->high));
	json_object_set_new(fact, "interval", interval);
	json_object_set_new(fact, "since", json_integer((json_int_t)trend->since));
	set_version(fact, "version", series, trend->since);
	json_object_set_new(fact, "until", json_integer((json_int_t)trend->until));
	return fact;
}

json_t *cli_fact_series(const struct perun_strand *series, const struct perun_segmentation *changes,
			bool higher)
{
	json_t *document = json_object(), *points = json_array();

	for (size_t i = 0; i < changes->count; i++)
		json_array_append_new(points,
				      cli_fact_change_point(series, &changes->points[i], higher));
	json_object_set_new(document, "change_points", points);
	json_object_set_new(document, "trend", cli_fact_trend(series, &changes->trend));
	json_object_set_new(document, "count", json_integer((json_int_t)series->count));
	json_object_set_new(document, "noise", cli_fact_number(changes->noise));
	json_object_set_new(document, "correlation", cli_fact_number(changes->correlation));
	json_object_set_new(document, "better", json_string(higher ? "higher" : "lower"));
	return document;
}

static void print_place(const struct perun_strand *series, size_t i)
{
	const char *label = series->labels[i];

	printf("%zu", i);
	if (!label)
		return;
	fputs(" (", stdout);
	if (cli_is_checksum(label))
		printf("%.8s", label);
	else
		cli_print_safe(label);
	putchar(')');
}

void cli_print_point(struct cli *cli, const struct perun_strand *series,
		     const struct perun_change_point *point, bool higher)
{
	enum perun_result result = perun_change_point_result(point, higher);

	printf("%s%s%s at ",
	       cli_color(cli, result == PERUN_RESULT_DEGRADATION ? CLI_RED : CLI_GREEN),
	       perun_result_words(result), cli_color_end(cli));
	print_place(series, point->index);
	printf(": %.6g -> %.6g", point->before, point->after);
	if (isfinite(cli_relative_change(point)))
		printf(" (%+.1f %%)", 100 * cli_relative_change(point));
	if (isfinite(point->low) && isfinite(point->high))
		printf(", shift %.4g in [%.4g, %.4g]", point->shift, point->low, point->high);
	putchar('\n');
}

void cli_print_trend(const struct perun_strand *series, const struct perun_trend *trend)
{
	fputs("trend since ", stdout);
	print_place(series, trend->since);
	if (trend->until < series->count) {
		fputs(" until ", stdout);
		print_place(series, trend->until);
	}
	printf(": %+.4g for each version, in [%.4g, %.4g]\n", trend->slope, trend->low,
	       trend->high);
}

static void print_text(struct cli *cli, const struct perun_strand *series,
		       const struct perun_segmentation *changes, bool higher, bool explain)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_change_point *point = &changes->points[i];

		cli_print_point(cli, series, point, higher);
		if (explain)
			printf("  from the %zu values since %zu and the %zu values before %zu; "
			       "Mann-Whitney p %.3g\n",
			       point->index - point->first, point->first, point->end - point->index,
			       point->end, point->p);
	}
	if (changes->trend.found)
		cli_print_trend(series, &changes->trend);
	if (changes->count == 0)
		puts("no changes found");
	if (explain)
		printf("%zu values; noise %.4g (standard deviation of one value), "
		       "autocorrelation %.2f\n",
		       series->count, changes->noise, changes->correlation);
}

static int check_file(struct cli *cli, const struct cli_call *call, bool *worse)
{
	struct cli_series series = {0};
	const struct perun_strand *strand = &series.strand;
	struct perun_segmentation changes = {0};
	bool higher = cli_told_direction(call) == PERUN_BETTER_HIGHER;
	int status = cli_series_read(cli, perun_option_string(call->options, "file"),
				     perun_option_string(call->options, "column"), &series);

	series.strand.higher = higher;
	if (!status && cli_series_plugin(call)) {
		status = cli_series_by_plugin(cli, call, &strand, 1, worse);
		cli_series_free(&series);
		return status;
	}
	if (!status && cli_strand_measured(strand) < CLI_SERIES_LEAST)
		perun_note(cli->ctx, "%zu values: a change shows from %d on",
			   cli_strand_measured(strand), CLI_SERIES_LEAST);
	if (!status)
		status = cli_series_changes(cli, call, strand, &changes);
	for (size_t i = 0; !status && i < changes.count; i++)
		*worse |= perun_change_point_result(&changes.points[i], higher) ==
			  PERUN_RESULT_DEGRADATION;
	if (!status && cli_flag(call, "json"))
		cli_print_facts(cli_fact_series(strand, &changes, higher));
	else if (!status)
		print_text(cli, strand, &changes, higher, cli_flag(call, "explain"));
	perun_segmentation_free(&changes);
	cli_series_free(&series);
	return status;
}

int cli_check_series(struct cli *cli, const struct cli_call *call)
{
	bool file = perun_option_given(call->options, "file"), worse = false;
	int status;

	if (file == perun_option_given(call->options, "from"))
		return perun_fail(
			cli->ctx, PERUN_USAGE,
			file ? "either a file or --from"
			     : "expected a file, or --from REV..REV for a stored history");
	status = file ? check_file(cli, call, &worse) : cli_check_history(cli, call, &worse);
	return status ? status : worse ? PERUN_DEGRADED : PERUN_OK;
}
