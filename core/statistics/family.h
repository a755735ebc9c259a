/* SPDX-License-Identifier: BSD-3-Clause */
/* What strands that were measured together in two sessions say of how far the machine moved each of them between these. */
#ifndef PERUN_CORE_STATISTICS_FAMILY_H
#define PERUN_CORE_STATISTICS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

/* A machine moves a strand by a factor of three at most, as a logarithm. */
#define FAMILY_FARTHEST 1.1

/* How far the runs of one session are from each other, as a share of their median; 0 = unknown. */
double family_spread(const double *runs, size_t count);
/*
 * What a change of one of `count` strands has to exceed, as a logarithm; 0 = they are too few to know. `changes` are
 * the logarithms of the ratios of their medians, `spreads` the larger spread of the two sessions of each.
 *
 * A busy machine moves each strand of a session by another factor, which its runs, all within a second, do not
 * show: of 13,000 pairs of six runs of an unchanged Go benchmark beside builds of other programs, 18 % did not overlap.
 * What most strands moved by says how far; as a commit may have changed most of them, no more counts than the runs
 * themselves make likely: on a quiet machine, where they are alike, next to nothing.
 */
double family_floor(const double *changes, const double *spreads, size_t count);
/* The same as a share of the level before, of a change to more or to less. */
double family_share(double floor, bool more);

#endif
