/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the last value of a series may be a change, of one that grows value by value. Internal. */
#ifndef PERUN_CORE_CHANGEPOINT_LAST_STEP_H
#define PERUN_CORE_CHANGEPOINT_LAST_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perun_value_series;

/* A bound of a median: at least half of `count` numbers, and some more, are not below it. */
struct changepoint_bound {
	double least; /* 0 = nothing is known */
	uint32_t count, larger;
};

/*
 * What a series shows so far: as much as the last value needs. Levels and jumps have several values on each side, so a
 * change at the last value is a step of changepoint_repeats(). That exceeds what neighbours differ by, which is the lower
 * median of their differences, and the error of a value, of which the median distance of repeats from their value says
 * how large it is at least. Both medians take all values; bounds of them grow value by value.
 */
struct changepoint_so_far {
	double last[3]; /* the newest first; NaN = there are fewer */
	double lowest, highest;
	struct changepoint_bound steps;     /* of logarithms where all values are positive */
	struct changepoint_bound distances; /* as shares of their value where all are positive */
	uint32_t count;                     /* values */
	uint64_t repeats;
};
/* Of all values of a series; NULL = none yet. */
void changepoint_so_far_start(struct changepoint_so_far *so_far,
			      const struct perun_value_series *series);
/* One more value, the median of its repeats. */
void changepoint_so_far_add(struct changepoint_so_far *so_far, double value, const double *repeats,
			    size_t count);
/*
 * Whether perun_find_changes() by its default method may find a change at the last value; false is certain. `exact` as in
 * struct perun_value_series; values are no counts of samples.
 */
bool changepoint_may_end_in_step(const struct changepoint_so_far *so_far, bool exact);

#endif
