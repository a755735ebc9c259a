/* SPDX-License-Identifier: BSD-3-Clause */
/* Count, sum, mean, standard deviation, least and greatest of numbers that come one by one. */
#ifndef AFPERF_TALLY_H
#define AFPERF_TALLY_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Sums of the distances from the first number, and of their squares (Chan, Golub and LeVeque,
 * "Algorithms for computing the sample variance", 1983: the shifted two-sum form). The first number is
 * one of those counted, so the squares are at most count + 1 times those around the mean: with the 64
 * bits of a long double what cancels out leaves enough digits of a double for 10^7 numbers.
 */
struct afperf_tally {
	uint64_t count, nans, infinities;
	bool fractions; /* not all were whole numbers of an integer type */
	long double origin, distance, square;
	long double least, greatest;
};

static inline void afperf_tally_add(struct afperf_tally *tally, long double value, bool integer)
{
	long double distance;

	tally->fractions |= !integer;
	tally->count++;
	if (!integer && !isfinite((double)value)) {
		if (isnan((double)value)) {
			tally->nans++;
			return;
		}
		tally->infinities++;
	}
	if (tally->count - tally->nans == 1)
		tally->least = tally->greatest = value;
	else if (value < tally->least)
		tally->least = value;
	else if (value > tally->greatest)
		tally->greatest = value;
	if (tally->infinities)
		return;
	if (tally->count - tally->nans == 1)
		tally->origin = value;
	distance = value - tally->origin;
	tally->distance += distance;
	tally->square += distance * distance;
}

/* Put the numbers of another tally in. */
void afperf_tally_merge(struct afperf_tally *tally, const struct afperf_tally *other);

struct afperf_summary {
	uint64_t count;
	bool integers;                        /* sum, min and max are whole */
	long double sum, mean, std, min, max; /* NaN: there is no finite result */
};
void afperf_tally_summary(const struct afperf_tally *tally, struct afperf_summary *summary);

#endif
