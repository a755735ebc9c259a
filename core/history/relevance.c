/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the changes that were found say something: as a comparison of two versions decides it (core/compare). */
#include <math.h>
#include <string.h>

#include "core/history/history.h"

/* The least change of a function of stacks, as a share of everything: sampled, and exact. */
#define MIN_SHARE       0.01
#define MIN_EXACT_SHARE 0.005
/* A benchmark whose real time is so many times its processor time waits by its nature. */
#define WAITS 2

static void drop(struct perun_segmentation *changes, size_t i)
{
	changes->count--;
	memmove(changes->points + i, changes->points + i + 1,
		(changes->count - i) * sizeof *changes->points);
}

/* The strands of a metric of a command on a class of machine. */
static bool are_together(const struct perun_strand *one, const struct perun_strand *other)
{
	return strcmp(one->metric, other->metric) == 0 &&
	       strcmp(one->command, other->command) == 0 &&
	       strcmp(one->machine, other->machine) == 0;
}

/* What all functions cost at each version, of the strands of a metric that were asked about last. */
struct whole {
	const struct perun_strand *like;
	double *costs;
};

static double whole_at(const struct perun_history *history, const struct perun_strand *like,
		       size_t version, struct whole *whole)
{
	if (whole->like && are_together(whole->like, like))
		return whole->costs[version];
	perun_free(whole->costs);
	*whole = (struct whole){like,
				perun_alloc_zero(history->line->count + 1, sizeof *whole->costs)};
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		if (strand->whole || !are_together(strand, like))
			continue;
		for (size_t i = 0; i < strand->count; i++)
			whole->costs[i] += isnan(strand->values[i]) ? 0 : strand->values[i];
	}
	return whole->costs[version];
}

/* A function that hardly matters may change by any factor. */
static bool matters(const struct perun_history *history, const struct perun_strand *strand,
		    const struct perun_change_point *point, struct whole *cache)
{
	double least = strand->noise == PERUN_NOISE_EXACT ? MIN_EXACT_SHARE : MIN_SHARE;
	double whole;

	if (!strand->stacks || strand->whole)
		return true;
	whole = whole_at(history, strand, perun_last_measured_before(strand, point->index), cache);
	if (!(whole > 0))
		whole = whole_at(history, strand, point->index, cache);
	return fabs(point->after - point->before) >= least * whole;
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
	struct whole whole = {0};

	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = builder->changes.count; i-- > 0;) {
			const struct perun_change_point *point = &builder->changes.points[i];

			if (!matters(history, &builder->strand, point, &whole) ||
			    was_busy(history, &builder->strand, point))
				drop(&builder->changes, i);
		}
	}
	perun_free(whole.costs);
}
