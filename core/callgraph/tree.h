/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree while it is built; for the files of this folder. */
#ifndef PERUN_CORE_CALLGRAPH_TREE_H
#define PERUN_CORE_CALLGRAPH_TREE_H

#include "core/callgraph/frames.h"
#include "core/callgraph/paths.h"

/* A stack, or a path of which many stacks consist, while it is sorted: which frame comes next. */
struct perun_tree_entry {
	const perun_id
		*at; /* of a stack: the location that comes next; of a kept one, that of its path */
	uint32_t left;   /* of a stack: frames that were not taken */
	uint32_t line;   /* lines of the location that were taken */
	uint32_t number; /* of the stack, or the path */
	uint32_t frame;  /* of this level */
};

struct perun_tree_group {
	uint32_t frame;
	bool inlined, small;
	size_t count, start;
};

/* Entries [first, end) below a node; `counting`: only add their nodes to its `merged`. */
struct perun_tree_task {
	size_t first, end;
	uint32_t node;
	bool counting;
};

struct perun_calltree {
	const struct perun_stacks *stacks;
	struct perun_tree_options options;
	struct perun_frames frames;
	size_t weights;
	struct perun_tree_node *nodes;
	size_t count, capacity;
	int64_t *self, *total; /* while it is built: all weights of a node side by side */
	/* Only while it is built, which ends when it is freed if it is on demand: */
	struct perun_tree_entry *entries, *scratch;
	size_t entry_capacity, scratch_capacity;
	/* Stacks that the profile keeps as a tree are followed there from their leaves on: no arrays are made of them. */
	const struct perun_stack_tree *kept; /* NULL: they are arrays */
	uint32_t *kept_frames;               /* of each of its paths: frames up to its root */
	uint32_t *
		kept_functions; /* and the first one, from it on, that has the function asked for */
	bool by_path;           /* entries are paths of all stacks */
	struct perun_paths paths;      /* by_path */
	uint32_t *path_ends;           /* of each path: the first after it that does not begin so */
	const int64_t *values;         /* what entries weigh */
	uint32_t *line_counts;         /* frames of each location */
	struct perun_tree_task *tasks; /* on demand: by node, empty where children were made */
	size_t task_count, task_capacity;
	uint32_t *group_of; /* of frames, + 1 */
	size_t frame_capacity;
	uint8_t *known; /* of frames: 1: the function asked for, 2: another */
	size_t known_capacity;
	struct perun_tree_group *groups;
	size_t group_count, group_capacity;
	int64_t *sums;       /* of groups */
	uint64_t *absolutes; /* of groups, of the absolute values */
	double least[PERUN_WEIGHTS];
};

/*
 * Begin with the paths of all stacks in place of the stacks, so that each path is sorted once, not each stack at each of its
 * levels. `count`: entries; false when there are more paths than are kept in memory.
 */
bool perun_tree_begin_paths(struct perun_calltree *tree, size_t *count);
/* Put the paths that go on from those of a task in their place; returns their new end. */
size_t perun_tree_expand(struct perun_calltree *tree, const struct perun_tree_task *task);
/* Take the next frame of a path of which perun_tree_expand() left some. */
void perun_tree_next(struct perun_calltree *tree, struct perun_tree_entry *entry, bool *inlined);
/* Whether only one stack goes on from an entry: the frames that it still has, if so. */
bool perun_tree_is_chain(struct perun_calltree *tree, const struct perun_tree_entry *entry,
			 size_t *frames);

#endif
