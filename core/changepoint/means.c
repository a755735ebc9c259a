/* SPDX-License-Identifier: BSD-3-Clause */
/* The p of a change by the means of both sides, where these hardly overlap. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"
#include "core/statistics/sorted.h"

/* The autocorrelation that means are trusted with at least. */
#define REMEMBERED 0.5
/* From this share of pairs in order on, two levels hardly overlap. */
#define SEPARATED 0.95

/* The measured values in [first, end): how many, their mean, the squares about it. */
struct level {
	double count, mean, squares;
};

static struct level level_of(const double *values, size_t first, size_t end)
{
	struct level level = {0};

	for (size_t i = first; i < end; i++) {
		double away = values[i] - level.mean;

		if (isnan(values[i]))
			continue;
		level.mean += away / ++level.count;
		level.squares += away * (values[i] - level.mean);
	}
	return level;
}

/* p of Welch's test (1947). Few values know their variance badly: three of the common one are added. */
static double welch_p(const struct perun_value_series *series, size_t first, size_t at, size_t end,
		      double correlation)
{
	struct level one = level_of(series->values, first, at);
	struct level other = level_of(series->values, at, end);
	double count = one.count + other.count, pooled, error;

	if (one.count < 1 || other.count < 1 || count < 3)
		return 1;
	pooled = 3 * (one.squares + other.squares) / (count - 2);
	error = (one.squares + pooled) / (one.count + 2) / one.count +
		(other.squares + pooled) / (other.count + 2) / other.count;
	/* Few values do not show how much they remember. */
	correlation = fmax(changepoint_unbiased(correlation, 3, (size_t)count), REMEMBERED);
	error *= (1 + correlation) / (1 - correlation);
	/* Without any spread every difference is one. */
	return error > 0 ? 2 * perun_student_cdf(-fabs(other.mean - one.mean) / sqrt(error),
						 count - 2)
			 : 0;
}

/* The measured values in [first, end); how many they are. */
static size_t take_measured(const double *values, size_t first, size_t end, double sign, double *to)
{
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		if (!isnan(values[i]))
			to[count++] = sign * values[i];
	}
	return count;
}

/* Of all pairs of a value before and one after, the share that is in the order of the levels. */
static double separation(const struct perun_value_series *series, size_t first, size_t at,
			 size_t end, bool rises)
{
	double *measured = perun_alloc((end - first) * sizeof *measured), sign = rises ? 1 : -1;
	size_t n = take_measured(series->values, first, at, sign, measured);
	size_t m = take_measured(series->values, at, end, sign, measured + n);
	struct sorted_samples samples;
	double pairs;

	sorted_samples_make(&samples, measured, n, measured + n, m);
	pairs = sorted_pairs_above(&samples);
	sorted_samples_free(&samples);
	perun_free(measured);
	return n * m > 0 ? pairs / (double)(n * m) : 0;
}

double changepoint_sharper_p(const struct perun_value_series *series, double correlation,
			     const struct perun_change_point *point)
{
	const size_t near = CHANGEPOINT_NEAR;
	size_t from = point->index - point->first > near ? point->index - near : point->first;
	size_t to = point->end - point->index > near ? point->index + near : point->end;

	if (separation(series, from, point->index, to, point->after > point->before) < SEPARATED)
		return point->p;
	return fmin(point->p, 2 * welch_p(series, from, point->index, to, correlation));
}
