/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile measured, in a few numbers: repeats and their spread, memory, the costliest functions. */
#ifndef PERUN_VIEWS_SUMMARY_MEASURED_H
#define PERUN_VIEWS_SUMMARY_MEASURED_H

#include <perun/lib/history.h>

/* Repeats of one metric at one place. */
struct measured {
	char *name, *unit; /* "time(real)", "BenchmarkParse time(real)" */
	double *values;    /* in their order */
	size_t count;
	/*
	 * `deviation` is the median absolute deviation, made comparable with a standard deviation
	 * (P. Rousseeuw, C. Croux, "Alternatives to the median absolute deviation", JASA 88 (1993)).
	 */
	double median, deviation, least, greatest;
	/* Values more than 3.5 deviations and 2 % away from the median, as the collector time counts them. */
	size_t outliers;
};

/* All values of a profile that are repeats, or single numbers where nothing is sampled. Freed with measured_free(). */
int measured_of(struct perun_ctx *ctx, struct perun_profile *profile, const char *metric,
		struct measured **items, size_t *count);
void measured_free(struct measured *items, size_t count);
/* How many of the values lie in each of `bins` equal parts from the least to the greatest. */
void measured_bins(const struct measured *item, size_t *counts, size_t bins);

#endif
