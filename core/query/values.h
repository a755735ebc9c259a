/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a column by blocks, and sums of them; for the files of this folder. */
#ifndef PERUN_CORE_QUERY_VALUES_H
#define PERUN_CORE_QUERY_VALUES_H

#include <math.h>

#include "core/query/groups.h"

enum { PERUN_VALUE_BLOCK = 2048 };

/* The numbers of rows [row, row + count), which lie in one span; NaN for what is none. */
void perun_fill_doubles(const struct perun_column *column, size_t row, size_t count,
			double *values);

/* Neumaier's sum: what the additions lost is kept aside. */
struct perun_total {
	double sum, lost;
};
static inline void perun_total_add(struct perun_total *total, double value)
{
	double sum = total->sum + value;

	if (fabs(total->sum) >= fabs(value))
		total->lost += (total->sum - sum) + value;
	else
		total->lost += (value - sum) + total->sum;
	total->sum = sum;
}
static inline double perun_total(const struct perun_total *total)
{
	double sum = total->sum + total->lost;

	return isfinite(total->sum) ? sum : total->sum; /* the lost part of an infinity is NaN */
}

/* median, quantile, nunique. */
int perun_aggregate_ordered(struct perun_ctx *ctx, const struct perun_groups *groups,
			    const struct perun_column *column, double quantile, double *values);
int perun_aggregate_nunique(struct perun_ctx *ctx, const struct perun_groups *groups,
			    const struct perun_column *column, double *values);

#endif
