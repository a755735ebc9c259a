/* SPDX-License-Identifier: BSD-3-Clause */
/* A change whose place is known from elsewhere. */
#ifndef PERUN_CORE_CHANGEPOINT_KNOWN_PLACE_H
#define PERUN_CORE_CHANGEPOINT_KNOWN_PLACE_H

#include <perun/lib/changepoint.h>

struct changepoint_known {
	size_t place; /* in the series */
	bool rises;
	double p; /* of what shows the same there; 1 = nothing but the place is known */
};

/*
 * Add a known change to those of a series, where its p at this one place, or that of what shows the same, is at most `level`, and all
 * that is asked of changes holds; `*added` becomes true then.
 */
int changepoint_add_known(struct perun_ctx *ctx, const struct perun_value_series *series,
			  const struct perun_change_options *options, double level,
			  const struct changepoint_known *known, struct perun_segmentation *changes,
			  bool *added);

#endif
