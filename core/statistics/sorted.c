/* SPDX-License-Identifier: BSD-3-Clause */
/* Two samples that are sorted once. */
#include <config.h>

#include "core/statistics/sorted.h"

static double *in_order(const double *values, size_t count)
{
	double *sorted = perun_memdup(values, count * sizeof *sorted);

	perun_sort_doubles(sorted, count);
	return sorted;
}

void sorted_samples_make(struct sorted_samples *samples, const double *before, size_t before_count,
			 const double *after, size_t after_count)
{
	*samples = (struct sorted_samples){before,
					   after,
					   before_count,
					   after_count,
					   in_order(before, before_count),
					   in_order(after, after_count)};
}

void sorted_samples_free(struct sorted_samples *samples)
{
	perun_free(samples->one);
	perun_free(samples->other);
}

double sorted_pairs_above(const struct sorted_samples *samples)
{
	double above = 0;
	size_t below = 0;

	for (size_t i = 0; i < samples->after_count; i++) {
		while (below < samples->before_count && samples->one[below] < samples->other[i])
			below++;
		above += (double)below;
	}
	return above;
}
