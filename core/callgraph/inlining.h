/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ways to find out what is inlined share; for the files of this folder. */
#ifndef PERUN_CORE_CALLGRAPH_INLINING_H
#define PERUN_CORE_CALLGRAPH_INLINING_H

#include "core/callgraph/graph.h"

struct perun_inlining_search {
	const struct perun_callgraph *graph;
	struct perun_frames *frames;
	const uint64_t *keep;
	uint64_t *
		inlined; /* nodes that are kept and may be inlined; those whose answer is not known yet */
	int64_t least;
	uint8_t *how;
};

/* The node of a frame if it is kept, else NO_NODE. */
static inline uint32_t perun_kept_node(const struct perun_inlining_search *search, uint32_t frame)
{
	const uint32_t *node_of_frame = search->graph->node_of_frame;
	uint32_t node = node_of_frame ? node_of_frame[frame] : frame;

	return node != NO_NODE && perun_bit(search->keep, node) ? node : NO_NODE;
}

static inline uint64_t perun_magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The answer, from whether some edge that weighs enough is inlined and some is not. */
static inline uint8_t perun_inlining_of(bool inlined, bool called)
{
	if (!inlined)
		return PERUN_NOT_INLINED;
	return called ? PERUN_PARTLY_INLINED : PERUN_INLINED;
}

/*
 * Counts all edges to the nodes in `inlined` in a matrix and clears these; false, and nothing is done, where a matrix
 * would be too large or not worth its memory.
 */
bool perun_inlining_by_matrix(struct perun_inlining_search *search);

#endif
