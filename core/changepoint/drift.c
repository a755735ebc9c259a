/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a drift begins, and where it ends. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* A median represents this many values; up to this many medians are inspected. */
#define VALUES  5
#define MEDIANS 120
/* Both ends are then placed among the values next to them, in this many steps to either side. */
#define STEPS 10
/* A drift shorter than this share of the series is not a slow one. */
#define MIN_SHARE 0.2

/* Sums before each value: of values, and of values times their place. */
struct ramps {
	double *one, *product, square;
	size_t count;
};

static struct ramps ramps_new(size_t capacity)
{
	struct ramps ramps = {.one = perun_alloc((capacity + 1) * sizeof *ramps.one),
			      .product = perun_alloc((capacity + 1) * sizeof *ramps.product)};

	*ramps.one = *ramps.product = 0;
	return ramps;
}

static void ramps_free(struct ramps *ramps)
{
	perun_free(ramps->one);
	perun_free(ramps->product);
}

static void ramps_add(struct ramps *ramps, double value)
{
	size_t i = ramps->count++;

	ramps->one[i + 1] = ramps->one[i] + value;
	ramps->product[i + 1] = ramps->product[i] + (double)i * value;
	ramps->square += value * value;
}

static struct ramps take_medians(const double *values, size_t count)
{
	size_t medians = count / VALUES < MEDIANS ? count / VALUES : MEDIANS;
	struct ramps ramps = ramps_new(medians);
	double middle = perun_median(values, count);

	for (size_t i = 0; i < medians; i++) {
		size_t first = i * count / medians, end = (i + 1) * count / medians;

		ramps_add(&ramps, perun_median(values + first, end - first) - middle);
	}
	return ramps;
}

/* Each value, outliers from a drift limited. */
static struct ramps take_values(const double *values, size_t count,
				const struct changepoint_drift *drift)
{
	struct ramps ramps = ramps_new(count);
	double *rest = perun_alloc((count + 1) * sizeof *rest), level, limit;

	for (size_t i = 0; i < count; i++)
		rest[i] = values[i] - drift->slope * changepoint_drift_at(drift, i);
	level = perun_median(rest, count);
	limit = CHANGEPOINT_OUTLIER * PERUN_MAD_TO_SIGMA * perun_mad(rest, count, 0);
	for (size_t i = 0; i < count; i++)
		ramps_add(&ramps,
			  values[i] - rest[i] + changepoint_limited(rest[i] - level, limit));
	perun_free(rest);
	return ramps;
}

/* What is left of the squares by a line from `from` to `to`, level before and after it. */
static double left_by(const struct ramps *ramps, size_t from, size_t to, double *slope)
{
	double n = (double)ramps->count, a = (double)from, b = (double)to;
	double beyond = n - b, inner = b - a, sum = ramps->one[ramps->count];
	double x = a * a + inner * (a + b - 1) / 2 + beyond * b;
	double squares = a * a * a + beyond * b * b +
			 ((b - 1) * b * (2 * b - 1) - (a - 1) * a * (2 * a - 1)) / 6;
	double product = a * ramps->one[from] + ramps->product[to] - ramps->product[from] +
			 b * (sum - ramps->one[to]);

	squares -= x * x / n;
	product -= x * sum / n;
	*slope = squares > 0 ? product / squares : 0;
	return ramps->square - sum * sum / n - *slope * product;
}

/* What a drift leaves, and what its ends cost. */
static double cost_of(const struct ramps *ramps, size_t from, size_t to, double *slope)
{
	double knots = (from > 0) + (to < ramps->count);

	return (double)ramps->count * log(fmax(left_by(ramps, from, to, slope), 1e-300)) +
	       2 * knots * log((double)ramps->count);
}

/* Ends in the middle of what a median represents. An end of the series remains one. */
static void place_ends(const double *values, size_t count, size_t width,
		       struct changepoint_drift *drift)
{
	struct ramps ramps = take_values(values, count, drift);
	size_t step = width / STEPS + 1, from = drift->from, to = drift->to;
	size_t first[2] = {from > width ? from - width : from, from > 0 ? from + width : from};
	size_t last[2] = {to < count ? to - width : to, to + width < count ? to + width : to};
	double least = INFINITY, slope;

	for (size_t i = first[0]; i <= first[1]; i += step) {
		for (size_t j = last[0]; j <= last[1]; j += step) {
			double left = cost_of(&ramps, i, j, &slope);

			if (left < least) {
				least = left;
				*drift = (struct changepoint_drift){slope, i, j};
			}
		}
	}
	ramps_free(&ramps);
}

void changepoint_find_drift(const double *values, size_t count, struct changepoint_drift *drift)
{
	struct ramps ramps = take_medians(values, count);
	double least = INFINITY, width = (double)count / (double)ramps.count;
	size_t shortest = (size_t)ceil(MIN_SHARE * (double)ramps.count);

	*drift = (struct changepoint_drift){.to = count};
	for (size_t from = 0; ramps.count >= 8 && from + shortest <= ramps.count; from++) {
		for (size_t to = from + shortest; to <= ramps.count; to++) {
			double slope, left = cost_of(&ramps, from, to, &slope);

			if (left < least) {
				least = left;
				*drift = (struct changepoint_drift){.slope = slope / width,
								    .from = from * count /
									    ramps.count,
								    .to = to * count / ramps.count};
			}
		}
	}
	ramps_free(&ramps);
	if (drift->slope != 0)
		place_ends(values, count, (size_t)width, drift);
}
