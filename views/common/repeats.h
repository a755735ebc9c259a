/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that repeat a measurement: what is measured is their median, not their sum. */
#ifndef PERUN_VIEWS_COMMON_REPEATS_H
#define PERUN_VIEWS_COMMON_REPEATS_H

#include <stdbool.h>

#include <perun/query.h>

/* Whether rows of a profile are numbered repeats of measurements. */
bool views_has_repeats(const struct perun_table *resources);

/* How often something was measured, and how far one run is from the median of all, as a share. */
struct views_repeats {
	size_t least, most; /* runs of a uid; 0 = there are none */
	double spread;      /* the median over all uids; NaN = nothing was measured twice */
};

/*
 * What each row contributes where the values of a uid, in a case of a sweep, are repeats: its part of their median, so that
 * the rows of each uid add up to it. `selection` of rows, NULL = all; those outside get NaN. The list is the caller's;
 * NULL in `values` = rows do not repeat anything. `repeats` may be NULL.
 */
int views_share_medians(struct perun_ctx *ctx, const struct perun_metric *metric,
			const uint64_t *selection, double **values, struct views_repeats *repeats);

/*
 * What metrics of a profile are in all: the sum of their values, or of medians where they are repeats. Rows are grouped once
 * for all of them; the profile must live as long. Clear it also after a failure.
 */
struct views_levels {
	struct perun_groups *groups; /* NULL = rows do not repeat anything */
	size_t *ends;                /* scratch */
};
int views_levels_of(struct perun_ctx *ctx, const struct perun_profile *profile,
		    struct views_levels *levels);
long double views_level(struct views_levels *levels, const struct perun_metric *metric);
void views_levels_clear(struct views_levels *levels);

#endif
