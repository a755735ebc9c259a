/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much one of two samples is moved to lie best over the other. */
#ifndef PERUN_CORE_STATISTICS_ALIGNMENT_H
#define PERUN_CORE_STATISTICS_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Alignment looks at all differences: of samples with more of them than this it is not asked for. */
#define MAX_ALIGNMENT 1600

/* Differences up to this many steps away count for one, too. */
#define ALIGNMENT_WINDOW 6

/* Values counted in steps, fine enough for the noise that most of them have. */
struct alignment {
	/* Of each value, in steps; those that are too far apart may be less so. NULL when too many are equal. */
	int32_t *places;
	int16_t *second;       /* room for how many values of the second sample are at each place */
	size_t room;           /* of that */
	const int16_t **about; /* and for where those about each value of the first one begin */
	double step;           /* as a difference of values */
	float kernel[ALIGNMENT_WINDOW + 1]; /* for how much those count that are so far away */
	size_t count;
};

/* Steps of `count` values (borrowed) of both samples; freed by alignment_end. */
void alignment_begin(const double *values, size_t count, struct alignment *alignment);
void alignment_end(struct alignment *alignment);

/*
 * The logarithm of how many more differences of both samples lie about the most frequent one than about
 * 0, and that difference, as a value (`shift` may be NULL). `second[i]`: value i is of the second sample.
 *
 * The number of differences about d is the correlation of both samples' densities, estimated by a kernel,
 * when one of them is moved by d (the mode of pairwise differences): neither outliers nor a second mode,
 * however often either sample visits it, move its most frequent place.
 */
double alignment_gain(struct alignment *alignment, const bool *second, double *shift);

#endif
