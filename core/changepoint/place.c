/* SPDX-License-Identifier: BSD-3-Clause */
/* Where exactly a change is: the place where the values themselves fit the levels beside it best. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/changepoint/segments.h"

/* A share of outliers greater than this is none, but a second mode. */
#define OUTLIER_SHARE 0.12
/* Decides where nothing else does. */
#define NEARER 1e-3
/* How far a change is moved. */
#define REACH 60

/* Limited; of two levels that a value is far from, the nearer one is still a little better. */
static double loss(double away, double spread)
{
	away = fabs(away / spread);
	return fmin(away * away, CHANGEPOINT_OUTLIER * CHANGEPOINT_OUTLIER) + NEARER * away;
}

/* Put a change, within [from, to], where the values themselves fit their levels best, outliers limited. */
static size_t best_place(const double *values, size_t first, size_t at, size_t end, size_t from,
			 size_t to, double least_size)
{
	double before = perun_median(values + first, at - first);
	double after = perun_median(values + at, end - at), spread, sum = 0, least = INFINITY;
	double *away = perun_alloc((end - first) * sizeof *away);
	size_t far = 0;

	for (size_t i = first; i < end; i++)
		away[i - first] = values[i] - (i < at ? before : after);
	spread = PERUN_MAD_TO_SIGMA * perun_mad(away, end - first, 0);
	for (size_t i = 0; i < end - first; i++)
		far += fabs(away[i]) > CHANGEPOINT_OUTLIER * spread;
	perun_free(away);
	/* This many are not outliers, but a second mode, which says something as well. */
	if (!(spread > 0) || fabs(after - before) < least_size * spread ||
	    (double)far > OUTLIER_SHARE * (double)(end - first))
		return at;
	for (size_t i = first + 1; i < end && i <= to; i++) {
		sum += loss(values[i - 1] - before, spread) - loss(values[i - 1] - after, spread);
		if (i >= from && sum < least - 1e-9) {
			least = sum;
			at = i;
		}
	}
	return at;
}

bool changepoint_relocate(const double *values, size_t count, double least,
			  struct changepoint_list *list)
{
	bool moved = false;

	for (size_t i = 0; i < list->count; i++) {
		size_t first = i ? list->at[i - 1] : 0, at = list->at[i];
		size_t end = i + 1 < list->count ? list->at[i + 1] : count, from, to;

		from = first + (i ? CHANGEPOINT_RUN : CHANGEPOINT_EDGE);
		to = i + 1 < list->count ? CHANGEPOINT_RUN : CHANGEPOINT_EDGE;
		to = end - first > to ? end - to : first;
		first = at - first > REACH ? at - REACH : first;
		end = end - at > REACH ? at + REACH : end;
		/* Better levels with each better place. */
		for (unsigned round = 0; round < 3; round++) {
			at = best_place(values, first, list->at[i], end, from, to, least);
			if (at == list->at[i])
				break;
			list->at[i] = at;
			moved = true;
		}
	}
	return moved;
}
