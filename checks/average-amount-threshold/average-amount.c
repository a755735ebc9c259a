/* SPDX-License-Identifier: BSD-3-Clause */
/* The check average-amount-threshold: the mean amount of each uid, before and after. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/check.h>
#include <perun/json.h>
#include <perun/query.h>

#include "checks/common/plugin.h"

struct thresholds {
	double degradation, optimization;
};

static const struct perun_option options[] = {
	{.name = "degradation",
	 .metavar = "RATIO",
	 .help = "the quotient of the means from which on it is a degradation",
	 .default_value = "2",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e9},
	{.name = "optimization",
	 .metavar = "RATIO",
	 .help = "the quotient of the means up to which it is an optimization",
	 .default_value = "0.5",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e9},
	{0}};

static int average_open(struct perun_ctx *ctx, const struct perun_options *given,
			const char *subcommand, void **instance)
{
	struct thresholds *thresholds = perun_alloc(sizeof *thresholds);

	(void)subcommand;
	thresholds->degradation = perun_option_number(given, "degradation");
	thresholds->optimization = perun_option_number(given, "optimization");
	*instance = thresholds;
	if (thresholds->optimization < thresholds->degradation)
		return PERUN_OK;
	perun_free(thresholds);
	return perun_fail(ctx, PERUN_USAGE,
			  "the ratio of an optimization must be below that of a degradation");
}

static void average_close(void *instance)
{
	perun_free(instance);
}

/* The mean amounts of some profiles taken together, by uid. */
struct averages {
	struct perun_profile *pooled; /* the resources of all of them */
	struct perun_groups *groups;
	double *means;
};

static void averages_free(struct averages *averages)
{
	perun_groups_free(averages->groups);
	perun_profile_unref(averages->pooled);
	perun_free(averages->means);
	*averages = (struct averages){0};
}

/* What is measured: the amounts, or the values of the first metric where metrics have columns. */
static const struct perun_column *find_amount(const struct perun_profile *profile)
{
	const struct perun_column *amount = perun_table_column(perun_resources(profile), "amount");
	const struct perun_metric *const *metrics;
	size_t count;

	if (amount)
		return amount;
	metrics = perun_metrics(profile, &count);
	return count && !metrics[0]->selector[0] ? metrics[0]->values : NULL;
}

/*
 * The rows of metrics in the unit of the first one, where others have another: seconds and bytes have no mean. NULL =
 * all, as the Python program takes them.
 */
static uint64_t *select_unit(const struct perun_profile *profile)
{
	const size_t rows = perun_table_rows(perun_resources(profile));
	uint64_t *selection = NULL;
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);
	bool differ = false;

	for (size_t i = 1; i < count; i++)
		differ |= strcmp(metrics[i]->unit, metrics[0]->unit) != 0;
	for (size_t i = 0; differ && i < count; i++) {
		uint64_t *more;

		if (strcmp(metrics[i]->unit, metrics[0]->unit) != 0)
			continue;
		more = perun_selection_of_metric(metrics[i], rows);
		if (selection)
			perun_selection_or(selection, more, rows);
		if (selection)
			perun_free(more);
		else
			selection = more;
	}
	return selection;
}

/* One profile is used as it is; the resources of several are appended to those of the first. */
static int pool(struct perun_ctx *ctx, struct perun_profile *const *profiles, size_t count,
		struct perun_profile **pooled)
{
	struct perun_builder *builder;

	if (count == 1) {
		*pooled = perun_profile_ref(profiles[0]);
		return PERUN_OK;
	}
	builder = perun_builder_from(profiles[0]);
	for (size_t i = 1; i < count; i++)
		perun_builder_append_table(builder, profiles[i], "resources");
	return perun_builder_finish(ctx, builder, pooled);
}

static int average(struct perun_ctx *ctx, struct perun_profile *const *profiles, size_t count,
		   struct averages *averages)
{
	const struct perun_table *resources;
	const struct perun_column *amount;
	uint64_t *selection;
	int status = pool(ctx, profiles, count, &averages->pooled);

	if (status)
		return status;
	resources = perun_resources(averages->pooled);
	amount = find_amount(averages->pooled);
	selection = select_unit(averages->pooled);
	status = perun_group_by_uid(ctx, resources, selection, &averages->groups);
	perun_free(selection);
	if (status)
		return status;
	averages->means = perun_alloc_zero(averages->groups->count, sizeof *averages->means);
	if (!amount) {
		if (averages->groups->count)
			status = perun_fail(ctx, PERUN_INPUT,
					    "the resources of the profile have no amount");
		return status;
	}
	return perun_aggregate(ctx, averages->groups, amount, PERUN_AGGREGATE_MEAN, 0,
			       averages->means);
}

/* "115.69ms": rounded and printed as the Python program does, unless nothing would be left. Caller frees. */
static char *amount_text(double amount, const char *unit)
{
	char number[PERUN_JSON_NUMBER_SIZE];
	double rounded = perun_round_python(amount, 2);

	if (rounded == 0 && amount != 0)
		return perun_format("%.3g%s", amount, unit);
	perun_json_print_double(rounded, number);
	return perun_format("%s%s", number, unit);
}

/* The first unit of the header, whatever it is of; else that of what is measured. */
static const char *first_unit(const struct perun_profile *profile)
{
	const struct perun_json *units =
		perun_json_path(perun_profile_document(profile), "/header/units");
	const char *unit = perun_json_as_string(perun_json_at(units, 0), NULL);
	const struct perun_column *amount = find_amount(profile);

	if (!unit && amount)
		unit = perun_column_info(amount)->unit;
	return unit ? unit : "";
}

/* Where the baseline is zero, the Python program divides by this instead. */
static double ratio_of(double before, double after)
{
	return after / (before == 0 ? 1e-6 : before);
}

static enum perun_result judge(const struct thresholds *thresholds, double ratio)
{
	if (ratio >= thresholds->degradation)
		return PERUN_RESULT_DEGRADATION;
	if (ratio > 0 && ratio <= thresholds->optimization)
		return PERUN_RESULT_OPTIMIZATION;
	return PERUN_RESULT_NO_CHANGE;
}

static bool higher_is_better(const struct perun_profile *profile)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	return count && perun_metric_higher(metrics[0], PERUN_BETTER_UNKNOWN);
}

static void report_change(const struct thresholds *thresholds,
			  const struct perun_comparison *comparison, const char *uid, double before,
			  double after, struct perun_report *report)
{
	bool higher = higher_is_better(comparison->targets[0]);
	char *from = amount_text(before, first_unit(comparison->baselines[0]));
	char *to = amount_text(after, first_unit(comparison->targets[0]));
	struct perun_change change = {
		.struct_size = sizeof change,
		.result = judge(thresholds,
				higher ? ratio_of(after, before) : ratio_of(before, after)),
		.location = uid,
		.type = perun_profile_text(comparison->targets[0], "/header/type"),
		.from_baseline = from,
		.to_target = to,
		.rate = ratio_of(before, after),
		.confidence_type = "no",
	};

	perun_report_add(report, &change);
	perun_free(from);
	perun_free(to);
}

static int average_compare(void *instance, struct perun_ctx *ctx,
			   const struct perun_comparison *comparison, struct perun_report *report)
{
	struct averages before = {0}, after = {0};
	uint32_t *before_of_after = NULL;
	int status = average(ctx, comparison->baselines, comparison->baseline_count, &before);

	if (!status)
		status = average(ctx, comparison->targets, comparison->target_count, &after);
	if (!status)
		status = perun_groups_join(ctx, after.groups, before.groups, &before_of_after);
	for (size_t i = 0; !status && i < after.groups->count; i++) {
		uint32_t j = before_of_after[i];

		if (j != PERUN_NO_ID && !isnan(before.means[j]) && !isnan(after.means[i]))
			report_change(instance, comparison, after.groups->texts[i], before.means[j],
				      after.means[i], report);
	}
	perun_free(before_of_after);
	averages_free(&before);
	averages_free(&after);
	return status;
}

CHECK_PLUGIN(average_amount_threshold, "average-amount-threshold",
	     "average amounts of two versions, against fixed thresholds", options,
	     .open = average_open, .close = average_close, .aliases = "aat",
	     .compare = average_compare);
