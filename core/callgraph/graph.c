/* SPDX-License-Identifier: BSD-3-Clause */
/* Call graphs: making them, keeping a part of one, and reading them. */
#include <string.h>

#include "core/callgraph/graph.h"
#include "core/context/structs.h"

/* Edges grouped by one of their ends, in their order. */
static void make_lists(const struct perun_callgraph *graph, bool by_caller,
		       struct perun_edge_lists *lists)
{
	uint32_t *next = perun_alloc_zero((size_t)graph->count + 2, sizeof *next);

	lists->starts = perun_alloc_zero((size_t)graph->count + 1, sizeof *lists->starts);
	lists->edges = perun_alloc(((size_t)graph->edge_count + 1) * sizeof *lists->edges);
	for (uint32_t i = 0; i < graph->edge_count; i++)
		next[(by_caller ? graph->edges[i].caller : graph->edges[i].callee) + 1]++;
	for (uint32_t i = 0; i < graph->count; i++)
		next[i + 1] += next[i];
	memcpy(lists->starts, next, ((size_t)graph->count + 1) * sizeof *next);
	for (uint32_t i = 0; i < graph->edge_count; i++)
		lists->edges[next[by_caller ? graph->edges[i].caller : graph->edges[i].callee]++] =
			i;
	perun_free(next);
}

static void finish(struct perun_callgraph *graph)
{
	make_lists(graph, false, &graph->callers);
	make_lists(graph, true, &graph->callees);
}

int perun_callgraph_new(struct perun_ctx *ctx, const struct perun_stacks *stacks,
			const struct perun_graph_options *options, struct perun_callgraph **out)
{
	struct perun_callgraph *graph;
	struct perun_frames_options frames = {0};

	*out = NULL;
	if (stacks->weights == 0)
		return perun_fail(ctx, PERUN_USAGE, "the stacks were not weighed yet");
	graph = perun_alloc_zero(1, sizeof *graph);
	PERUN_STRUCT_TAKE(&graph->options, options);
	graph->stacks = stacks;
	graph->weights = stacks->weights;
	frames.granularity = graph->options.granularity;
	frames.no_inlines = graph->options.no_inlines;
	frames.columns = graph->options.columns;
	frames.objects = graph->options.objects;
	frames.start_lines = graph->options.start_lines;
	frames.file_text = graph->options.file_text;
	frames.data = graph->options.data;
	perun_frames_init(&graph->frames, stacks, &frames);
	if (graph->options.by_path)
		perun_callgraph_walk_paths(graph);
	else
		perun_callgraph_walk(graph);
	finish(graph);
	if (stacks->calls && !graph->options.by_path)
		perun_callgraph_accumulate_calls(graph);
	*out = graph;
	return PERUN_OK;
}

void perun_callgraph_free(struct perun_callgraph *graph)
{
	if (!graph)
		return;
	if (graph->nodes != graph->frames.frames)
		perun_free(graph->nodes);
	perun_frames_clear(&graph->frames);
	perun_free(graph->node_of_frame);
	perun_free(graph->callees_counted);
	perun_free(graph->flat);
	perun_free(graph->cumulative);
	perun_free(graph->edges);
	perun_free(graph->edge_values);
	perun_free(graph->callers.starts);
	perun_free(graph->callers.edges);
	perun_free(graph->callees.starts);
	perun_free(graph->callees.edges);
	perun_free(graph->slots);
	perun_free(graph->parents);
	perun_free(graph->path_frames);
	perun_free(graph->in_edges);
	perun_free(graph);
}

/* ---- a part of a graph ------------------------------------------------------------------------ */

/* Number the nodes that stay; the others get NO_NODE. */
static uint32_t *renumber(const struct perun_callgraph *graph, const uint64_t *keep,
			  struct perun_callgraph *kept)
{
	uint32_t *numbers = perun_alloc(((size_t)graph->count + 1) * sizeof *numbers);

	kept->nodes = perun_alloc(((size_t)graph->count + 1) * sizeof *kept->nodes);
	for (uint32_t i = 0; i < graph->count; i++) {
		numbers[i] = perun_bit(keep, i) ? kept->count : NO_NODE;
		if (perun_bit(keep, i))
			kept->nodes[kept->count++] = graph->nodes[i];
	}
	return numbers;
}

/* The bits of `callees`, by the nodes of the part. */
static uint64_t *renumber_bits(const struct perun_callgraph *graph, const uint32_t *numbers,
			       const uint64_t *callees, uint32_t kept)
{
	uint64_t *bits = perun_alloc_zero(kept / 64 + 1, sizeof *bits);

	for (uint32_t i = 0; i < graph->count; i++) {
		if (numbers[i] != NO_NODE && perun_bit(callees, i))
			bits[numbers[i] / 64] |= UINT64_C(1) << numbers[i] % 64;
	}
	return bits;
}

/* The frames' nodes, from frames to nodes of `graph` to nodes of the part. */
static void keep_frames(const struct perun_callgraph *graph, uint32_t *numbers,
			const uint64_t *callees, struct perun_callgraph *kept)
{
	uint32_t count = whole_of(graph)->frames.count;

	kept->node_of_frame = perun_alloc(((size_t)count + 1) * sizeof *kept->node_of_frame);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = graph->node_of_frame ? graph->node_of_frame[i] : i;

		kept->node_of_frame[i] = node == NO_NODE ? NO_NODE : numbers[node];
	}
	if (callees)
		kept->callees_counted = renumber_bits(graph, numbers, callees, kept->count);
	kept->edges_alone = kept->lose_leaves && graph == whole_of(graph);
	perun_callgraph_walk(kept);
	/* Cumulative values do not change, nor do flat ones where nobody takes over those of others. */
	for (uint32_t i = 0; i < graph->count; i++) {
		for (size_t w = 0; w < kept->weights && numbers[i] != NO_NODE; w++) {
			size_t from = w * graph->count + i, to = w * kept->count + numbers[i];

			kept->cumulative[to] = graph->cumulative[from];
			if (kept->edges_alone)
				kept->flat[to] = graph->flat[from];
		}
	}
	perun_free(numbers);
}

/* Parents come before their children. */
static void keep_paths(const struct perun_callgraph *graph, uint32_t *numbers,
		       struct perun_callgraph *kept)
{
	size_t count = graph->count, new = kept->count;
	uint32_t *owner = perun_alloc((count + 1) * sizeof *owner); /* nearest that stays */

	kept->flat = perun_alloc_zero(new * kept->weights + 1, sizeof(int64_t));
	kept->cumulative = perun_alloc_zero(new * kept->weights + 1, sizeof(int64_t));
	kept->edges = perun_alloc((new + 1) * sizeof *kept->edges);
	kept->node_of_frame = numbers; /* here: of a path */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = numbers[i], parent = graph->parents[i];
		uint32_t caller = parent == NO_NODE ? NO_NODE : owner[parent];
		bool inlined = parent != NO_NODE && graph->edges[graph->in_edges[i]].inlined;
		bool residual = parent != NO_NODE && numbers[parent] == NO_NODE;

		owner[i] = to == NO_NODE ? caller : to;
		for (size_t w = 0; w < kept->weights; w++) {
			if (to != NO_NODE)
				kept->cumulative[w * new + to] = graph->cumulative[w * count + i];
			if (owner[i] != NO_NODE && (to != NO_NODE || !kept->lose_leaves))
				kept->flat[w * new + owner[i]] += graph->flat[w * count + i];
		}
		if (to == NO_NODE || caller == NO_NODE)
			continue;
		for (uint32_t over = parent; residual && inlined && numbers[over] == NO_NODE;
		     over = graph->parents[over])
			inlined = graph->edges[graph->in_edges[over]].inlined;
		kept->edges[kept->edge_count++] =
			(struct perun_edge){caller, to, residual, inlined};
	}
	kept->edge_values = perun_alloc_zero(kept->edge_count * kept->weights + 1, sizeof(int64_t));
	for (uint32_t i = 0; i < kept->edge_count; i++) {
		for (size_t w = 0; w < kept->weights; w++)
			kept->edge_values[w * kept->edge_count + i] =
				kept->cumulative[w * new + kept->edges[i].callee];
	}
	perun_free(owner);
}

static int keep_part(struct perun_ctx *ctx, const struct perun_callgraph *graph,
		     const uint64_t *keep, bool lose_leaves, const uint64_t *callees,
		     struct perun_callgraph **out)
{
	struct perun_callgraph *kept;
	uint32_t *numbers;

	*out = NULL;
	if (graph->options.by_path && graph->whole)
		return perun_fail(ctx, PERUN_USAGE, "a part of a graph by path has no parts");
	kept = perun_alloc_zero(1, sizeof *kept);
	kept->stacks = graph->stacks;
	kept->options = graph->options;
	kept->weights = graph->weights;
	kept->whole = whole_of(graph);
	kept->lose_leaves = lose_leaves;
	numbers = renumber(graph, keep, kept);
	if (graph->options.by_path)
		keep_paths(graph, numbers, kept);
	else
		keep_frames(graph, numbers, callees, kept);
	finish(kept);
	*out = kept;
	return PERUN_OK;
}

int perun_callgraph_keep(struct perun_ctx *ctx, const struct perun_callgraph *graph,
			 const uint64_t *keep, bool lose_leaves, struct perun_callgraph **kept)
{
	return keep_part(ctx, graph, keep, lose_leaves, NULL, kept);
}

int perun_callgraph_keep_edges_to(struct perun_ctx *ctx, const struct perun_callgraph *graph,
				  const uint64_t *keep, const uint64_t *callees,
				  struct perun_callgraph **kept)
{
	return keep_part(ctx, graph, keep, true, callees, kept);
}

/* ---- reading ---------------------------------------------------------------------------------- */

const struct perun_frame *perun_callgraph_nodes(const struct perun_callgraph *graph, size_t *count)
{
	if (count)
		*count = graph->count;
	return graph->nodes;
}

const int64_t *perun_callgraph_flat(const struct perun_callgraph *graph, size_t i)
{
	return graph->flat + i * graph->count;
}

const int64_t *perun_callgraph_cumulative(const struct perun_callgraph *graph, size_t i)
{
	return graph->cumulative + i * graph->count;
}

const struct perun_edge *perun_callgraph_edges(const struct perun_callgraph *graph, size_t *count)
{
	if (count)
		*count = graph->edge_count;
	return graph->edges;
}

const int64_t *perun_callgraph_edge_values(const struct perun_callgraph *graph, size_t i)
{
	return graph->edge_values + i * graph->edge_count;
}

static const uint32_t *list_of(const struct perun_edge_lists *lists, uint32_t node, size_t *count)
{
	*count = lists->starts[node + 1] - lists->starts[node];
	return lists->edges + lists->starts[node];
}

const uint32_t *perun_callgraph_callers(const struct perun_callgraph *graph, uint32_t node,
					size_t *count)
{
	return list_of(&graph->callers, node, count);
}

const uint32_t *perun_callgraph_callees(const struct perun_callgraph *graph, uint32_t node,
					size_t *count)
{
	return list_of(&graph->callees, node, count);
}

uint32_t perun_callgraph_node_at(const struct perun_callgraph *graph, uint32_t frame,
				 uint32_t *path)
{
	const struct perun_callgraph *whole = whole_of(graph);

	if (!graph->options.by_path)
		return graph->node_of_frame ? graph->node_of_frame[frame] : frame;
	*path = perun_callgraph_child((struct perun_callgraph *)whole, *path, frame, false);
	if (*path == NO_NODE || !graph->node_of_frame)
		return *path;
	return graph->node_of_frame[*path];
}

/* Nodes of a stack's frames, the root first: those from `skipped` on, as far as there is room. Returns how many all are. */
static size_t walk_path(const struct perun_callgraph *graph, const perun_id *locations,
			size_t count, size_t skipped, uint32_t *nodes, size_t room)
{
	struct perun_frames *frames = (struct perun_frames *)&whole_of(graph)->frames;
	uint32_t path = NO_NODE, frame_count;
	size_t total = 0;

	while (count-- > 0) {
		const uint32_t *list = perun_frames_of(frames, locations[count], &frame_count);

		for (uint32_t k = frame_count; k-- > 0;) {
			uint32_t node = perun_callgraph_node_at(graph, list[k], &path);

			if (node == NO_NODE)
				continue;
			if (total >= skipped && total - skipped < room)
				nodes[total - skipped] = node;
			total++;
		}
	}
	return total;
}

size_t perun_callgraph_path(const struct perun_callgraph *graph, size_t row, uint32_t *nodes,
			    size_t room)
{
	size_t first, end, total, stored;
	const perun_id *locations;
	perun_id stack;

	if (!perun_stacks_row(graph->stacks, row, &stack, &first, &end) ||
	    !perun_bit(graph->stacks->live, stack))
		return 0;
	locations = perun_stacks_locations(graph->stacks, stack) + first;
	total = walk_path(graph, locations, end - first, 0, nodes, room);
	/* It is those next to the leaf that are stored. */
	if (total > room)
		walk_path(graph, locations, end - first, total - room, nodes, room);
	stored = total < room ? total : room;
	for (size_t i = 0; i < stored / 2; i++) {
		uint32_t node = nodes[i];

		nodes[i] = nodes[stored - 1 - i];
		nodes[stored - 1 - i] = node;
	}
	return total;
}
