/* SPDX-License-Identifier: BSD-3-Clause */
/* The check changepoint: where the metrics of a history changed their levels. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/changepoint.h>
#include <perun/check.h>
#include <perun/query.h>
#include <perun/lib/history.h>
#include <perun/lib/statistics.h>

#include "checks/common/levels.h"
#include "checks/common/plugin.h"

static const struct perun_option options[] = {
	{.name = "algorithm",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "segments e-divisive step t-test",
	 .default_value = "segments",
	 .help = "how changes are found"},
	{.name = "threshold",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .maximum = 1e6,
	 .help = "the smallest change that is reported, in percent of the level before it; by "
		 "default 1, of whole numbers 0.5; 0 for all that noise allows"},
	{.name = "better",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "lower higher",
	 .default_value = "lower",
	 .help = "which values are better, where a profile does not say"},
	{0}};

/* A metric of a function over all versions. */
struct strand {
	char *location;
	const struct perun_metric *metric;
	double *values, *repeats;
	size_t *starts;
};

struct changepoint {
	struct perun_change_options options;
	enum perun_direction user_better;
	struct strand *strands;
	size_t count, capacity;
};

static int changepoint_open(struct perun_ctx *ctx, const struct perun_options *given,
			    const char *subcommand, void **instance)
{
	struct changepoint *changepoint = perun_alloc_zero(1, sizeof *changepoint);

	(void)ctx;
	(void)subcommand;
	changepoint->options = (struct perun_change_options){
		.struct_size = sizeof changepoint->options,
		.method = perun_change_method_from_name(perun_option_string(given, "algorithm"))};
	if (perun_option_given(given, "threshold")) {
		double percent = perun_option_number(given, "threshold");

		changepoint->options.threshold = percent > 0 ? percent / 100 : -1;
	}
	changepoint->user_better = perun_direction_of(
		perun_option_given(given, "better") ? perun_option_string(given, "better") : "");
	*instance = changepoint;
	return PERUN_OK;
}

static void changepoint_close(void *instance)
{
	struct changepoint *changepoint = instance;

	for (size_t i = 0; i < changepoint->count; i++) {
		perun_free(changepoint->strands[i].location);
		perun_free(changepoint->strands[i].values);
		perun_free(changepoint->strands[i].repeats);
		perun_free(changepoint->strands[i].starts);
	}
	perun_free(changepoint->strands);
	perun_free(changepoint);
}

/* ---- series ---------------------------------------------------------------------------------- */

/* The version of a row; SIZE_MAX when it names none of those that there are. */
static size_t version_of(const struct perun_column *column, size_t row, size_t versions)
{
	double version = perun_column_double(column, row);

	return version >= 0 && version < (double)versions ? (size_t)version : SIZE_MAX;
}

/* The rows of a function by their versions: repeats, and their medians. */
static void take_strand(struct changepoint *changepoint, const char *location,
			const struct perun_metric *metric, const struct perun_column *column,
			const uint32_t *rows, size_t count, size_t versions)
{
	struct strand strand = {.location = perun_strdup(location), .metric = metric};
	size_t *next = perun_alloc_zero(versions + 1, sizeof *next);

	strand.starts = perun_alloc_zero(versions + 1, sizeof *strand.starts);
	strand.repeats = perun_alloc_zero(count + 1, sizeof *strand.repeats);
	strand.values = perun_alloc_zero(versions + 1, sizeof *strand.values);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			size_t version = version_of(column, rows[i], versions);
			double value = perun_column_double(metric->values, rows[i]);

			if (version == SIZE_MAX || !isfinite(value))
				continue;
			if (pass == 0)
				strand.starts[version + 1]++;
			else
				strand.repeats[next[version]++] = value;
		}
		for (size_t version = 0; pass == 0 && version < versions; version++) {
			strand.starts[version + 1] += strand.starts[version];
			next[version] = strand.starts[version];
		}
	}
	for (size_t version = 0; version < versions; version++)
		strand.values[version] =
			perun_median(strand.repeats + strand.starts[version],
				     strand.starts[version + 1] - strand.starts[version]);
	perun_free(next);
	PERUN_GROW(changepoint->strands, changepoint->count, changepoint->capacity);
	changepoint->strands[changepoint->count++] = strand;
}

static int take_metric(struct changepoint *changepoint, struct perun_ctx *ctx,
		       const struct perun_table *resources, const struct perun_metric *metric,
		       const struct perun_column *column, size_t versions)
{
	size_t *starts;
	uint64_t *selection = perun_selection_of_metric(metric, perun_table_rows(resources));
	struct perun_groups *groups = NULL;
	uint32_t *rows;
	int status;

	status = perun_group_by_uid(ctx, resources, selection, &groups);
	perun_free(selection);
	if (status)
		return status;
	perun_groups_rows(groups, &rows, &starts);
	for (size_t g = 0; g < groups->count; g++)
		take_strand(changepoint, groups->texts[g], metric, column, rows + starts[g],
			    starts[g + 1] - starts[g], versions);
	perun_free(rows);
	perun_free(starts);
	perun_groups_free(groups);
	return PERUN_OK;
}

/* ---- findings -------------------------------------------------------------------------------- */

static void report_point(const struct strand *strand, const struct perun_change_point *point,
			 bool higher, struct perun_report *report)
{
	bool better = (point->after > point->before) == higher;
	char *words = perun_format("at version %zu, between versions %zu and %zu; shift %.4g%s in "
				   "[%.4g, %.4g]",
				   point->index, point->first, point->end, point->shift,
				   checks_unit(strand->metric->unit), point->low, point->high);
	struct checks_levels levels = {better ? PERUN_RESULT_OPTIMIZATION
					      : PERUN_RESULT_DEGRADATION,
				       strand->location,
				       strand->metric,
				       point->before,
				       point->after,
				       point->p,
				       words};

	checks_report_levels(report, &levels);
	perun_free(words);
}

static int find(struct changepoint *changepoint, struct perun_ctx *ctx, size_t versions,
		struct perun_report *report)
{
	size_t count = changepoint->count;
	struct perun_value_series *series = perun_alloc_zero(count + 1, sizeof *series);
	struct perun_segmentation *changes = perun_alloc_zero(count + 1, sizeof *changes);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		const struct strand *strand = &changepoint->strands[i];

		series[i] = (struct perun_value_series){.struct_size = sizeof *series,
							.values = strand->values,
							.count = versions,
							.repeats = strand->repeats,
							.starts = strand->starts};
		status = perun_find_changes(ctx, &series[i], &changepoint->options, &changes[i]);
	}
	if (!status)
		status = perun_correct_changes(ctx, series, count, &changepoint->options,
					       PERUN_HISTORY_DISCOVERIES, changes);
	for (size_t i = 0; i < count; i++) {
		const struct strand *strand = &changepoint->strands[i];
		bool higher = perun_metric_higher(strand->metric, changepoint->user_better);

		for (size_t j = 0; !status && j < changes[i].count; j++)
			report_point(strand, &changes[i].points[j], higher, report);
		perun_segmentation_free(&changes[i]);
	}
	perun_free(changes);
	perun_free(series);
	return status;
}

static int changepoint_series(void *instance, struct perun_ctx *ctx, struct perun_profile *history,
			      struct perun_report *report)
{
	struct changepoint *changepoint = instance;
	const struct perun_table *versions = perun_profile_table(history, "versions");
	const struct perun_table *resources = perun_resources(history);
	const struct perun_column *column = perun_table_column(resources, "version");
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(history, &count);
	int status = PERUN_OK;

	if (!versions || !column)
		return perun_fail(
			ctx, PERUN_USAGE,
			"a history needs a table 'versions' and a column 'version' of its "
			"resources");
	for (size_t i = 0; !status && i < count; i++)
		status = take_metric(changepoint, ctx, resources, metrics[i], column,
				     perun_table_rows(versions));
	return status ? status : find(changepoint, ctx, perun_table_rows(versions), report);
}

CHECK_PLUGIN(changepoint, "changepoint", "where the metrics of a history changed their levels",
	     options, .open = changepoint_open, .close = changepoint_close,
	     .series = changepoint_series, .quotients = true);
