/* SPDX-License-Identifier: BSD-3-Clause */
/* How values of repeated measurements are spread: quartiles, whiskers, outliers, density. */
#ifndef PERUN_VIEWS_COMMON_CHART_SPREAD_H
#define PERUN_VIEWS_COMMON_CHART_SPREAD_H

#include "views/common/chart-table.h"

struct views_spread {
	size_t count;
	double *values;      /* in ascending order */
	uint32_t *rows;      /* where they are, in the same order */
	double quartiles[5]; /* least, q1, median, q3, greatest; linear between neighbours */
	/* The outermost values within 1.5 times the interquartile range of the box (Tukey 1977). */
	size_t first, end; /* values[first] to values[end - 1]; the others are outliers */
};
/* Of the values of one category. `count` may be 0. */
void views_spread_of(const struct views_table *table, const double *values,
		     const struct views_categories *categories, size_t category,
		     struct views_spread *spread);
void views_spread_clear(struct views_spread *spread);
/*
 * "2 outliers: 9.1 ms (order 7), 8.2 ms (order 3)": the farthest first, at most three; nothing without. A
 * row is named by its key "order" if there is one, else by its number from 1 on.
 */
void views_spread_add_outliers(const struct views_table *table, const struct views_spread *spread,
			       const char *unit, struct perun_buffer *out);
/*
 * The number of bins that suit the values: the greater of what Sturges (1926) and Freedman and Diaconis
 * (1981) say, as NumPy's "auto"; at most 200.
 */
size_t views_spread_bins(const struct views_spread *spread);
/* The bandwidth of a Gaussian kernel by Silverman's rule (1986); 0 when all values are equal. */
double views_spread_bandwidth(const struct views_spread *spread);
/* The density at x by a Gaussian kernel. */
double views_spread_density(const struct views_spread *spread, double bandwidth, double x);

#endif
