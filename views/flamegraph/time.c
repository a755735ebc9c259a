/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree in time order: rows as they were recorded, neighbours with the same callers joined. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "flame.h"

enum { DEEPEST = 65536 };

/* The node that is open at each depth, and the last closed child of it (0: none). */
struct open {
	uint32_t node, last;
};

struct timeline {
	struct flame *flame;
	struct flame_tree *tree;
	struct open *open;
	size_t depth; /* of the innermost open node; 0: the root */
	double least[PERUN_WEIGHTS];
	const uint32_t *numbers;   /* of the graph's nodes */
	double *moments, *weights; /* of frames: sums of position * weight, and of weight */
	double position, whole;
	bool joins;  /* small boxes are put together */
	size_t room; /* more nodes than that: give up, `full` */
	bool full;
};

static bool is_small(const struct timeline *line, uint32_t node)
{
	for (unsigned k = 0; k < line->tree->weights; k++) {
		if (fabs((double)line->tree->total[k][node]) >= line->least[k])
			return false;
	}
	return true;
}

/*
 * The innermost node is complete. A small one is dropped with all below it (they are at the end of
 * the tree) and counted in the box of small ones before it, or becomes such a box.
 */
static void close_node(struct timeline *line)
{
	struct flame_tree *tree = line->tree;
	uint32_t node = line->open[line->depth].node, last = line->open[line->depth - 1].last;
	uint32_t boxes = (uint32_t)(tree->count - node);

	line->depth--;
	for (unsigned k = 0; k < tree->weights; k++)
		tree->total[k][line->open[line->depth].node] += tree->total[k][node];
	line->open[line->depth].last = node;
	if (!line->joins || !is_small(line, node))
		return;
	for (uint32_t i = node + 1; i < tree->count; i++) {
		if (tree->nodes[i].frame == FLAME_REST)
			boxes += tree->nodes[i].merged - 1;
	}
	tree->count = node + 1;
	tree->nodes[node].frame = FLAME_REST;
	tree->nodes[node].merged = boxes;
	for (unsigned k = 0; k < tree->weights; k++)
		tree->own[k][node] = tree->total[k][node];
	/* The sibling before is the node before: what is below it would be dropped or closed. */
	if (last && tree->nodes[last].frame == FLAME_REST && last + 1 == node) {
		tree->nodes[last].merged += boxes;
		for (unsigned k = 0; k < tree->weights; k++) {
			tree->own[k][last] += tree->own[k][node];
			tree->total[k][last] += tree->total[k][node];
		}
		tree->count = node;
		line->open[line->depth].last = last;
	}
}

/* Open and close nodes until the path from the root is the given one, then count the values. */
static void add_row(struct timeline *line, const uint32_t *path, size_t length,
		    const int64_t *values)
{
	struct flame_tree *tree = line->tree;
	size_t same = 0;

	while (same < line->depth && same < length &&
	       tree->nodes[line->open[same + 1].node].frame ==
		       line->numbers[path[length - 1 - same]])
		same++;
	while (line->depth > same)
		close_node(line);
	while (line->depth < length) {
		const struct flame_node node = {
			.parent = line->open[line->depth].node,
			.depth = (uint32_t)line->depth + 1,
			.frame = line->numbers[path[length - 1 - line->depth]]};
		uint32_t added = flame_tree_add(tree, &node);

		line->open[++line->depth] = (struct open){added, 0};
	}
	for (unsigned k = 0; k < tree->weights; k++) {
		tree->own[k][line->open[line->depth].node] += values[k];
		tree->total[k][line->open[line->depth].node] += values[k];
	}
}

static void add_moment(struct timeline *line, const uint32_t *path, size_t length, int64_t value)
{
	double weight = fabs((double)value);
	double moment = line->whole > 0 ? (line->position + weight / 2) / line->whole : 0;

	for (size_t i = 0; i < length; i++) {
		line->moments[line->numbers[path[i]]] += moment * weight;
		line->weights[line->numbers[path[i]]] += weight;
	}
	line->position += weight;
}

/* A row's value of weight k, in whole numbers as the engine counts. */
static int64_t value_at(const struct flame *flame, unsigned k, size_t row)
{
	const struct perun_column *column = flame->chosen[k].values;

	if (flame->selected[k] && !perun_bit(flame->selected[k], row))
		return 0;
	if (perun_column_absent(column, row))
		return 0;
	if (perun_column_info(column)->type == PERUN_TYPE_DOUBLE)
		return llround(perun_column_double(column, row) / flame->scales[k]);
	return perun_column_int64(column, row);
}

static int add_rows(struct perun_ctx *ctx, struct timeline *line,
		    const struct perun_callgraph *graph)
{
	const struct flame *flame = line->flame;
	const size_t rows = perun_table_rows(perun_resources(flame->profile));
	uint32_t *path = perun_alloc(DEEPEST * sizeof *path);
	int64_t values[PERUN_WEIGHTS];
	int status = PERUN_OK;

	for (size_t row = 0; row < rows; row++) {
		size_t length = perun_callgraph_path(graph, row, path, DEEPEST - 1);
		bool any = false;

		length = length < DEEPEST ? length : DEEPEST - 1;
		for (unsigned k = 0; length && k < line->tree->weights; k++) {
			values[k] = value_at(flame, k, row);
			any |= values[k] != 0;
		}
		if (any) {
			add_row(line, path, length, values);
			add_moment(line, path, length, values[0]);
		}
		line->full = line->tree->count > line->room;
		if (row % 4096 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		if (status || line->full)
			break;
	}
	while (line->depth > 0)
		close_node(line);
	perun_free(path);
	return status;
}

static void finish(struct timeline *line)
{
	struct flame *flame = line->flame;
	struct flame_tree *tree = line->tree;

	for (size_t i = tree->count; i-- > 0;) {
		struct flame_node *node = &tree->nodes[i];

		if (node->end <= i)
			node->end = (uint32_t)i + 1;
		if (i && tree->nodes[node->parent].end < node->end)
			tree->nodes[node->parent].end = node->end;
	}
	for (size_t i = 0; i < flame->frame_count; i++) {
		if (line->weights[i] > 0)
			flame->frames[i].moment = line->moments[i] / line->weights[i];
	}
	flame->has_moments = true;
}

/* The graph's values in the order of frames. */
static int64_t *by_frame(const struct flame *flame, const int64_t *values, const uint32_t *numbers,
			 size_t nodes)
{
	int64_t *result = perun_alloc_zero(flame->frame_count + 1, sizeof *result);

	for (size_t i = 0; i < nodes; i++)
		result[numbers[i]] = values[i];
	return result;
}

static void keep_values(struct flame *flame, const struct perun_callgraph *graph,
			const uint32_t *numbers, size_t nodes)
{
	for (unsigned k = 0; k < flame->weight_count; k++) {
		flame->flat[k] = by_frame(flame, perun_callgraph_flat(graph, k), numbers, nodes);
		flame->cumulative[k] =
			by_frame(flame, perun_callgraph_cumulative(graph, k), numbers, nodes);
	}
}

/* Build the tree with the share that it has; `*full`: it has more nodes than there is room for. */
static int build_line(struct perun_ctx *ctx, struct flame *flame, const uint32_t *numbers,
		      const struct perun_callgraph *graph, size_t room, bool *full)
{
	struct timeline line = {
		.flame = flame, .tree = &flame->time, .numbers = numbers, .room = room};
	int status;

	line.open = perun_alloc_zero(DEEPEST, sizeof *line.open);
	line.moments = perun_alloc_zero(flame->frame_count + 1, sizeof *line.moments);
	line.weights = perun_alloc_zero(flame->frame_count + 1, sizeof *line.weights);
	line.whole = (double)perun_stacks_absolute_sum(flame->stacks, 0);
	line.tree->weights = flame->weight_count;
	line.joins = line.tree->share > 0;
	for (unsigned k = 0; k < flame->weight_count; k++)
		line.least[k] =
			line.tree->share * (double)perun_stacks_absolute_sum(flame->stacks, k);
	flame_tree_add(line.tree, &(struct flame_node){.frame = FLAME_ROOT});
	status = add_rows(ctx, &line, graph);
	finish(&line);
	*full = line.full;
	perun_free(line.open);
	perun_free(line.moments);
	perun_free(line.weights);
	return status;
}

/* Try larger shares until the tree fits, if the share is ours to choose. */
static int build_lines(struct perun_ctx *ctx, struct flame *flame, const uint32_t *numbers,
		       const struct perun_callgraph *graph, size_t room)
{
	const bool chosen = flame->settings->minimum_share >= 0;
	double share = chosen ? flame->settings->minimum_share : 0;
	bool full = true;
	int status = PERUN_OK;

	while (full && !status) {
		flame_tree_free(&flame->time);
		flame->time.share = share;
		status = build_line(ctx, flame, numbers, graph,
				    chosen || share > 0.1 ? SIZE_MAX : room, &full);
		share = flame_next_share(share);
	}
	return status;
}

/*
 * Whether the order of rows is one in time: of one profile that says when its samples were taken. Who
 * asks for the rows as they were recorded gets them from any.
 */
static bool is_ordered(const struct flame *flame)
{
	const struct perun_table *rows = perun_resources(flame->profile);

	if (flame->diff)
		return false;
	if (flame->settings->kind == FLAME_TIME || flame->settings->color == FLAME_COLOR_TIME)
		return true;
	for (size_t i = 0; !flame->merged && i < perun_table_columns(rows); i++) {
		if (perun_column_info(perun_table_column_at(rows, i))->role == PERUN_ROLE_TIME)
			return true;
	}
	return false;
}

int flame_build_time(struct perun_ctx *ctx, struct flame *flame, size_t room)
{
	const struct perun_graph_options options = {.struct_size = sizeof options,
						    .granularity = flame->settings->granularity,
						    .no_inlines = flame->settings->no_inlines,
						    .no_edges = true};
	struct perun_callgraph *graph = NULL;
	const struct perun_frame *frames;
	uint32_t *numbers;
	size_t nodes;
	int status = perun_callgraph_new(ctx, flame->stacks, &options, &graph);

	if (status)
		return status;
	frames = perun_callgraph_nodes(graph, &nodes);
	numbers = perun_alloc((nodes + 1) * sizeof *numbers);
	for (size_t i = 0; i < nodes; i++)
		numbers[i] = flame_frame_number(flame, &frames[i]);
	keep_values(flame, graph, numbers, nodes);
	if (is_ordered(flame))
		status = build_lines(ctx, flame, numbers, graph, room);
	perun_free(numbers);
	perun_callgraph_free(graph);
	return status;
}
