/* SPDX-License-Identifier: BSD-3-Clause */
/* What strands that were measured together in two sessions say of how far the machine moved each of them between these. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/statistics/family.h"

/* Fewer may all have changed, and say little of each other. */
#define MIN_FAMILY 6
/* A change is this many deviations away from none. */
#define RARE 3
/* The size that this part of them does not exceed, a third more than half: calm ones hide how far the others moved. */
#define CALM    0.7
#define BY_CALM 0.965
/* Sessions are at most this many times as far from each other as the runs of one are. */
#define BY_SPREAD 2

double family_spread(const double *runs, size_t count)
{
	double middle = perun_median(runs, count), squares = 0, sum = 0, mean;

	if (count < 2 || !(middle > 0))
		return 0;
	for (size_t i = 0; i < count; i++)
		sum += runs[i];
	mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (runs[i] - mean) * (runs[i] - mean);
	return sqrt(squares / (double)(count - 1)) / middle;
}

double family_floor(const double *changes, const double *spreads, size_t count)
{
	double *sizes, moved;

	if (count < MIN_FAMILY)
		return 0;
	sizes = perun_alloc(count * sizeof *sizes);
	for (size_t i = 0; i < count; i++)
		sizes[i] = fabs(changes[i]);
	moved = perun_select_in_place(sizes, count, (size_t)(CALM * (double)count));
	perun_free(sizes);
	return fmin(FAMILY_FARTHEST,
		    RARE * fmin(BY_CALM * moved, BY_SPREAD * perun_median(spreads, count)));
}

double family_share(double floor, bool more)
{
	return more ? expm1(floor) : -expm1(-floor);
}
