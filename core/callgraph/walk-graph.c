/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding up the values of nodes and edges, stack by stack. */
#include <string.h>

#include "core/callgraph/graph.h"
#include "core/profile/hash.h"

/* What is summed, all weights of a node (or edge) side by side. */
struct sums {
	int64_t *values;
	uint32_t *stamps; /* of the last stack that was counted here */
	size_t capacity;
};

struct walk {
	struct perun_callgraph *graph;
	struct perun_frames *frames;
	size_t weights;
	struct sums nodes; /* cumulative values, then flat ones */
	struct sums edges;
	uint32_t stamp;
};

static void grow_sums(struct sums *sums, size_t count, size_t weights)
{
	size_t old = sums->capacity;

	if (count <= old)
		return;
	sums->capacity = old * 2 > count ? old * 2 : count + 64;
	sums->values =
		perun_realloc_array(sums->values, sums->capacity * weights, sizeof *sums->values);
	sums->stamps = perun_realloc_array(sums->stamps, sums->capacity, sizeof *sums->stamps);
	memset(sums->values + old * weights, 0,
	       (sums->capacity - old) * weights * sizeof *sums->values);
	memset(sums->stamps + old, 0, (sums->capacity - old) * sizeof *sums->stamps);
}

static inline void add_weights(int64_t *to, const int64_t *values, size_t weights)
{
	for (size_t i = 0; i < weights; i++)
		to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)values[i]);
}

/* ---- edges ------------------------------------------------------------------------------------ */

static inline uint32_t edge_slot(const struct perun_callgraph *graph, uint32_t a, uint32_t b)
{
	return (uint32_t)(perun_hash_word((uint64_t)a << 32 | b, 1)) & graph->slot_mask;
}

static void grow_edges(struct perun_callgraph *graph)
{
	uint32_t mask = graph->slot_mask;

	if (graph->slots && ((uint64_t)graph->edge_count + 1) * 3 <= ((uint64_t)mask + 1) * 2)
		return;
	mask = graph->slots ? mask * 2 + 1 : 1023;
	perun_free(graph->slots);
	graph->slots = perun_alloc_zero((size_t)mask + 1, sizeof *graph->slots);
	graph->slot_mask = mask;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		uint32_t slot = edge_slot(graph, graph->edges[i].caller, graph->edges[i].callee);

		while (graph->slots[slot])
			slot = (slot + 1) & mask;
		graph->slots[slot] = i + 1;
	}
}

uint32_t perun_callgraph_edge(struct perun_callgraph *graph, uint32_t caller, uint32_t callee,
			      bool residual, bool inlined)
{
	uint32_t slot, i;

	grow_edges(graph);
	slot = edge_slot(graph, caller, callee);
	for (; (i = graph->slots[slot]) != 0; slot = (slot + 1) & graph->slot_mask) {
		if (graph->edges[i - 1].caller == caller && graph->edges[i - 1].callee == callee)
			return i - 1;
	}
	PERUN_GROW(graph->edges, graph->edge_count, graph->edge_capacity);
	graph->edges[graph->edge_count++] = (struct perun_edge){caller, callee, residual, inlined};
	graph->slots[slot] = graph->edge_count;
	return graph->edge_count - 1;
}

/* ---- stacks ----------------------------------------------------------------------------------- */

static void count_edge(struct walk *walk, const int64_t *values, uint32_t caller, uint32_t callee,
		       bool residual, bool inlined)
{
	struct perun_callgraph *graph = walk->graph;
	uint32_t edge = perun_callgraph_edge(graph, caller, callee, residual, inlined);

	grow_sums(&walk->edges, graph->edge_count, walk->weights);
	if (walk->edges.stamps[edge] == walk->stamp)
		return;
	walk->edges.stamps[edge] = walk->stamp;
	graph->edges[edge].residual |= residual;
	graph->edges[edge].inlined &= inlined;
	add_weights(walk->edges.values + edge * walk->weights, values, walk->weights);
}

static void count_node(struct walk *walk, const int64_t *values, uint32_t node)
{
	if (walk->nodes.stamps[node] == walk->stamp)
		return;
	walk->nodes.stamps[node] = walk->stamp;
	add_weights(walk->nodes.values + node * 2 * walk->weights, values, walk->weights);
}

/* From the root to the leaf. */
static void count_stack(struct walk *walk, const perun_id *locations, size_t first, size_t end,
			const int64_t *values)
{
	const struct perun_callgraph *graph = walk->graph;
	uint32_t parent = NO_NODE, count;
	bool residual = false;

	for (size_t i = end; i-- > first;) {
		const uint32_t *frames = perun_frames_of(walk->frames, locations[i], &count);

		grow_sums(&walk->nodes, walk->frames->count, 2 * walk->weights);
		for (uint32_t k = count; k-- > 0;) {
			uint32_t node = frames[k];

			if (graph->node_of_frame)
				node = graph->node_of_frame[node];
			if (node == NO_NODE) {
				residual = true;
				continue;
			}
			count_node(walk, values, node);
			if (!graph->options.no_edges && parent != NO_NODE && node != parent)
				count_edge(walk, values, parent, node, residual, k != count - 1);
			parent = node;
			residual = false;
		}
	}
	if (parent == NO_NODE || (residual && graph->lose_leaves))
		return;
	add_weights(walk->nodes.values + (parent * 2 + 1) * walk->weights, values, walk->weights);
}

/* Values of all weights side by side, `stride` apart, to one array a weight. */
static int64_t *by_weight(const int64_t *values, size_t stride, size_t count, size_t weights)
{
	int64_t *result = perun_alloc_zero(count * weights + 1, sizeof *result);

	for (size_t i = 0; values && i < count; i++) {
		for (size_t w = 0; w < weights; w++)
			result[w * count + i] = values[i * stride + w];
	}
	return result;
}

static void finish(struct walk *walk)
{
	struct perun_callgraph *graph = walk->graph;
	size_t weights = walk->weights;

	if (!graph->node_of_frame) {
		graph->nodes = walk->frames->frames;
		graph->count = walk->frames->count;
	}
	grow_sums(&walk->nodes, graph->count, 2 * weights);
	graph->cumulative = by_weight(walk->nodes.values, 2 * weights, graph->count, weights);
	graph->flat = by_weight(walk->nodes.values ? walk->nodes.values + weights : NULL,
				2 * weights, graph->count, weights);
	graph->edge_values = by_weight(walk->edges.values, weights, graph->edge_count, weights);
	perun_free(walk->nodes.values);
	perun_free(walk->nodes.stamps);
	perun_free(walk->edges.values);
	perun_free(walk->edges.stamps);
	perun_free(graph->slots);
	graph->slots = NULL;
}

static bool is_live(const struct perun_stacks *stacks, size_t i, size_t *first, size_t *end)
{
	return perun_bit(stacks->live, i) && perun_stacks_cut(stacks, (perun_id)i, first, end);
}

void perun_callgraph_walk(struct perun_callgraph *graph)
{
	const struct perun_stacks *stacks = graph->stacks;
	struct walk walk = {.graph = graph,
			    .frames = graph->whole ? (struct perun_frames *)&graph->whole->frames
						   : &graph->frames,
			    .weights = graph->weights};
	size_t first, end;

	for (size_t i = 0; i < stacks->stack_count; i++) {
		if (!is_live(stacks, i, &first, &end))
			continue;
		walk.stamp++;
		count_stack(&walk, perun_stacks_locations(stacks, (perun_id)i), first, end,
			    stacks->sums + i * stacks->weights);
	}
	finish(&walk);
}

/* ---- paths ------------------------------------------------------------------------------------ */

static inline uint32_t path_slot(const struct perun_callgraph *graph, uint32_t parent,
				 uint32_t frame)
{
	return (uint32_t)(perun_hash_word((uint64_t)parent << 32 | frame, 1)) & graph->slot_mask;
}

static void grow_paths(struct perun_callgraph *graph)
{
	uint32_t mask = graph->slot_mask;

	if (graph->slots && ((uint64_t)graph->count + 1) * 3 <= ((uint64_t)mask + 1) * 2)
		return;
	mask = graph->slots ? mask * 2 + 1 : 1023;
	perun_free(graph->slots);
	graph->slots = perun_alloc_zero((size_t)mask + 1, sizeof *graph->slots);
	graph->slot_mask = mask;
	for (uint32_t i = 0; i < graph->count; i++) {
		uint32_t slot = path_slot(graph, graph->parents[i], graph->path_frames[i]);

		while (graph->slots[slot])
			slot = (slot + 1) & mask;
		graph->slots[slot] = i + 1;
	}
}

uint32_t perun_callgraph_child(struct perun_callgraph *graph, uint32_t parent, uint32_t frame,
			       bool add)
{
	uint32_t slot, i;

	if (add)
		grow_paths(graph);
	if (!graph->slots)
		return NO_NODE;
	slot = path_slot(graph, parent, frame);
	for (; (i = graph->slots[slot]) != 0; slot = (slot + 1) & graph->slot_mask) {
		if (graph->parents[i - 1] == parent && graph->path_frames[i - 1] == frame)
			return i - 1;
	}
	if (!add)
		return NO_NODE;
	if (graph->count == graph->capacity) {
		graph->capacity = graph->capacity ? graph->capacity * 2 : 64;
		graph->parents = perun_realloc_array(graph->parents, graph->capacity,
						     sizeof *graph->parents);
		graph->path_frames = perun_realloc_array(graph->path_frames, graph->capacity,
							 sizeof *graph->path_frames);
		graph->in_edges = perun_realloc_array(graph->in_edges, graph->capacity,
						      sizeof *graph->in_edges);
	}
	graph->parents[graph->count] = parent;
	graph->path_frames[graph->count] = frame;
	graph->in_edges[graph->count] = NO_NODE;
	graph->slots[slot] = ++graph->count;
	return graph->count - 1;
}

struct path_sums {
	int64_t *cumulative, *flat;
	size_t capacity;
};

static void grow_path_sums(struct path_sums *sums, size_t count, size_t weights)
{
	size_t old = sums->capacity;

	if (count <= old)
		return;
	sums->capacity = old * 2 > count ? old * 2 : count + 64;
	sums->cumulative = perun_realloc_array(sums->cumulative, sums->capacity * weights, 8);
	sums->flat = perun_realloc_array(sums->flat, sums->capacity * weights, 8);
	memset(sums->cumulative + old * weights, 0, (sums->capacity - old) * weights * 8);
	memset(sums->flat + old * weights, 0, (sums->capacity - old) * weights * 8);
}

static void count_path(struct perun_callgraph *graph, struct path_sums *sums,
		       const perun_id *locations, size_t first, size_t end, const int64_t *values)
{
	uint32_t parent = NO_NODE, count;

	for (size_t i = end; i-- > first;) {
		perun_frames_of(&graph->frames, locations[i], &count);
		for (uint32_t k = count; k-- > 0;) {
			uint32_t frame = perun_frames_of(&graph->frames, locations[i], &count)[k];
			uint32_t node = perun_callgraph_child(graph, parent, frame, true), edge;
			bool inlined = k != count - 1;

			grow_path_sums(sums, graph->count, graph->weights);
			add_weights(sums->cumulative + node * graph->weights, values,
				    graph->weights);
			edge = graph->in_edges[node];
			if (parent != NO_NODE && edge == NO_NODE) {
				PERUN_GROW(graph->edges, graph->edge_count, graph->edge_capacity);
				edge = graph->in_edges[node] = graph->edge_count++;
				graph->edges[edge] =
					(struct perun_edge){parent, node, false, inlined};
			}
			if (parent != NO_NODE)
				graph->edges[edge].inlined &= inlined;
			parent = node;
		}
	}
	if (parent != NO_NODE)
		add_weights(sums->flat + parent * graph->weights, values, graph->weights);
}

void perun_callgraph_walk_paths(struct perun_callgraph *graph)
{
	const struct perun_stacks *stacks = graph->stacks;
	size_t first, end, weights = graph->weights;
	struct path_sums sums = {0};

	for (size_t i = 0; i < stacks->stack_count; i++) {
		if (is_live(stacks, i, &first, &end))
			count_path(graph, &sums, perun_stacks_locations(stacks, (perun_id)i), first,
				   end, stacks->sums + i * weights);
	}
	graph->nodes = perun_alloc((graph->count + 1) * sizeof *graph->nodes);
	for (uint32_t i = 0; i < graph->count; i++)
		graph->nodes[i] = graph->frames.frames[graph->path_frames[i]];
	graph->cumulative = by_weight(sums.cumulative, weights, graph->count, weights);
	graph->flat = by_weight(sums.flat, weights, graph->count, weights);
	graph->edge_values = perun_alloc_zero(graph->edge_count * weights + 1, sizeof(int64_t));
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		for (size_t w = 0; w < weights; w++)
			graph->edge_values[w * graph->edge_count + i] =
				graph->cumulative[w * graph->count + graph->edges[i].callee];
	}
	perun_free(sums.cumulative);
	perun_free(sums.flat);
}
