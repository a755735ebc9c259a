/* SPDX-License-Identifier: BSD-3-Clause */
/* The check local-statistics: statistics of the models of two versions, interval by interval. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "checks/common/curves.h"
#include "checks/common/relative.h"

#define INTERVAL_SHARE 0.05 /* of the points */
/* Of the score that all statistics together can have. */
#define SMALL_SCORE 0.2
#define LARGE_SCORE 0.5

enum { INTEGRAL, MEAN, MEDIAN, MAXIMUM, MINIMUM, SUM, QUARTER, THREE_QUARTERS, STATISTICS };

static int compare_doubles(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* Curves of models mostly rise or fall, so there is rarely anything to sort. */
static void sort(double *values, size_t count)
{
	bool rises = true, falls = true;

	for (size_t i = 1; i < count; i++) {
		rises &= values[i - 1] <= values[i];
		falls &= values[i - 1] >= values[i];
	}
	for (size_t i = 0; falls && !rises && i < count / 2; i++) {
		double value = values[i];

		values[i] = values[count - 1 - i];
		values[count - 1 - i] = value;
	}
	if (!rises && !falls)
		qsort(values, count, sizeof *values, compare_doubles);
}

/* The statistics of an interval of at least one point, besides the integral. `sorted` has room for all values. */
static void describe(const double *y, size_t count, double *sorted, double statistics[STATISTICS])
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = y[i];
		sum += y[i];
	}
	sort(sorted, count);
	statistics[MEAN] = (double)(sum / (long double)count);
	statistics[MEDIAN] = perun_quantile_of_sorted(sorted, count, 0.5);
	statistics[MAXIMUM] = sorted[count - 1];
	statistics[MINIMUM] = sorted[0];
	statistics[SUM] = (double)sum;
	statistics[QUARTER] = perun_quantile_of_sorted(sorted, count, 0.25);
	statistics[THREE_QUARTERS] = perun_quantile_of_sorted(sorted, count, 0.75);
}

static double relative_of(double before, double after)
{
	return before == 0 ? 0 : (after - before) / before;
}

static double score_of(double relative)
{
	if (fabs(relative) <= CHECKS_SMALL_CHANGE)
		return 0;
	return copysign(fabs(relative) <= CHECKS_LARGE_CHANGE ? 0.5 : 1, relative);
}

/* Compare an interval of `count` points, at least one. */
static struct perun_interval_change compare_interval(const double *x, const double *before,
						     const double *after, size_t count,
						     double *scratch)
{
	double a[STATISTICS], b[STATISTICS], integrals[2], sum = 0, score = 0;

	describe(before, count, scratch, a);
	describe(after, count, scratch, b);
	checks_simpson(x, before, after, count, integrals);
	a[INTEGRAL] = integrals[0];
	b[INTEGRAL] = integrals[1];
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

static void measure_points(const struct checks_points *points,
			   struct checks_relative_change *change)
{
	size_t width = (size_t)(INTERVAL_SHARE * (double)points->count), count = 0;
	struct perun_interval_change *intervals =
		perun_alloc_zero(points->count + 1, sizeof *intervals);
	double *scratch = perun_alloc_zero(points->count + 1, sizeof *scratch);
	double sum = 0;

	width = width < 2 ? points->count : width;
	for (size_t start = 0; start < points->count; start += width) {
		size_t rest = points->count - start;

		intervals[count] = compare_interval(points->x + start, points->before + start,
						    points->after + start,
						    rest < width ? rest : width, scratch);
		sum += intervals[count++].relative;
	}
	change->relative = count ? sum / (double)count : NAN;
	change->intervals = intervals;
	change->interval_count = count;
	perun_free(scratch);
}

static int measure(struct perun_ctx *ctx, const struct checks_pair *pair,
		   struct checks_relative_change *change)
{
	struct checks_points points;
	int status = checks_points_of(ctx, pair, &points);

	if (!status) {
		drop_absent(&points);
		measure_points(&points, change);
	}
	checks_points_free(&points);
	return status;
}

static int local_compare(void *instance, struct perun_ctx *ctx,
			 const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_compare_relative(ctx, comparison, measure, report);
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
