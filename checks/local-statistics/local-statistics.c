/* SPDX-License-Identifier: BSD-3-Clause */
/* The check local-statistics: statistics of the models of two versions, interval by interval. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks/common/curves.h"
#include "checks/common/plugin.h"
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

/*
 * Curves of models mostly rise or fall, so there is rarely anything to sort: the values themselves, or a
 * copy in `scratch`.
 */
static const double *sorted(const double *values, size_t count, double *scratch)
{
	bool rises = true, falls = true;

	for (size_t i = 1; i < count; i++) {
		rises &= values[i - 1] <= values[i];
		falls &= values[i - 1] >= values[i];
	}
	if (rises)
		return values;
	for (size_t i = 0; i < count; i++)
		scratch[i] = values[falls ? count - 1 - i : i];
	if (!falls)
		qsort(scratch, count, sizeof *scratch, compare_doubles);
	return scratch;
}

/* The statistics of an interval of at least one point, besides the integral. `scratch` has room for all values. */
static void describe(const double *y, size_t count, long double sum, double *scratch,
		     double statistics[STATISTICS])
{
	const double *values = sorted(y, count, scratch);

	statistics[MEAN] = (double)(sum / (long double)count);
	statistics[MEDIAN] = perun_quantile_of_sorted(values, count, 0.5);
	statistics[MAXIMUM] = values[count - 1];
	statistics[MINIMUM] = values[0];
	statistics[SUM] = (double)sum;
	statistics[QUARTER] = perun_quantile_of_sorted(values, count, 0.25);
	statistics[THREE_QUARTERS] = perun_quantile_of_sorted(values, count, 0.75);
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

/* The places of the pair that was measured last, which mostly are those of the next one. */
struct places {
	double *x;
	struct checks_parabola *parabolas;
	size_t count;
};

static void set_places(struct places *places, const struct checks_points *points)
{
	size_t count = points->count;

	if (places->x && count == places->count &&
	    memcmp(places->x, points->x, count * sizeof *places->x) == 0)
		return;
	perun_free(places->x);
	perun_free(places->parabolas);
	places->x = perun_alloc_zero(count + 1, sizeof *places->x);
	if (count)
		memcpy(places->x, points->x, count * sizeof *places->x);
	places->parabolas = perun_alloc_zero(count + 1, sizeof *places->parabolas);
	places->count = count;
	checks_parabolas(places->x, count, places->parabolas);
}

/* Compare an interval of `count` points from the place `start` on, at least one. */
static struct perun_interval_change compare_interval(const struct places *places,
						     const struct checks_points *points,
						     size_t start, size_t count, double *scratch)
{
	const double *x = points->x + start, *before = points->before + start;
	const double *after = points->after + start;
	double a[STATISTICS], b[STATISTICS], integrals[2], sum = 0, score = 0;
	long double sums[2] = {0, 0};

	for (size_t i = 0; i < count; i++) { /* side by side: neither waits for the other */
		sums[0] += before[i];
		sums[1] += after[i];
	}
	describe(before, count, sums[0], scratch, a);
	describe(after, count, sums[1], scratch, b);
	checks_simpson_by(places->parabolas + start, x, before, after, count, integrals);
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

	while (kept < points->count && !isnan(points->before[kept]) && !isnan(points->after[kept]))
		kept++;
	for (size_t i = kept; i < points->count; i++) {
		if (isnan(points->before[i]) || isnan(points->after[i]))
			continue;
		points->x[kept] = points->x[i];
		points->before[kept] = points->before[i];
		points->after[kept++] = points->after[i];
	}
	points->count = kept;
}

static void measure_points(const struct places *places, const struct checks_points *points,
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

		intervals[count] = compare_interval(places, points, start,
						    rest < width ? rest : width, scratch);
		sum += intervals[count++].relative;
	}
	change->relative = count ? sum / (double)count : NAN;
	change->intervals = intervals;
	change->interval_count = count;
	perun_free(scratch);
}

static int measure(struct perun_ctx *ctx, const struct checks_pair *pair, void *data,
		   struct checks_relative_change *change)
{
	struct places *places = data;
	struct checks_points points;
	int status = checks_points_of(ctx, pair, &points);

	if (!status) {
		drop_absent(&points);
		set_places(places, &points);
		measure_points(places, &points, change);
	}
	checks_points_free(&points);
	return status;
}

static int local_compare(void *instance, struct perun_ctx *ctx,
			 const struct perun_comparison *comparison, struct perun_report *report)
{
	struct places places = {0};
	int status = checks_compare_relative(ctx, comparison, measure, &places, report);

	(void)instance;
	perun_free(places.x);
	perun_free(places.parabolas);
	return status;
}

CHECK_PLUGIN(local_statistics, "local-statistics",
	     "statistics of the models of two versions, interval by interval", NULL,
	     .aliases = "loc", .compare = local_compare);
