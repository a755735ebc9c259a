/* SPDX-License-Identifier: BSD-3-Clause */
/* Two samples that are sorted once, whatever is asked of their order. Internal. */
#ifndef PERUN_CORE_STATISTICS_SORTED_H
#define PERUN_CORE_STATISTICS_SORTED_H

#include <perun/lib/statistics.h>

struct sorted_samples {
	const double *before, *after; /* as they were given; borrowed */
	size_t before_count, after_count;
	double *one, *other; /* the same in order; of sorted_samples_free() */
};

void sorted_samples_make(struct sorted_samples *samples, const double *before, size_t before_count,
			 const double *after, size_t after_count);
void sorted_samples_free(struct sorted_samples *samples);
/* perun_hodges_lehmann() of these. */
void sorted_shift(const struct sorted_samples *samples, double confidence, double inflation,
		  struct perun_shift *result);
/* perun_mann_whitney_below() of these. */
void sorted_ranks(const struct sorted_samples *samples, double doubtful,
		  struct perun_mann_whitney *result);
/* How many pairs of both have the value after above the one before. */
double sorted_pairs_above(const struct sorted_samples *samples);

#endif
