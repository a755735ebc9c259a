/* SPDX-License-Identifier: BSD-3-Clause */
/* What is inlined: known from the edges that lead to it. */
#include <string.h>

#include "core/callgraph/graph.h"

struct search {
	const struct perun_callgraph *graph;
	const uint64_t *keep;
	uint64_t *inlined; /* nodes that are kept and may be inlined */
	int64_t least;
	uint8_t *how;
};

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint8_t judge(const struct search *search, const struct perun_callgraph *part, uint32_t node)
{
	const struct perun_edge *edges = perun_callgraph_edges(part, NULL);
	const int64_t *values = perun_callgraph_edge_values(part, 0);
	bool inlined = false, called = false;
	size_t count;
	const uint32_t *callers = perun_callgraph_callers(part, node, &count);

	for (size_t i = 0; i < count; i++) {
		if (magnitude(values[callers[i]]) < (uint64_t)search->least)
			continue;
		inlined |= edges[callers[i]].inlined;
		called |= !edges[callers[i]].inlined;
	}
	if (!inlined)
		return PERUN_NOT_INLINED;
	return called ? PERUN_PARTLY_INLINED : PERUN_INLINED;
}

static int look_at_edges(struct perun_ctx *ctx, const struct search *search)
{
	struct perun_callgraph *part;
	uint32_t node = 0;
	int status = perun_callgraph_keep_edges_to(ctx, search->graph, search->keep,
						   search->inlined, &part);

	if (status)
		return status;
	for (uint32_t i = 0; i < search->graph->count; i++) {
		if (perun_bit(search->inlined, i))
			search->how[i] = judge(search, part, node);
		node += perun_bit(search->keep, i);
	}
	perun_callgraph_free(part);
	return PERUN_OK;
}

/* Nodes that are not the outermost line of some location; only these can be inlined. */
static bool find_inlined(const struct search *search)
{
	const struct perun_callgraph *graph = search->graph;
	const struct perun_frames *frames = &(graph->whole ? graph->whole : graph)->frames;
	bool any = false;

	for (size_t at = 0, count; at < frames->list_count; at += count) {
		count = frames->lists[at++];
		for (size_t i = 0; i + 1 < count; i++) {
			uint32_t frame = frames->lists[at + i];
			uint32_t node = graph->node_of_frame ? graph->node_of_frame[frame] : frame;

			if (node == NO_NODE || !perun_bit(search->keep, node))
				continue;
			search->inlined[node / 64] |= UINT64_C(1) << node % 64;
			any = true;
		}
	}
	return any;
}

int perun_callgraph_inlining(struct perun_ctx *ctx, const struct perun_callgraph *graph,
			     const uint64_t *keep, int64_t least, uint8_t *how)
{
	struct search search = {.graph = graph, .keep = keep, .how = how};
	int status = PERUN_OK;

	if (graph->options.by_path)
		return perun_fail(ctx, PERUN_USAGE, "the nodes of a graph by path are paths");
	search.least = least < 0 ? 0 : least;
	search.inlined = perun_alloc_zero(graph->count / 64 + 1, sizeof *search.inlined);
	memset(how, PERUN_NOT_INLINED, graph->count);
	if (find_inlined(&search))
		status = look_at_edges(ctx, &search);
	perun_free(search.inlined);
	return status;
}
