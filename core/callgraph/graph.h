/* SPDX-License-Identifier: BSD-3-Clause */
/* A call graph while it is built and after; for the files of this folder. */
#ifndef PERUN_CORE_CALLGRAPH_GRAPH_H
#define PERUN_CORE_CALLGRAPH_GRAPH_H

#include "core/callgraph/frames.h"
#include "core/callgraph/paths.h"

#define NO_NODE UINT32_MAX

/* Edges of each node, one after the other: of node n those at [starts[n], starts[n + 1]). */
struct perun_edge_lists {
	uint32_t *starts, *edges;
};

struct perun_callgraph {
	const struct perun_stacks *stacks;
	struct perun_graph_options options;
	size_t weights;
	struct perun_frames frames;
	const struct perun_callgraph *whole; /* whose `frames` a kept graph uses */
	uint32_t *node_of_frame; /* of a kept graph; NULL: nodes are frames (or paths) */
	bool lose_leaves;
	bool edges_alone;          /* while it is built: nodes' values are copied */
	uint64_t *callees_counted; /* nodes that edges are counted to; NULL: all */
	/* Nodes, and values by weight: of weight i those at [i * count, (i + 1) * count). */
	struct perun_frame *nodes;
	uint32_t count, capacity;
	int64_t *flat, *cumulative;
	struct perun_edge *edges;
	uint32_t edge_count, edge_capacity;
	int64_t *edge_values;
	struct perun_edge_lists callers, callees;
	/* By path: */
	uint32_t *slots, slot_mask;      /* nodes by parent and frame */
	uint32_t *parents, *path_frames; /* of a node: NO_NODE, or its caller; its frame */
	uint32_t *in_edges;              /* of a node with a parent */
};

/* The graph whose frames and paths one has: of a kept graph the whole one. */
static inline const struct perun_callgraph *whole_of(const struct perun_callgraph *graph)
{
	return graph->whole ? graph->whole : graph;
}

/* Walk all stacks and fill in nodes, values and edges. */
void perun_callgraph_walk(struct perun_callgraph *graph);
void perun_callgraph_walk_paths(struct perun_callgraph *graph);
/* The graph again as perun_callgraph_keep() makes it, losing leaves, but with edges only to `callees`. */
int perun_callgraph_keep_edges_to(struct perun_ctx *ctx, const struct perun_callgraph *graph,
				  const uint64_t *keep, const uint64_t *callees,
				  struct perun_callgraph **kept);
/* Calls add(...) for each row of the table "calls" whose two nodes are there. */
void perun_callgraph_each_call(struct perun_callgraph *graph, struct perun_frames *frames,
			       void (*add)(void *data, uint32_t caller, uint32_t callee,
					   const int64_t *values),
			       void *data);
/* Cumulative values from flat ones and from the edges, which hold inclusive costs. */
void perun_callgraph_accumulate_calls(struct perun_callgraph *graph);
/* The node of a frame below `*path` (NO_NODE of the outermost; it becomes the frame's), or NO_NODE. */
uint32_t perun_callgraph_node_at(const struct perun_callgraph *graph, uint32_t frame,
				 uint32_t *path);
/* The node of a path, or NO_NODE when there is none; made with `add`. */
uint32_t perun_callgraph_child(struct perun_callgraph *graph, uint32_t parent, uint32_t frame,
			       bool add);

#endif
