/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees from the root: made from the paths that stacks have in common. */
#include <stdlib.h>
#include <string.h>

#include "core/callgraph/tree.h"
#include "core/context/context.h"

/* ---- paths ------------------------------------------------------------------------------------ */

static uint32_t *find_ends(const struct perun_paths *paths)
{
	uint32_t *ends = perun_alloc_large(((size_t)paths->count + 1) * sizeof *ends);
	uint32_t *open = NULL; /* by depth */
	size_t count = 0, capacity = 0;

	for (uint32_t i = 0; i < paths->count; i++) {
		while (count > paths->items[i].depth)
			ends[open[--count]] = i;
		PERUN_GROW(open, count, capacity);
		open[count++] = i;
	}
	while (count > 0)
		ends[open[--count]] = paths->count;
	perun_free(open);
	return ends;
}

static bool is_hidden(const struct perun_calltree *tree, uint32_t path)
{
	return perun_stacks_hidden(tree->stacks, tree->paths.items[path].location);
}

/* ---- entries ---------------------------------------------------------------------------------- */

static void add_entry(struct perun_calltree *tree, size_t *count, struct perun_tree_entry entry)
{
	PERUN_GROW(tree->scratch, *count, tree->scratch_capacity);
	tree->scratch[(*count)++] = entry;
}

/* The paths [first, end) that no other of them begins with; what follows a hidden location takes its place. */
static void add_paths(struct perun_calltree *tree, size_t *count, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end;) {
		if (is_hidden(tree, i)) {
			i++;
			continue;
		}
		add_entry(tree, count, (struct perun_tree_entry){.number = i});
		i = tree->path_ends[i];
	}
}

static int compare_met(const void *a, const void *b, void *data)
{
	const struct perun_path *items = data;
	uint32_t x = items[((const struct perun_tree_entry *)a)->number].met;
	uint32_t y = items[((const struct perun_tree_entry *)b)->number].met;

	return x < y ? -1 : x > y;
}

/* Frames and nodes are numbered in the order in which the stacks meet them. */
static void sort_met(struct perun_calltree *tree, size_t count)
{
	const struct perun_path *items = tree->paths.items;

	for (size_t i = 1; i < count; i++) {
		if (items[tree->scratch[i - 1].number].met > items[tree->scratch[i].number].met) {
			qsort_r(tree->scratch, count, sizeof *tree->scratch, compare_met,
				(void *)items);
			return;
		}
	}
}

static size_t replace_entries(struct perun_calltree *tree, size_t first, size_t count)
{
	if (first + count > tree->entry_capacity) {
		tree->entry_capacity = (first + count) * 2;
		tree->entries = perun_realloc_array(tree->entries, tree->entry_capacity,
						    sizeof *tree->entries);
	}
	sort_met(tree, count);
	if (count)
		memcpy(tree->entries + first, tree->scratch, count * sizeof *tree->entries);
	return first + count;
}

size_t perun_tree_expand(struct perun_calltree *tree, const struct perun_tree_task *task)
{
	size_t count = 0;

	for (size_t i = task->first; i < task->end; i++) {
		const struct perun_tree_entry *entry = &tree->entries[i];
		uint32_t path = entry->number, lines = 0;

		if (entry->line)
			perun_frames_of(&tree->frames, tree->paths.items[path].location, &lines);
		if (entry->line == lines && entry->line)
			add_paths(tree, &count, path + 1, tree->path_ends[path]);
		else
			add_entry(tree, &count, *entry);
	}
	return replace_entries(tree, task->first, count);
}

void perun_tree_next(struct perun_calltree *tree, struct perun_tree_entry *entry, bool *inlined)
{
	uint32_t count;
	const uint32_t *frames =
		perun_frames_of(&tree->frames, tree->paths.items[entry->number].location, &count);

	entry->frame = frames[count - 1 - entry->line];
	*inlined = entry->line > 0;
	entry->line++;
}

/* A path goes on to one stack alone if the last that begins so has all of its locations, and what it weighs. */
bool perun_tree_is_chain(struct perun_calltree *tree, const struct perun_tree_entry *entry,
			 size_t *frames)
{
	const struct perun_path *items = tree->paths.items;
	uint32_t path = entry->number, end = tree->path_ends[path], count;

	if (items[end - 1].depth - items[path].depth != end - 1 - path ||
	    memcmp(tree->values + path * tree->weights, tree->values + (end - 1) * tree->weights,
		   tree->weights * sizeof *tree->values) != 0)
		return false;
	*frames = 0;
	for (uint32_t i = path; i < end; i++) {
		perun_frames_of(&tree->frames, items[i].location, &count);
		*frames += count;
	}
	*frames -= entry->line;
	return true;
}

/* ---- the beginning ---------------------------------------------------------------------------- */

bool perun_tree_begin_paths(struct perun_calltree *tree, size_t *count)
{
	if (!perun_paths_join(&tree->paths, tree->stacks))
		return false;
	tree->by_path = true;
	tree->values = tree->paths.sums;
	tree->path_ends = find_ends(&tree->paths);
	*count = 0;
	add_paths(tree, count, 0, tree->paths.count);
	*count = replace_entries(tree, 0, *count);
	return true;
}
