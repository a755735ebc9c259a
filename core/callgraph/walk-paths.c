/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph by path: a node for each distinct path of frames. */
#include <string.h>

#include "core/callgraph/graph.h"
#include "core/context/hash.h"

/* All weights side by side to one array a weight. */
static int64_t *by_weight(const int64_t *values, size_t count, size_t weights)
{
	int64_t *result = perun_alloc_zero(count * weights + 1, sizeof *result);

	for (size_t i = 0; i < count; i++) {
		for (size_t w = 0; w < weights; w++)
			result[w * count + i] = values[i * weights + w];
	}
	return result;
}

static inline uint32_t path_slot(const struct perun_callgraph *graph, uint32_t parent,
				 uint32_t frame)
{
	return (uint32_t)(perun_hash_word((uint64_t)parent << 32 | frame, perun_hash_secret)) &
	       graph->slot_mask;
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
			perun_add_weights(sums->cumulative + node * graph->weights, values,
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
		perun_add_weights(sums->flat + parent * graph->weights, values, graph->weights);
}

void perun_callgraph_walk_paths(struct perun_callgraph *graph)
{
	const struct perun_stacks *stacks = graph->stacks;
	size_t first, end, weights = graph->weights;
	struct path_sums sums = {0};

	for (size_t i = 0; i < stacks->stack_count; i++) {
		if (perun_bit(stacks->live, i) &&
		    perun_stacks_cut(stacks, (perun_id)i, &first, &end))
			count_path(graph, &sums, perun_stacks_locations(stacks, (perun_id)i), first,
				   end, stacks->sums + i * weights);
	}
	graph->nodes = perun_alloc((graph->count + 1) * sizeof *graph->nodes);
	for (uint32_t i = 0; i < graph->count; i++)
		graph->nodes[i] = graph->frames.frames[graph->path_frames[i]];
	graph->cumulative = by_weight(sums.cumulative, graph->count, weights);
	graph->flat = by_weight(sums.flat, graph->count, weights);
	graph->edge_values = perun_alloc_zero(graph->edge_count * weights + 1, sizeof(int64_t));
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		for (size_t w = 0; w < weights; w++)
			graph->edge_values[w * graph->edge_count + i] =
				graph->cumulative[w * graph->count + graph->edges[i].callee];
	}
	perun_free(sums.cumulative);
	perun_free(sums.flat);
}
