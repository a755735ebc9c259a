/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks as a tree of their distinct paths; for the files of this folder. */
#ifndef PERUN_CORE_CALLGRAPH_PATHS_H
#define PERUN_CORE_CALLGRAPH_PATHS_H

#include "core/callgraph/stacks.h"

/*
 * Stacks have most of their way from the root in common: a million samples of 18 locations are a million paths, so that
 * what is counted path by path takes a small part of the time that it takes stack by stack. A path is a beginning of a
 * stack, of any length; those that go on from it follow it without a gap.
 */
struct perun_path {
	uint32_t depth; /* locations before this one */
	uint32_t
		met; /* its place in the order in which the stacks meet paths, each from its root */
	perun_id location;
};

struct perun_paths {
	struct perun_path *items;
	uint32_t count;
	int64_t *sums; /* of path i [i * weights, (i + 1) * weights): of all stacks that begin so */
	perun_id *locations; /* in the order in which they are met */
	size_t location_count;
	size_t end; /* of the stacks that are in it: the number after the last */
};

/* Threads that gather paths, each from its part of the stacks. */
enum { PERUN_PATH_PARTS = 2 };

/* Whether there are nearly as many paths as locations in all stacks: to find them then takes longer than to count stacks. */
bool perun_stacks_are_apart(const struct perun_stacks *stacks);
/*
 * The paths of the live stacks from `first` on: of all, or of as many as fit into an amount of memory that does not grow with
 * them. They are in several parts, each of stacks after those of the part before; parts without stacks are empty. Returns the
 * number after the last stack. To be freed by perun_paths_clear(), each.
 */
size_t perun_paths_gather_parts(struct perun_paths paths[PERUN_PATH_PARTS],
				const struct perun_stacks *stacks, size_t first);
/*
 * The parts with the paths of all stacks, NULL when they are too many or the stacks have little in common. They stay with the
 * stacks until these change, for all graphs and trees.
 */
const struct perun_paths *perun_paths_of(const struct perun_stacks *stacks);
/* The same in one; false when there are none. To be freed by perun_paths_clear(). */
bool perun_paths_join(struct perun_paths *paths, const struct perun_stacks *stacks);
void perun_paths_clear(struct perun_paths *paths);

/* Whether the profile holds its stacks as a tree, and no filter has cut any of them (kept-paths.c). */
bool perun_paths_are_kept(const struct perun_stacks *stacks);
/* Their paths then: all of them. */
void perun_paths_take_kept(struct perun_paths *paths, const struct perun_stacks *stacks);

#endif
