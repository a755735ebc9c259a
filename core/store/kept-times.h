/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of samples in formats that have labels only; private to core/store. */
#ifndef PERUN_CORE_STORE_KEPT_TIMES_H
#define PERUN_CORE_STORE_KEPT_TIMES_H

#include <perun/profile.h>

/* What the column and the label are called in which a time is, as whole nanoseconds. */
#define PERUN_KEPT_TIMES "time"

/* Whether the rows have times that the format pprof keeps as such labels. */
bool perun_has_kept_times(const struct perun_profile *profile);
/*
 * Make the column of such labels again, in the place of `*profile`, and cells of metrics absent that are 0 because that
 * format has no absent ones.
 */
int perun_restore_kept_times(struct perun_ctx *ctx, struct perun_profile **profile);

#endif
