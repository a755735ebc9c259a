/* SPDX-License-Identifier: BSD-3-Clause */
/* The check exclusive-time-outliers: functions whose exclusive time changed unlike that of the others. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "checks/common/plugin.h"
#include "checks/exclusive-time-outliers/times.h"

/*
 * B. Iglewicz and D. Hoaglin, "How to detect and handle outliers" (1993): 0.6745 makes the median
 * absolute deviation of normal values one standard deviation.
 */
#define Z_FACTOR       0.6745
#define SEVERE_Z       3.5
#define OUTLYING_IQR   1.5
#define MAYBE_STD      2
#define DIGITS         3    /* of times in texts */
#define ZERO_STANDS_AS 1e-6 /* where a divisor is 0 */

static const struct perun_option options[] = {
	{.name = "cutoff",
	 .metavar = "PERCENT",
	 .help = "leave out functions whose change is less than this share of the target's whole "
		 "time",
	 .default_value = "0",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e9},
	{.name = "location-filter",
	 .metavar = "GLOB",
	 .help = "look only at functions of these locations (binaries, libraries)",
	 .default_value = "*",
	 .type = PERUN_OPTION_STRING},
	{0}};

struct settings {
	double cutoff;
	char *filter;
};

static int outliers_open(struct perun_ctx *ctx, const struct perun_options *given,
			 const char *subcommand, void **instance)
{
	struct settings *settings = perun_alloc_zero(1, sizeof *settings);

	(void)ctx;
	(void)subcommand;
	settings->cutoff = perun_option_number(given, "cutoff");
	settings->filter = perun_strdup(perun_option_string(given, "location-filter"));
	*instance = settings;
	return PERUN_OK;
}

static void outliers_close(void *instance)
{
	struct settings *settings = instance;

	perun_free(settings->filter);
	perun_free(settings);
}

/* ---- statistics ------------------------------------------------------------------------------ */

struct spread {
	double median, deviation, quarter, three_quarters, deviation_of_normal;
};

static double change_of(const struct exclusive_row *row)
{
	return row->after - row->before;
}

static double divide(double dividend, double divisor)
{
	return dividend / (divisor == 0 ? ZERO_STANDS_AS : divisor);
}

/*
 * How far outside the quartiles, in ranges between them. Upwards the Python program takes the upper
 * quartile off only after dividing; the rule is kept, since its results are compared with.
 */
static double range_multiple(const struct spread *spread, double change)
{
	double range = spread->three_quarters - spread->quarter;

	if (change < spread->quarter)
		return divide(spread->quarter - change, range);
	return divide(change, range) - spread->three_quarters;
}

static enum perun_result severity(const struct spread *spread, double change)
{
	bool more = change > 0;

	if (divide(Z_FACTOR * fabs(change - spread->median), spread->deviation) > SEVERE_Z)
		return more ? PERUN_RESULT_SEVERE_DEGRADATION : PERUN_RESULT_SEVERE_OPTIMIZATION;
	if (range_multiple(spread, change) > OUTLYING_IQR)
		return more ? PERUN_RESULT_DEGRADATION : PERUN_RESULT_OPTIMIZATION;
	return PERUN_RESULT_NO_CHANGE;
}

static void measure_spread(const struct exclusive_times *times, struct spread *spread)
{
	double *values = perun_alloc_zero(times->count + 1, sizeof *values);
	size_t count = times->count, normal = 0;

	for (size_t i = 0; i < count; i++)
		values[i] = change_of(&times->rows[i]);
	spread->median = perun_aggregate_values(values, count, PERUN_AGGREGATE_MEDIAN, 0);
	spread->quarter = perun_aggregate_values(values, count, PERUN_AGGREGATE_QUANTILE, 0.25);
	spread->three_quarters =
		perun_aggregate_values(values, count, PERUN_AGGREGATE_QUANTILE, 0.75);
	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - spread->median);
	spread->deviation = perun_aggregate_values(values, count, PERUN_AGGREGATE_MEDIAN, 0);
	for (size_t i = 0; i < count; i++) {
		double change = change_of(&times->rows[i]);

		if (severity(spread, change) == PERUN_RESULT_NO_CHANGE)
			values[normal++] = change;
	}
	spread->deviation_of_normal =
		normal > 1 ? perun_aggregate_values(values, normal, PERUN_AGGREGATE_STD, 0) : 0;
	perun_free(values);
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Caller frees. */
static char *time_text(double time)
{
	char number[PERUN_JSON_NUMBER_SIZE];

	perun_json_print_double(perun_round_python(time, DIGITS), number);
	return perun_strdup(number);
}

static void add_finding(struct perun_report *report, struct perun_change *change, double before,
			double after, double total)
{
	char *from = time_text(before), *to = time_text(after);

	change->struct_size = sizeof *change;
	change->type = "time";
	change->from_baseline = from;
	change->to_target = to;
	change->rate = after - before;
	change->relative = total == 0 ? 0 : (after - before) / total * 100;
	perun_report_add(report, change);
	perun_free(from);
	perun_free(to);
}

static void report_function(const struct exclusive_row *row, const struct spread *spread,
			    double total, struct perun_report *report)
{
	double change = change_of(row);
	char *explanation = perun_format("%s: %+.3f ms; the median change of all functions is "
					 "%+.3f ms, the quartiles %+.3f and "
					 "%+.3f ms",
					 row->location, change, spread->median, spread->quarter,
					 spread->three_quarters);
	struct perun_change finding = {
		.result = severity(spread, change),
		.location = row->uid,
		.confidence_type = "IQR_multiple",
		.confidence_rate = range_multiple(spread, change),
		.explanation = explanation,
	};

	if (finding.result == PERUN_RESULT_NO_CHANGE) {
		finding.confidence_type = "StdDev_multiple";
		finding.confidence_rate = divide(change, spread->deviation_of_normal);
		if (fabs(finding.confidence_rate) > MAYBE_STD)
			finding.result = change > 0 ? PERUN_RESULT_MAYBE_DEGRADATION
						    : PERUN_RESULT_MAYBE_OPTIMIZATION;
	}
	if (row->fresh)
		finding.result = PERUN_RESULT_NOT_IN_BASELINE;
	finding.confidence_rate = perun_round_python(finding.confidence_rate, 2);
	add_finding(report, &finding, row->before, row->after, total);
	perun_free(explanation);
}

static int by_location(const void *one, const void *other)
{
	const struct exclusive_row *a = one, *b = other;

	return strcmp(a->location, b->location);
}

static int by_change(const void *one, const void *other)
{
	double a = change_of(one), b = change_of(other);

	if (a != b)
		return a > b ? -1 : 1;
	return strcmp(((const struct exclusive_row *)one)->uid,
		      ((const struct exclusive_row *)other)->uid);
}

/* All functions of each location together. */
static void report_locations(struct exclusive_times *times, struct perun_report *report)
{
	size_t end = 0;

	qsort(times->rows, times->count, sizeof *times->rows, by_location);
	for (size_t start = 0; start < times->count; start = end) {
		double before = 0, after = 0;
		struct perun_change finding = {.location = times->rows[start].location,
					       .confidence_type = "N/A"};

		for (end = start;
		     end < times->count && by_location(&times->rows[start], &times->rows[end]) == 0;
		     end++) {
			before += times->rows[end].before;
			after += times->rows[end].after;
		}
		finding.result = PERUN_RESULT_NO_CHANGE;
		if (after > before)
			finding.result = PERUN_RESULT_TOTAL_DEGRADATION;
		else if (after < before)
			finding.result = PERUN_RESULT_TOTAL_OPTIMIZATION;
		add_finding(report, &finding, before, after, times->total);
	}
}

static int outliers_compare(void *instance, struct perun_ctx *ctx,
			    const struct perun_comparison *comparison, struct perun_report *report)
{
	const struct settings *settings = instance;
	struct exclusive_times times;
	struct spread spread;
	int status = exclusive_times_join(ctx, comparison, settings->filter, &times);

	if (!status && times.count) {
		measure_spread(&times, &spread);
		qsort(times.rows, times.count, sizeof *times.rows, by_change);
		for (size_t i = 0; i < times.count; i++) {
			double share = times.total == 0
					       ? 0
					       : change_of(&times.rows[i]) / times.total * 100;

			if (fabs(share) >= settings->cutoff)
				report_function(&times.rows[i], &spread, times.total, report);
		}
		report_locations(&times, report);
	}
	exclusive_times_free(&times);
	return status;
}

CHECK_PLUGIN(exclusive_time_outliers, "exclusive-time-outliers",
	     "outliers among the changes of the functions' exclusive times", options,
	     .open = outliers_open, .close = outliers_close, .aliases = "eto",
	     .compare = outliers_compare);
