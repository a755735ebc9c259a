/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a profile that filters left; for the files of this folder. */
#ifndef PERUN_CORE_CALLGRAPH_STACKS_H
#define PERUN_CORE_CALLGRAPH_STACKS_H

#include "perun/lib/callgraph.h"

/* The lines of a location that are left. */
struct perun_left_lines {
	const struct perun_line *lines;
	uint32_t count;
	bool hidden; /* no sample passes through it any more */
	bool owned;  /* `lines` is to be freed */
};

/* Locations [first, end) of a stack; none when it was dropped, which is not the same as empty. */
struct perun_cut {
	uint32_t first, end;
};
#define PERUN_CUT_DROPPED UINT32_MAX /* as `first` */

struct perun_stacks {
	struct perun_profile *profile;
	const struct perun_column *column; /* of the stacks */
	const struct perun_column *labels; /* or NULL */
	const struct perun_table *calls;   /* callers and callees, where stacks are not known */
	size_t rows, stack_count, location_count;
	struct perun_left_lines *lines; /* by location; NULL: as the profile has them */
	struct perun_cut *cuts;         /* by stack; NULL: as the profile has them */
	uint64_t *kept;                 /* rows; NULL = all */
	/* Weights: of stack s the values [s * weights, (s + 1) * weights). */
	size_t weights;
	const struct perun_column *weighed[PERUN_WEIGHTS]; /* NULL: not all of its rows */
	int64_t *sums;
	uint64_t *live; /* stacks with a sample of which some weight is not 0 */
	double scale[PERUN_WEIGHTS];
	const struct perun_column
		*surveyed; /* the last column of fractions, and what its values are multiplied by */
	double factor;
	int64_t sum[PERUN_WEIGHTS], absolute[PERUN_WEIGHTS];
	struct perun_paths *paths; /* made when a graph or a tree first needs them (paths.h) */
	/* How much of their way from the root stacks share, as some of them show (paths.c). */
	enum { PERUN_COMMON_UNKNOWN, PERUN_COMMON_MUCH, PERUN_COMMON_LITTLE } common;
};

/* The cut of a stack; false when it was dropped. */
bool perun_stacks_cut(const struct perun_stacks *stacks, perun_id stack, size_t *first,
		      size_t *end);
/* Whether a stack has weight; its cut, if so. */
static inline bool perun_stacks_live(const struct perun_stacks *stacks, size_t i, size_t *first,
				     size_t *end)
{
	return perun_bit(stacks->live, i) && perun_stacks_cut(stacks, (perun_id)i, first, end);
}
/* Whoever changes stacks or what they weigh calls this (paths.c). */
void perun_stacks_forget_paths(struct perun_stacks *stacks);
/* What filters change: made from the profile when it is first needed. */
struct perun_left_lines *perun_stacks_own_lines(struct perun_stacks *stacks);
struct perun_cut *perun_stacks_own_cuts(struct perun_stacks *stacks);
/* Leave of a location's lines only `count`, from `lines` (part of what is left, or `owned`). */
void perun_stacks_set_lines(struct perun_stacks *stacks, perun_id location,
			    const struct perun_line *lines, size_t count, bool owned);

/* As perun_stacks_lines(), of a location as the profile has it. */
const struct perun_line *perun_stacks_lines_of(const struct perun_stacks *stacks, perun_id id,
					       const struct perun_location *location,
					       size_t *count);

static inline void perun_add_weights(int64_t *to, const int64_t *values, size_t weights)
{
	for (size_t i = 0; i < weights; i++)
		to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)values[i]);
}

/* All locations of a stack, also those that were cut. */
static inline const perun_id *perun_stacks_locations(const struct perun_stacks *stacks, perun_id id)
{
	size_t count;

	return perun_profile_stack(stacks->profile, id, &count);
}

/* The locations of a stack that count, the leaf first; NULL: it has no weight, or was dropped. */
static inline const perun_id *perun_stacks_live_locations(const struct perun_stacks *stacks,
							  size_t i, size_t *length)
{
	size_t first = 0, end;
	const perun_id *locations;

	if (!perun_bit(stacks->live, i))
		return NULL;
	locations = perun_profile_stack(stacks->profile, (perun_id)i, &end);
	if (stacks->cuts && !perun_stacks_cut(stacks, (perun_id)i, &first, &end))
		return NULL;
	*length = end - first;
	return locations + first;
}

static inline bool perun_stacks_hidden(const struct perun_stacks *stacks, perun_id location)
{
	return stacks->lines && stacks->lines[location].hidden;
}

#endif
