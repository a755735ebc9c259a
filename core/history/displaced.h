/* SPDX-License-Identifier: BSD-3-Clause */
/* Single sessions that a busy machine displaced: values that left their level and came back at the next version. */
#ifndef PERUN_CORE_HISTORY_DISPLACED_H
#define PERUN_CORE_HISTORY_DISPLACED_H

#include <perun/lib/history.h>

/*
 * How far sessions of strands that were measured together, over the same versions, are displaced, as a logarithm: what the largest
 * displacement of a version exceeds in one of ten versions, and in two at least, by a margin. 0 = it is not known that any was.
 *
 * Where other programs share a core with a benchmark for a second or two, all its runs are alike, and it alone of many takes 1.4
 * times as long: nothing in the session shows it. That others were displaced in other sessions says that a level of a single
 * session, as the latest one is, may be no more.
 */
double history_displaced_floor(const struct perun_strand *const *strands, size_t count);

#endif
