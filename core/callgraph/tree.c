/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees: the stacks are sorted into groups of equal paths, level by level. */
#include <math.h>
#include <string.h>

#include "core/callgraph/tree.h"
#include "core/context/context.h"
#include "core/context/structs.h"
#include "core/profile/stack-tree.h"

/*
 * As a radix sort by the most significant digit does it, with frames as digits: the stacks of a node
 * lie together; each frame that follows makes a group, a child. Groups that are too small get no
 * node, only their nodes are counted, so that memory is bounded by the stacks and by the nodes that
 * are drawn, however many there are. From the root, stacks that begin alike are sorted as one, as far as
 * they do (tree-paths.c).
 */

#define UNKNOWN_PATH (PERUN_NO_NODE - 1)

static void take_weights(int64_t *from, const int64_t *values, size_t weights)
{
	for (size_t i = 0; i < weights; i++)
		from[i] = (int64_t)((uint64_t)from[i] - (uint64_t)values[i]);
}

static const int64_t *values_of(const struct perun_calltree *tree, size_t number)
{
	return tree->values + number * tree->weights;
}

/* ---- the next frame of a stack ---------------------------------------------------------------- */

static void next_path(const struct perun_calltree *tree, struct perun_tree_entry *entry)
{
	const struct perun_stack_path *path =
		(const void *)((const char *)entry->at -
			       offsetof(struct perun_stack_path, location));

	if (path->caller != PERUN_NO_NODE)
		entry->at = &tree->kept->nodes[path->caller].location;
}

static inline void next_location(const struct perun_calltree *tree, struct perun_tree_entry *entry)
{
	entry->line = 0;
	if (tree->kept)
		next_path(tree, entry);
	else
		entry->at += tree->options.inverted ? 1 : -1;
}

/* Take the frame at the entry's place and go on; false at the end of the stack. */
static inline bool next_frame(struct perun_calltree *tree, struct perun_tree_entry *entry,
			      bool *inlined)
{
	bool inverted = tree->options.inverted;

	for (; entry->left > 0; next_location(tree, entry)) {
		uint32_t number = tree->frames.of_location[*entry->at], count, line;
		const uint32_t *frames;

		if (number < FRAMES_MANY) {
			entry->frame = number;
			entry->left--;
			*inlined = false;
			next_location(tree, entry);
			return true;
		}
		frames = perun_frames_of(&tree->frames, *entry->at, &count);
		if (entry->line >= count) /* hidden */
			continue;
		line = inverted ? entry->line : count - 1 - entry->line;
		entry->frame = frames[line];
		entry->left--;
		/* From the leaves a caller follows what was inlined into it. */
		*inlined = inverted ? line > 0 : line + 1 < count;
		if (++entry->line >= count)
			next_location(tree, entry);
		return true;
	}
	return false;
}

/* Whether one stack alone goes on from an entry: the frames that are left of it, if so. */
static bool is_chain(struct perun_calltree *tree, const struct perun_tree_entry *entry,
		     size_t *frames)
{
	if (tree->by_path)
		return perun_tree_is_chain(tree, entry, frames);
	*frames = entry->left;
	return true;
}

/* ---- where stacks begin ----------------------------------------------------------------------- */

static bool has_name(const struct perun_calltree *tree, uint32_t frame)
{
	const struct perun_profile *profile = tree->stacks->profile;
	const struct perun_frame *it = &tree->frames.frames[frame];
	struct perun_buffer name = {0};
	bool same;

	if (it->name)
		return strcmp(perun_profile_string(profile, it->name, NULL),
			      tree->options.function) == 0;
	perun_frame_name(profile, it, &name);
	same = strcmp(name.data, tree->options.function) == 0;
	perun_buffer_free(&name);
	return same;
}

/* Whether a frame is the function asked for: compared once for each frame. */
static bool is_function(struct perun_calltree *tree, uint32_t frame)
{
	size_t old = tree->known_capacity;

	if (frame >= old) {
		tree->known_capacity = (size_t)frame * 2 + 64;
		tree->known = perun_realloc(tree->known, tree->known_capacity);
		memset(tree->known + old, 0, tree->known_capacity - old);
	}
	if (!tree->known[frame])
		tree->known[frame] = has_name(tree, frame) ? 1 : 2;
	return tree->known[frame] == 1;
}

static uint32_t count_frames(const struct perun_calltree *tree, const perun_id *locations,
			     size_t count)
{
	uint32_t frames = 0;

	for (size_t i = 0; i < count; i++)
		frames += tree->line_counts[locations[i]];
	return frames;
}

static bool has_function(struct perun_calltree *tree, perun_id location)
{
	uint32_t count;
	const uint32_t *frames = perun_frames_of(&tree->frames, location, &count);

	while (count > 0 && !is_function(tree, frames[count - 1]))
		count--;
	return count > 0;
}

/* The first path from one on, towards the root, that has the function; PERUN_NO_NODE: none. Each is looked at once. */
static uint32_t find_function(struct perun_calltree *tree, uint32_t path)
{
	const struct perun_stack_path *nodes = tree->kept->nodes;
	uint32_t *functions = tree->kept_functions, found = path;

	while (found != PERUN_NO_NODE && functions[found] == UNKNOWN_PATH &&
	       !has_function(tree, nodes[found].location))
		found = nodes[found].caller;
	if (found != PERUN_NO_NODE && functions[found] != UNKNOWN_PATH)
		found = functions[found];
	for (; path != PERUN_NO_NODE && functions[path] == UNKNOWN_PATH;
	     path = nodes[path].caller) {
		functions[path] = found;
		if (path == found)
			break;
	}
	return found;
}

static void begin_path(struct perun_calltree *tree, uint32_t path, struct perun_tree_entry *entry)
{
	if (tree->options.function)
		path = find_function(tree, path);
	if (path == PERUN_NO_NODE)
		return;
	entry->at = &tree->kept->nodes[path].location;
	entry->left = tree->kept_frames[path];
}

static void begin_array(const struct perun_calltree *tree, perun_id stack, size_t first, size_t end,
			struct perun_tree_entry *entry)
{
	entry->at = perun_stacks_locations(tree->stacks, stack);
	entry->left = count_frames(tree, entry->at + first, end - first);
	if (end > first)
		entry->at += tree->options.inverted ? first : end - 1;
}

/* Put the entry before its stack's first frame, or before the function; false without it. */
static bool begin_entry(struct perun_calltree *tree, perun_id stack, struct perun_tree_entry *entry)
{
	size_t first, end;
	struct perun_tree_entry before;
	bool inlined;

	if (!perun_stacks_live(tree->stacks, stack, &first, &end))
		return false;
	*entry = (struct perun_tree_entry){.number = stack};
	if (tree->kept)
		begin_path(tree, perun_stack_tree_node(tree->kept, stack), entry);
	else
		begin_array(tree, stack, first, end, entry);
	if (!tree->options.function)
		return true;
	for (before = *entry; next_frame(tree, entry, &inlined); before = *entry) {
		if (is_function(tree, entry->frame)) {
			*entry = before;
			return true;
		}
	}
	return false;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static uint32_t add_node(struct perun_calltree *tree, uint32_t parent)
{
	size_t weights = tree->weights, i = tree->count++;

	if (i == tree->capacity) {
		tree->capacity = tree->capacity ? tree->capacity * 2 : 256;
		tree->nodes = perun_realloc_array(tree->nodes, tree->capacity, sizeof *tree->nodes);
		tree->self = perun_realloc_array(tree->self, tree->capacity * weights,
						 sizeof *tree->self);
		tree->total = perun_realloc_array(tree->total, tree->capacity * weights,
						  sizeof *tree->total);
	}
	tree->nodes[i] = (struct perun_tree_node){.parent = parent};
	memset(tree->self + i * weights, 0, weights * sizeof *tree->self);
	memset(tree->total + i * weights, 0, weights * sizeof *tree->total);
	return (uint32_t)i;
}

/* On demand, a task waits at the place of its node, which has no smaller number than those that wait. */
static void push_task(struct perun_calltree *tree, size_t first, size_t end, uint32_t node,
		      bool counting)
{
	while (tree->options.on_demand && tree->task_count < node) {
		PERUN_GROW(tree->tasks, tree->task_count, tree->task_capacity);
		tree->tasks[tree->task_count++] = (struct perun_tree_task){0};
	}
	PERUN_GROW(tree->tasks, tree->task_count, tree->task_capacity);
	tree->tasks[tree->task_count++] = (struct perun_tree_task){first, end, node, counting};
}

/* ---- one level -------------------------------------------------------------------------------- */

static struct perun_tree_group *group_of_frame(struct perun_calltree *tree, uint32_t frame,
					       bool inlined)
{
	size_t weights = tree->weights, old = tree->group_capacity;
	uint32_t *number;

	if (frame >= tree->frame_capacity) {
		size_t before = tree->frame_capacity;

		tree->frame_capacity = (size_t)frame * 2 + 64;
		tree->group_of = perun_realloc_array(tree->group_of, tree->frame_capacity,
						     sizeof *tree->group_of);
		memset(tree->group_of + before, 0,
		       (tree->frame_capacity - before) * sizeof *tree->group_of);
	}
	number = &tree->group_of[frame];
	if (*number) {
		tree->groups[*number - 1].inlined &= inlined;
		return &tree->groups[*number - 1];
	}
	PERUN_GROW(tree->groups, tree->group_count, tree->group_capacity);
	if (tree->group_capacity != old) {
		tree->sums = perun_realloc_array(tree->sums, tree->group_capacity * weights,
						 sizeof *tree->sums);
		tree->absolutes = perun_realloc_array(
			tree->absolutes, tree->group_capacity * weights, sizeof *tree->absolutes);
	}
	memset(tree->sums + tree->group_count * weights, 0, weights * sizeof *tree->sums);
	memset(tree->absolutes + tree->group_count * weights, 0, weights * sizeof *tree->sums);
	tree->groups[tree->group_count] =
		(struct perun_tree_group){.frame = frame, .inlined = inlined};
	*number = (uint32_t)++tree->group_count;
	return &tree->groups[tree->group_count - 1];
}

static bool is_small(const struct perun_calltree *tree, size_t group)
{
	for (size_t w = 0; w < tree->weights; w++) {
		if ((double)tree->absolutes[group * tree->weights + w] >= tree->least[w])
			return false;
	}
	return true;
}

static void add_to_group(struct perun_calltree *tree, size_t group, const int64_t *values)
{
	size_t weights = tree->weights;

	perun_add_weights(tree->sums + group * weights, values, weights);
	for (size_t w = 0; w < weights; w++)
		tree->absolutes[group * weights + w] +=
			values[w] < 0 ? 0 - (uint64_t)values[w] : (uint64_t)values[w];
}

/* Stacks in the order of their frames are anywhere in memory: what is needed is fetched this many before. */
enum { AHEAD = 16 };

/*
 * Find the next frame of each entry and the groups. Entries that end here leave. What a node has and its groups have not
 * is its own. Returns the new end.
 */
static size_t find_groups(struct perun_calltree *tree, const struct perun_tree_task *task,
			  size_t task_end)
{
	size_t end = task->first, weights = tree->weights;
	int64_t *self = tree->self + task->node * weights;

	for (size_t i = task->first; i < task_end; i++) {
		struct perun_tree_entry *entry = &tree->entries[i];
		bool inlined;
		struct perun_tree_group *group;

		if (i + AHEAD < task_end) {
			__builtin_prefetch(tree->entries[i + AHEAD].at);
			if (!task->counting)
				__builtin_prefetch(
					values_of(tree, tree->entries[i + AHEAD].number));
		}
		if (tree->by_path)
			perun_tree_next(tree, entry, &inlined);
		else if (!next_frame(tree, entry, &inlined))
			continue;
		group = group_of_frame(tree, entry->frame, inlined);
		group->count++;
		tree->entries[end++] = *entry;
		if (!task->counting)
			add_to_group(tree, (size_t)(group - tree->groups),
				     values_of(tree, entry->number));
	}
	if (task->counting)
		return end;
	perun_add_weights(self, tree->total + task->node * weights, weights);
	for (size_t g = 0; g < tree->group_count; g++) {
		take_weights(self, tree->sums + g * weights, weights);
		tree->groups[g].small = is_small(tree, g);
	}
	return end;
}

/* Groups get their places in the order in which their tasks are pushed: those that come after one are done before it. */
static void place_groups(struct perun_calltree *tree, size_t first)
{
	for (int small = 0; small < 2; small++) {
		for (size_t g = 0; g < tree->group_count; g++) {
			if (tree->groups[g].small != small)
				continue;
			tree->groups[g].start = first;
			first += tree->groups[g].count;
		}
	}
}

/* Sort the entries by group, each group in its old order. */
static void sort_entries(struct perun_calltree *tree, size_t first, size_t end)
{
	place_groups(tree, first);
	if (tree->group_count <= 1)
		return;
	for (size_t i = first; i < end; i++) {
		struct perun_tree_group *group =
			&tree->groups[tree->group_of[tree->entries[i].frame] - 1];

		tree->scratch[group->start++ - first] = tree->entries[i];
	}
	memcpy(tree->entries + first, tree->scratch, (end - first) * sizeof *tree->entries);
	for (size_t g = 0; g < tree->group_count; g++)
		tree->groups[g].start -= tree->groups[g].count;
}

static void count_groups(struct perun_calltree *tree, uint32_t node)
{
	for (size_t g = 0; g < tree->group_count; g++) {
		const struct perun_tree_group *group = &tree->groups[g];
		size_t frames;

		if (g + AHEAD < tree->group_count)
			__builtin_prefetch(tree->entries[group[AHEAD].start].at);
		tree->nodes[node].merged++;
		if (group->count == 1 && is_chain(tree, &tree->entries[group->start], &frames))
			tree->nodes[node].merged += (uint32_t)frames;
		else
			push_task(tree, group->start, group->start + group->count, node, true);
	}
}

/* A node for each large group, and one for all small ones. */
static void add_children(struct perun_calltree *tree, uint32_t parent)
{
	size_t weights = tree->weights;
	uint32_t last = 0, rest = 0;

	for (size_t g = 0; g < tree->group_count; g++) {
		const struct perun_tree_group *group = &tree->groups[g];
		uint32_t node;

		if (group->small)
			continue;
		node = add_node(tree, parent);
		tree->nodes[node].frame = group->frame;
		tree->nodes[node].inlined = group->inlined;
		perun_add_weights(tree->total + node * weights, tree->sums + g * weights, weights);
		if (last)
			tree->nodes[last].next_sibling = node;
		else
			tree->nodes[parent].first_child = node;
		last = node;
		push_task(tree, group->start, group->start + group->count, node, false);
	}
	for (size_t g = 0; g < tree->group_count; g++) {
		const struct perun_tree_group *group = &tree->groups[g];

		if (!group->small)
			continue;
		if (!rest) {
			rest = add_node(tree, parent);
			tree->nodes[rest].rest = true;
			if (last)
				tree->nodes[last].next_sibling = rest;
			else
				tree->nodes[parent].first_child = rest;
		}
		tree->nodes[rest].merged++;
		perun_add_weights(tree->total + rest * weights, tree->sums + g * weights, weights);
		if (!tree->options.uncounted)
			push_task(tree, group->start, group->start + group->count, rest, true);
	}
	if (rest)
		memcpy(tree->self + rest * weights, tree->total + rest * weights,
		       weights * sizeof *tree->self);
}

static void run_task(struct perun_calltree *tree, const struct perun_tree_task *task)
{
	size_t end, frames;

	if (task->counting && task->end == task->first + 1 &&
	    is_chain(tree, &tree->entries[task->first], &frames)) {
		tree->nodes[task->node].merged += (uint32_t)frames;
		return;
	}
	end = tree->by_path ? perun_tree_expand(tree, task) : task->end;
	tree->group_count = 0;
	end = find_groups(tree, task, end);
	sort_entries(tree, task->first, end);
	for (size_t g = 0; g < tree->group_count; g++)
		tree->group_of[tree->groups[g].frame] = 0;
	if (task->counting)
		count_groups(tree, task->node);
	else
		add_children(tree, task->node);
}

/* ---- the tree --------------------------------------------------------------------------------- */

/* How many frames each location has. */
static uint32_t *count_lines(const struct perun_calltree *tree)
{
	size_t locations = tree->stacks->location_count, count;
	uint32_t *counts = perun_alloc((locations + 1) * sizeof *counts);
	struct perun_location_room room;

	for (size_t i = 0; i < locations; i++) {
		perun_stacks_lines_of(
			tree->stacks, (perun_id)i,
			perun_profile_location_in(tree->stacks->profile, (perun_id)i, &room),
			&count);
		counts[i] = tree->options.no_inlines && count > 1 ? 1 : (uint32_t)count;
	}
	return counts;
}

/* What all stacks that count weigh together. Returns whether none weighs less than nothing. */
static bool sum_stacks(struct perun_calltree *tree, double absolutes[PERUN_WEIGHTS])
{
	const struct perun_stacks *stacks = tree->stacks;
	struct perun_tree_entry entry;
	size_t first, end;
	bool negative = false;

	for (size_t i = 0; i < stacks->stack_count; i++) {
		const int64_t *values = values_of(tree, i);

		if (!perun_stacks_live(stacks, i, &first, &end) ||
		    (tree->options.function && !begin_entry(tree, (perun_id)i, &entry)))
			continue;
		perun_add_weights(tree->total, values, tree->weights);
		for (size_t w = 0; w < tree->weights; w++) {
			absolutes[w] += fabs((double)values[w]);
			negative |= values[w] < 0;
		}
	}
	return !negative;
}

static void take_kept(struct perun_calltree *tree)
{
	const struct perun_stack_tree *kept;

	if (!tree->options.inverted || !perun_paths_are_kept(tree->stacks))
		return;
	tree->kept = kept = perun_profile_stack_tree(tree->stacks->profile);
	tree->kept_frames =
		perun_alloc_large(((size_t)kept->node_count + 1) * sizeof *tree->kept_frames);
	for (uint32_t i = 0; i < kept->node_count; i++) {
		const struct perun_stack_path *path = &kept->nodes[i];

		tree->kept_frames[i] = tree->line_counts[path->location];
		if (path->caller != PERUN_NO_NODE)
			tree->kept_frames[i] += tree->kept_frames[path->caller];
	}
	if (!tree->options.function)
		return;
	tree->kept_functions =
		perun_alloc_large(((size_t)kept->node_count + 1) * sizeof *tree->kept_functions);
	for (uint32_t i = 0; i < kept->node_count; i++)
		tree->kept_functions[i] = UNKNOWN_PATH;
}

static size_t begin_stacks(struct perun_calltree *tree)
{
	size_t count = 0, room = tree->stacks->stack_count + 1;

	tree->entries = perun_alloc(room * sizeof *tree->entries);
	tree->scratch = perun_alloc(room * sizeof *tree->scratch);
	for (size_t i = 0; i < tree->stacks->stack_count; i++)
		count += begin_entry(tree, (perun_id)i, &tree->entries[count]);
	return count;
}

/* The first entries. Paths have lost what single stacks weigh, which a sum of both signs does not say. */
static size_t begin(struct perun_calltree *tree)
{
	double absolutes[PERUN_WEIGHTS] = {0};
	bool sums_suffice;
	size_t count;

	tree->line_counts = count_lines(tree);
	take_kept(tree);
	sums_suffice = sum_stacks(tree, absolutes);
	for (size_t w = 0; w < tree->weights; w++)
		tree->least[w] = absolutes[w] * tree->options.minimum_share;
	/* A weight that is 0 everywhere makes nothing large. */
	for (size_t w = 0; w < tree->weights && tree->options.minimum_share > 0; w++) {
		if (absolutes[w] == 0)
			tree->least[w] = 1;
	}
	if (sums_suffice && !tree->options.inverted && !tree->options.function &&
	    perun_tree_begin_paths(tree, &count))
		return count;
	return begin_stacks(tree);
}

static int64_t *by_weight(int64_t *values, size_t count, size_t weights)
{
	int64_t *result;

	if (weights == 1)
		return values;
	result = perun_alloc((count * weights + 1) * sizeof *result);
	for (size_t i = 0; i < count; i++) {
		for (size_t w = 0; w < weights; w++)
			result[w * count + i] = values[i * weights + w];
	}
	perun_free(values);
	return result;
}

/* Free what only building needs. */
static void end_building(struct perun_calltree *tree)
{
	perun_free(tree->entries);
	perun_free(tree->scratch);
	perun_paths_clear(&tree->paths);
	perun_free(tree->path_ends);
	perun_free(tree->line_counts);
	perun_free(tree->kept_frames);
	perun_free(tree->kept_functions);
	perun_free(tree->tasks);
	perun_free(tree->group_of);
	perun_free(tree->groups);
	perun_free(tree->sums);
	perun_free(tree->absolutes);
	perun_free(tree->known);
}

static void run_tasks(struct perun_calltree *tree)
{
	while (tree->task_count > 0 && (!tree->options.most || tree->count <= tree->options.most)) {
		struct perun_tree_task task = tree->tasks[--tree->task_count];

		if (tree->task_count > AHEAD)
			__builtin_prefetch(
				tree->entries[tree->tasks[tree->task_count - AHEAD].first].at);
		run_task(tree, &task);
	}
	tree->self = by_weight(tree->self, tree->count, tree->weights);
	tree->total = by_weight(tree->total, tree->count, tree->weights);
	end_building(tree);
}

int perun_calltree_new(struct perun_ctx *ctx, const struct perun_stacks *stacks,
		       const struct perun_tree_options *options, struct perun_calltree **out)
{
	struct perun_calltree *tree;
	struct perun_frames_options frames = {0};

	*out = NULL;
	if (stacks->weights == 0)
		return perun_fail(ctx, PERUN_USAGE, "the stacks were not weighed yet");
	tree = perun_alloc_zero(1, sizeof *tree);
	PERUN_STRUCT_TAKE(&tree->options, options);
	if (tree->options.on_demand && (!tree->options.inverted || stacks->weights > 1)) {
		perun_free(tree);
		return perun_fail(ctx, PERUN_USAGE,
				  "only inverted trees of one weight are made on demand");
	}
	tree->options.uncounted |= tree->options.on_demand;
	tree->stacks = stacks;
	tree->weights = stacks->weights;
	tree->values = stacks->sums;
	frames.granularity = tree->options.granularity;
	frames.no_inlines = tree->options.no_inlines;
	frames.columns = tree->options.columns;
	perun_frames_init(&tree->frames, stacks, &frames);
	add_node(tree, 0);
	push_task(tree, 0, begin(tree), 0, false);
	if (!tree->options.on_demand)
		run_tasks(tree);
	*out = tree;
	return PERUN_OK;
}

void perun_calltree_open(struct perun_calltree *tree, uint32_t node)
{
	struct perun_tree_task task;

	if (!tree->options.on_demand || node >= tree->task_count)
		return;
	task = tree->tasks[node];
	tree->tasks[node].end = task.first;
	if (task.first < task.end)
		run_task(tree, &task);
}

void perun_calltree_free(struct perun_calltree *tree)
{
	if (!tree)
		return;
	if (tree->options.on_demand)
		end_building(tree);
	perun_frames_clear(&tree->frames);
	perun_free(tree->nodes);
	perun_free(tree->self);
	perun_free(tree->total);
	perun_free(tree);
}

const struct perun_tree_node *perun_calltree_nodes(const struct perun_calltree *tree, size_t *count)
{
	if (count)
		*count = tree->count;
	return tree->nodes;
}

const struct perun_frame *perun_calltree_frames(const struct perun_calltree *tree, size_t *count)
{
	if (count)
		*count = tree->frames.count;
	return tree->frames.frames;
}

const int64_t *perun_calltree_self(const struct perun_calltree *tree, size_t i)
{
	return tree->self + i * tree->count;
}

const int64_t *perun_calltree_total(const struct perun_calltree *tree, size_t i)
{
	return tree->total + i * tree->count;
}
