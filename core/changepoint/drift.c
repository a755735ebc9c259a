/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a drift begins, and where it ends. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* A median represents this many values; up to this many medians are inspected. */
#define VALUES  5
#define MEDIANS 120
/* A drift shorter than this share of the series is not a slow one. */
#define MIN_SHARE 0.2

double changepoint_drift_at(const struct changepoint_drift *drift, size_t i)
{
	return (double)(i < drift->from ? drift->from : i > drift->to ? drift->to : i);
}

/* Sums before each median: of medians, and of medians times their place. */
struct ramps {
	double one[MEDIANS + 1], product[MEDIANS + 1], square;
	size_t count;
};

static void take_medians(struct ramps *ramps, const double *values, size_t count)
{
	double middle = perun_median(values, count);

	*ramps = (struct ramps){.count = count / VALUES < MEDIANS ? count / VALUES : MEDIANS};
	for (size_t i = 0; i < ramps->count; i++) {
		size_t first = i * count / ramps->count, end = (i + 1) * count / ramps->count;
		double value = perun_median(values + first, end - first) - middle;

		ramps->one[i + 1] = ramps->one[i] + value;
		ramps->product[i + 1] = ramps->product[i] + (double)i * value;
		ramps->square += value * value;
	}
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

void changepoint_find_drift(const double *values, size_t count, struct changepoint_drift *drift)
{
	struct ramps ramps;
	double least = INFINITY, width;
	size_t shortest;

	take_medians(&ramps, values, count);
	*drift = (struct changepoint_drift){.to = count};
	if (ramps.count < 8)
		return;
	width = (double)count / (double)ramps.count;
	shortest = (size_t)ceil(MIN_SHARE * (double)ramps.count);
	for (size_t from = 0; from + shortest <= ramps.count; from++) {
		for (size_t to = from + shortest; to <= ramps.count; to++) {
			double slope, left = left_by(&ramps, from, to, &slope);
			double knots = (from > 0) + (to < ramps.count);

			left = (double)ramps.count * log(fmax(left, 1e-300)) +
			       2 * knots * log((double)ramps.count);
			if (left < least) {
				least = left;
				*drift = (struct changepoint_drift){.slope = slope / width,
								    .from = from * count /
									    ramps.count,
								    .to = to * count / ramps.count};
			}
		}
	}
}
