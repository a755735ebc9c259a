/* SPDX-License-Identifier: BSD-3-Clause */
/* A change whose place is known from elsewhere. */
#ifndef PERUN_CORE_CHANGEPOINT_KNOWN_PLACE_H
#define PERUN_CORE_CHANGEPOINT_KNOWN_PLACE_H

#include <perun/lib/changepoint.h>

/*
 * Add a change of a series at `place` to those that were found, where its p, of this one place, is at most `level`, it `rises` (or
 * falls), and all that is asked of changes holds; `*added` becomes true then.
 */
int changepoint_add_known(struct perun_ctx *ctx, const struct perun_value_series *series,
			  const struct perun_change_options *options, double level, size_t place,
			  bool rises, struct perun_segmentation *changes, bool *added);

#endif
