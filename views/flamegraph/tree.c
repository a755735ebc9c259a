/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees as the forms want them: in the order of a walk, the heaviest first, small boxes put together. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flame.h"

/* The share below which boxes are put together in large trees. */
static const double default_share = 1.0 / 20000;

void flame_tree_free(struct flame_tree *tree)
{
	perun_free(tree->nodes);
	for (unsigned k = 0; k < PERUN_WEIGHTS; k++) {
		perun_free(tree->own[k]);
		perun_free(tree->total[k]);
	}
	*tree = (struct flame_tree){0};
}

uint32_t flame_tree_add(struct flame_tree *tree, const struct flame_node *node)
{
	if (tree->count >= tree->capacity) {
		tree->capacity = tree->capacity ? tree->capacity * 2 : 256;
		tree->nodes = perun_realloc_array(tree->nodes, tree->capacity, sizeof *tree->nodes);
		for (unsigned k = 0; k < tree->weights; k++) {
			tree->own[k] = perun_realloc_array(tree->own[k], tree->capacity,
							   sizeof **tree->own);
			tree->total[k] = perun_realloc_array(tree->total[k], tree->capacity,
							     sizeof **tree->total);
		}
	}
	tree->nodes[tree->count] = *node;
	for (unsigned k = 0; k < tree->weights; k++)
		tree->own[k][tree->count] = tree->total[k][tree->count] = 0;
	return (uint32_t)tree->count++;
}

size_t flame_tree_merged(const struct flame_tree *tree)
{
	size_t merged = 0;

	for (size_t i = 0; i < tree->count; i++)
		merged += tree->nodes[i].frame == FLAME_REST ? tree->nodes[i].merged : 0;
	return merged;
}

/* ---- from the engine's tree ------------------------------------------------------------------ */

struct sorting {
	const struct flame *flame;
	const struct perun_tree_node *nodes;
	const struct perun_frame *frames;
	const int64_t *totals[2]; /* the weights of the first metric; one, or base and new */
	uint32_t *numbers;        /* of the engine's frames */
};

static double weight_of(const struct sorting *sorting, uint32_t node)
{
	double first = (double)sorting->totals[0][node];
	double second = sorting->totals[1] ? (double)sorting->totals[1][node] : first;

	return fmax(first, second);
}

static int compare_siblings(const void *a, const void *b, void *data)
{
	const struct sorting *sorting = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct perun_tree_node *nodes = sorting->nodes;
	double difference;

	if (nodes[x].rest != nodes[y].rest)
		return nodes[x].rest ? 1 : -1;
	if (sorting->flame->settings->order == FLAME_BY_NAME && !nodes[x].rest) {
		const struct flame_frame *frames = sorting->flame->frames;
		int order = strcmp(frames[sorting->numbers[nodes[x].frame]].name,
				   frames[sorting->numbers[nodes[y].frame]].name);

		if (order)
			return order;
	}
	difference = weight_of(sorting, y) - weight_of(sorting, x);
	return difference > 0 ? 1 : difference < 0 ? -1 : (x > y) - (x < y);
}

/* A node that is waiting for its turn. */
struct waiting {
	uint32_t node, parent, depth;
};

static void add_children(const struct sorting *sorting, uint32_t node, uint32_t parent,
			 uint32_t depth, struct waiting **stack, size_t *count, size_t *capacity)
{
	uint32_t *children = NULL;
	size_t found = 0, room = 0;

	for (uint32_t child = sorting->nodes[node].first_child; child;
	     child = sorting->nodes[child].next_sibling) {
		PERUN_GROW(children, found, room);
		children[found++] = child;
	}
	if (found > 1)
		qsort_r(children, found, sizeof *children, compare_siblings, (void *)sorting);
	while (found-- > 0) {
		PERUN_GROW(*stack, *count, *capacity);
		(*stack)[(*count)++] = (struct waiting){children[found], parent, depth};
	}
	perun_free(children);
}

static void set_ends(struct flame_tree *tree)
{
	for (size_t i = tree->count; i-- > 0;) {
		struct flame_node *node = &tree->nodes[i];

		if (node->end <= i)
			node->end = (uint32_t)i + 1;
		if (i && tree->nodes[node->parent].end < node->end)
			tree->nodes[node->parent].end = node->end;
	}
}

static void copy_tree(struct flame *flame, const struct perun_calltree *from,
		      struct flame_tree *tree)
{
	struct sorting sorting = {.flame = flame};
	struct waiting *stack = NULL;
	size_t count = 0, capacity = 0, nodes, frames;

	sorting.nodes = perun_calltree_nodes(from, &nodes);
	sorting.frames = perun_calltree_frames(from, &frames);
	sorting.totals[0] = perun_calltree_total(from, 0);
	sorting.totals[1] = flame->diff ? perun_calltree_total(from, 1) : NULL;
	sorting.numbers = perun_alloc((frames + 1) * sizeof *sorting.numbers);
	for (size_t i = 0; i < frames; i++)
		sorting.numbers[i] = flame_frame_number(flame, &sorting.frames[i]);
	tree->weights = flame->weight_count;
	PERUN_GROW(stack, count, capacity);
	stack[count++] = (struct waiting){0, 0, 0};
	while (count > 0) {
		struct waiting next = stack[--count];
		const struct perun_tree_node *node = &sorting.nodes[next.node];
		uint32_t frame = next.node == 0 ? FLAME_ROOT
				 : node->rest   ? FLAME_REST
						: sorting.numbers[node->frame];
		uint32_t added = flame_tree_add(
			tree, &(struct flame_node){.parent = next.parent,
						   .depth = next.depth,
						   .frame = frame,
						   .merged = node->rest ? node->merged : 0});

		for (unsigned k = 0; k < tree->weights; k++) {
			tree->total[k][added] = perun_calltree_total(from, k)[next.node];
			tree->own[k][added] = node->rest ? tree->total[k][added]
							 : perun_calltree_self(from, k)[next.node];
		}
		add_children(&sorting, next.node, added, next.depth + 1, &stack, &count, &capacity);
	}
	set_ends(tree);
	perun_free(sorting.numbers);
	perun_free(stack);
}

/* ---- building -------------------------------------------------------------------------------- */

static int build(struct perun_ctx *ctx, struct flame *flame, bool inverted, const char *function,
		 double share, size_t most, struct perun_calltree **tree)
{
	const struct perun_tree_options options = {.struct_size = sizeof options,
						   .granularity = flame->settings->granularity,
						   .no_inlines = flame->settings->no_inlines,
						   .inverted = inverted,
						   .function = function,
						   .minimum_share = share,
						   .most = most};

	return perun_calltree_new(ctx, flame->stacks, &options, tree);
}

/* The tree, built again with a larger share until it fits into `room`, if the share is ours to choose. */
static int build_until(struct perun_ctx *ctx, struct flame *flame, bool inverted,
		       const char *function, size_t room, double *share,
		       struct perun_calltree **tree)
{
	const bool chosen = flame->settings->minimum_share >= 0;

	for (;;) {
		const bool last = chosen || *share > 0.1;
		size_t count;
		int status = build(ctx, flame, inverted, function, *share, last ? 0 : room, tree);

		if (status)
			return status;
		perun_calltree_nodes(*tree, &count);
		if (last || count <= room)
			return PERUN_OK;
		perun_calltree_free(*tree);
		*tree = NULL;
		*share = flame_next_share(*share);
	}
}

double flame_next_share(double share)
{
	return share > 0 ? share * 4 : default_share;
}

/*
 * Whether a tree of all stacks has more nodes than there is room for, known without building it: a tree
 * from the root has a node for nearly each stack, one from the leaves for most frames of most stacks.
 */
static bool is_large(const struct flame *flame, bool inverted, size_t room)
{
	const size_t stacks = perun_profile_stacks(flame->profile);
	size_t frames = 0;

	for (size_t i = 0; inverted && i < stacks && frames <= 2 * room; i++)
		frames += perun_profile_stack_length(flame->profile, (perun_id)i);
	return stacks > room || frames > 2 * room;
}

/*
 * The share in use: what the user said; else 0, unless the profile has this many stacks, or the tree so
 * many nodes, that small boxes have to be put together.
 */
static int build_within(struct perun_ctx *ctx, struct flame *flame, bool inverted,
			const char *function, size_t room, struct flame_tree *result)
{
	double share = flame->settings->minimum_share;
	struct perun_calltree *tree = NULL;
	int status;

	if (share < 0)
		share = is_large(flame, inverted, room) ? default_share : 0;
	status = build_until(ctx, flame, inverted, function, room, &share, &tree);
	if (!status) {
		flame->minimum_share = fmax(flame->minimum_share, share);
		copy_tree(flame, tree, result);
		result->share = share;
		result->inverted = inverted;
	}
	perun_calltree_free(tree);
	return status;
}

int flame_build(struct perun_ctx *ctx, struct flame *flame, unsigned wants, size_t room)
{
	const char *function = flame->settings->function;
	int status = PERUN_OK;

	if (wants & FLAME_WANT_TREE)
		status = build_within(ctx, flame, false, NULL, room, &flame->tree);
	if (!status && (wants & FLAME_WANT_CALLERS))
		status = build_within(ctx, flame, true, NULL, room, &flame->callers);
	if (!status && (wants & FLAME_WANT_FUNCTION)) {
		status = build_within(ctx, flame, true, function, room, &flame->function_callers);
		if (!status)
			status = build_within(ctx, flame, false, function, room,
					      &flame->function_callees);
	}
	return status;
}

int flame_build_kind(struct perun_ctx *ctx, struct flame *flame, size_t room,
		     const struct flame_tree *trees[2], unsigned *count)
{
	static const unsigned wants[] = {[FLAME_TREE] = FLAME_WANT_TREE,
					 [FLAME_CALLERS] = FLAME_WANT_CALLERS,
					 [FLAME_TIME] = FLAME_WANT_TREE,
					 [FLAME_SANDWICH] = FLAME_WANT_FUNCTION};
	const enum flame_kind kind = flame->settings->kind;
	int status;

	if (kind == FLAME_TIME && flame->diff)
		return perun_fail(ctx, PERUN_USAGE,
				  "two profiles have no common order in time: take another view");
	status = flame_build(ctx, flame, wants[kind], room);
	if (!status && (kind == FLAME_TIME || flame->settings->color == FLAME_COLOR_TIME))
		status = flame_build_time(ctx, flame, room);
	if (status)
		return status;
	*count = kind == FLAME_SANDWICH ? 2 : 1;
	trees[0] = kind == FLAME_TREE      ? &flame->tree
		   : kind == FLAME_CALLERS ? &flame->callers
		   : kind == FLAME_TIME    ? &flame->time
					   : &flame->function_callers;
	trees[1] = &flame->function_callees;
	if (kind == FLAME_SANDWICH && flame->function_callees.count <= 1)
		return perun_fail(ctx, PERUN_USAGE, "no function %s", flame->settings->function);
	flame_frame_places(flame);
	return PERUN_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What values of the base are multiplied with. */
static double base_factor(const struct flame *flame, unsigned k)
{
	int64_t base = perun_stacks_sum(flame->stacks, k - 1);

	if (!flame->settings->normalize || !base)
		return 1;
	return (double)perun_stacks_sum(flame->stacks, k) * flame->scales[k] /
	       ((double)base * flame->scales[k - 1]);
}

struct flame_values flame_total(const struct flame *flame, unsigned metric)
{
	unsigned k = flame->diff ? 2 * metric + 1 : metric;
	struct flame_values values = {.total = (double)perun_stacks_sum(flame->stacks, k) *
					       flame->scales[k]};

	if (flame->diff)
		values.total_base = (double)perun_stacks_sum(flame->stacks, k - 1) *
				    flame->scales[k - 1] * base_factor(flame, k);
	return values;
}

struct flame_values flame_values_of(const struct flame *flame, const struct flame_tree *tree,
				    unsigned metric, uint32_t node)
{
	unsigned k = flame->diff ? 2 * metric + 1 : metric;
	struct flame_values values = {
		.own = (double)tree->own[k][node] * flame->scales[k],
		.total = (double)tree->total[k][node] * flame->scales[k],
	};
	double factor;

	/* Callers have what the function that they lead to has; what they cost themselves is elsewhere. */
	if (tree->inverted)
		values.own = values.total;
	if (!flame->diff)
		return values;
	factor = base_factor(flame, k);
	values.own_base = (double)tree->own[k - 1][node] * flame->scales[k - 1] * factor;
	values.total_base = (double)tree->total[k - 1][node] * flame->scales[k - 1] * factor;
	if (tree->inverted)
		values.own_base = values.total_base;
	return values;
}

const char *flame_unit(const struct flame *flame, unsigned metric)
{
	if (flame->units[metric])
		return flame->units[metric];
	return flame->metrics[metric]->unit ? flame->metrics[metric]->unit : "";
}

void flame_node_name(const struct flame *flame, const struct flame_tree *tree, uint32_t node,
		     struct perun_buffer *out)
{
	const struct flame_node *box = &tree->nodes[node];

	if (box->frame == FLAME_ROOT)
		perun_buffer_add_text(out, "all");
	else if (box->frame == FLAME_REST && box->merged)
		perun_buffer_printf(out, "(%u small boxes)", (unsigned)box->merged);
	else if (box->frame == FLAME_REST)
		perun_buffer_add_text(out, "(small boxes)");
	else
		perun_buffer_add(out, flame->frames[box->frame].name,
				 flame->frames[box->frame].name_length);
}
