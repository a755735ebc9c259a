/* SPDX-License-Identifier: BSD-3-Clause */
/* The check local-statistics: statistics of the models of two versions, interval by interval. */
#include <config.h>

#include <math.h>

#include "checks/common/curves.h"

#define LEAST_CONFIDENCE 0.15
#define SMALL_CHANGE     0.10
#define LARGE_CHANGE     0.25
#define INTERVAL_SHARE   0.05 /* of the points */
/* Of the score that all statistics together can have. */
#define SMALL_SCORE 0.2
#define LARGE_SCORE 0.5

enum { INTEGRAL, MEAN, MEDIAN, MAXIMUM, MINIMUM, SUM, QUARTER, THREE_QUARTERS, STATISTICS };

/* The statistics of an interval. `scratch` has room for all values. */
static void describe(const double *x, const double *y, size_t count, double *scratch,
		     double statistics[STATISTICS])
{
	static const struct {
		enum perun_aggregate function;
		double argument;
	} functions[STATISTICS] = {
		[MEAN] = {PERUN_MEAN, 0},
		[MEDIAN] = {PERUN_MEDIAN, 0},
		[MAXIMUM] = {PERUN_MAX, 0},
		[MINIMUM] = {PERUN_MIN, 0},
		[SUM] = {PERUN_SUM, 0},
		[QUARTER] = {PERUN_QUANTILE, 0.25},
		[THREE_QUARTERS] = {PERUN_QUANTILE, 0.75},
	};

	statistics[INTEGRAL] = checks_simpson(x, y, count);
	for (int i = MEAN; i < STATISTICS; i++) {
		for (size_t j = 0; j < count; j++)
			scratch[j] = y[j];
		statistics[i] = perun_aggregate_values(scratch, count, functions[i].function,
						       functions[i].argument);
	}
}

static double relative_of(double before, double after)
{
	return before == 0 ? 0 : (after - before) / before;
}

static double score_of(double relative)
{
	if (fabs(relative) <= SMALL_CHANGE)
		return 0;
	return copysign(fabs(relative) <= LARGE_CHANGE ? 0.5 : 1, relative);
}

/* Compare an interval of `count` points, at least one. */
static struct perun_interval_change compare_interval(const double *x, const double *before,
						     const double *after, size_t count,
						     double *scratch)
{
	double a[STATISTICS], b[STATISTICS], sum = 0, score = 0;

	describe(x, before, count, scratch, a);
	describe(x, after, count, scratch, b);
	for (int i = 0; i < STATISTICS; i++) {
		double relative = relative_of(a[i], b[i]);

		sum += relative;
		score += score_of(relative);
	}
	return (struct perun_interval_change){
		.result = checks_classify(score / STATISTICS, SMALL_SCORE, LARGE_SCORE),
		.relative = sum / STATISTICS,
		.from = x[0],
		.to = x[count - 1],
	};
}

/* Leave out points where a model has no value, as a moving average has none at its ends. */
static void drop_absent(struct checks_points *points)
{
	size_t kept = 0;

	for (size_t i = 0; i < points->count; i++) {
		if (isnan(points->before[i]) || isnan(points->after[i]))
			continue;
		points->x[kept] = points->x[i];
		points->before[kept] = points->before[i];
		points->after[kept++] = points->after[i];
	}
	points->count = kept;
}

static void report_points(const struct checks_pair *pair, const struct checks_points *points,
			  double confidence, struct perun_report *report)
{
	size_t width = (size_t)(INTERVAL_SHARE * (double)points->count), count = 0;
	struct perun_interval_change *intervals =
		perun_alloc_zero(points->count + 1, sizeof *intervals);
	double *scratch = perun_alloc_zero(points->count + 1, sizeof *scratch);
	double sum = 0, relative;
	struct perun_change change;

	width = width < 2 ? points->count : width;
	for (size_t start = 0; start < points->count; start += width) {
		size_t rest = points->count - start;

		intervals[count] = compare_interval(points->x + start, points->before + start,
						    points->after + start,
						    rest < width ? rest : width, scratch);
		sum += intervals[count++].relative;
	}
	relative = count ? sum / (double)count : NAN;
	change = (struct perun_change){
		.struct_size = sizeof change,
		.result = checks_classify(relative, SMALL_CHANGE, LARGE_CHANGE),
		.location = pair->baseline->model.uid,
		.type = "-",
		.from_baseline = pair->baseline->model.kind,
		.to_target = pair->target->model.kind,
		.rate = perun_round_python(relative, 2),
		.confidence_type = "r_square",
		.confidence_rate = confidence,
		.intervals = intervals,
		.interval_count = count,
	};
	perun_report_add(report, &change);
	perun_free(intervals);
	perun_free(scratch);
}

static int compare_pair(void *data, struct perun_ctx *ctx, const struct checks_pair *pair,
			struct perun_report *report)
{
	double confidence = perun_round_python(checks_confidence(pair), 2);
	struct checks_points points;
	int status;

	if (!(confidence >= LEAST_CONFIDENCE))
		return PERUN_OK;
	status = checks_points_of(ctx, data, pair, &points);
	if (!status) {
		drop_absent(&points);
		report_points(pair, &points, confidence, report);
	}
	checks_points_free(&points);
	return status;
}

static int local_compare(void *instance, struct perun_ctx *ctx,
			 const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_each_pair(ctx, comparison, comparison->models_type, compare_pair,
				(void *)comparison, report);
}

static const struct perun_check_ops local_ops = {
	.aliases = "loc",
	.compare = local_compare,
};

PERUN_PLUGIN(check, local_statistics) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "local-statistics",
			  "statistics of the models of two versions, interval by interval"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(local_ops),
};
