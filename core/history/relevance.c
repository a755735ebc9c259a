/* SPDX-License-Identifier: BSD-3-Clause */
/* Real times that changed since a machine was busy: as a comparison of two versions decides it (core/compare). */
#include <math.h>
#include <string.h>

#include "core/history/history.h"

/* A benchmark whose real time is this many times its processor time waits by its nature. */
#define WAITS 2

static void drop(struct perun_segmentation *changes, size_t i)
{
	changes->count--;
	memmove(changes->points + i, changes->points + i + 1,
		(changes->count - i) * sizeof *changes->points);
}

static const struct perun_strand *find_cpu(const struct perun_history *history,
					   const struct perun_strand *real)
{
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		if (strcmp(strand->metric, "time(cpu)") == 0 &&
		    strcmp(strand->location, real->location) == 0 &&
		    strcmp(strand->command, real->command) == 0 &&
		    strcmp(strand->machine, real->machine) == 0)
			return strand;
	}
	return history->clocks ? find_cpu(history->clocks, real) : NULL;
}

/* Real times that changed where processor times did not: the machine was busy. */
static bool was_busy(const struct perun_history *history, const struct perun_strand *strand,
		     const struct perun_change_point *point)
{
	const struct perun_strand *cpu =
		strcmp(strand->metric, "time(real)") == 0 ? find_cpu(history, strand) : NULL;

	if (!cpu || point->index >= cpu->count ||
	    strand->values[point->index] >= WAITS * cpu->values[point->index])
		return false;
	for (size_t i = 0; i < cpu->changes->count; i++) {
		if (cpu->changes->points[i].index == point->index)
			return false;
	}
	return true;
}

void perun_history_drop_irrelevant(struct perun_history *history)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = builder->changes.count; i-- > 0;) {
			if (was_busy(history, &builder->strand, &builder->changes.points[i]))
				drop(&builder->changes, i);
		}
	}
}
