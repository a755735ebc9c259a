/* SPDX-License-Identifier: BSD-3-Clause */
/* Call graphs of profiles that know calls but no stacks (callgrind): table "calls". */
#include <math.h>
#include <string.h>

#include "core/callgraph/graph.h"

/* ---- edges ------------------------------------------------------------------------------------ */

/* The node of the one frame of a stack: of a caller the innermost line, of a callee the outermost. */
static uint32_t node_of_stack(struct perun_frames *frames, const uint32_t *node_of_frame,
			      perun_id stack, bool innermost)
{
	size_t first, end;
	uint32_t count, frame;
	const uint32_t *list;

	if (stack == PERUN_NO_ID || !perun_stacks_cut(frames->stacks, stack, &first, &end) ||
	    first == end)
		return NO_NODE;
	list = perun_frames_of(frames, perun_stacks_locations(frames->stacks, stack)[first],
			       &count);
	if (count == 0)
		return NO_NODE;
	frame = list[innermost ? 0 : count - 1];
	return node_of_frame ? node_of_frame[frame] : frame;
}

/* The column of inclusive costs that goes with a weight, or NULL. */
static const struct perun_column *costs_of(const struct perun_stacks *stacks, size_t weight)
{
	const struct perun_column *own = stacks->weighed[weight];

	return own ? perun_table_column(stacks->calls, perun_column_info(own)->name) : NULL;
}

static int64_t cost(const struct perun_column *column, size_t row, double scale)
{
	double value;

	if (!column || perun_column_absent(column, row))
		return 0;
	if (perun_column_info(column)->type != PERUN_TYPE_DOUBLE)
		return perun_column_int64(column, row);
	value = perun_column_double(column, row) / scale;
	return fabs(value) < 0x1p62 ? llrint(value) : 0;
}

void perun_callgraph_each_call(struct perun_callgraph *graph, struct perun_frames *frames,
			       void (*add)(void *data, uint32_t caller, uint32_t callee,
					   const int64_t *values),
			       void *data)
{
	const struct perun_stacks *stacks = graph->stacks;
	const struct perun_column *caller = perun_table_column(stacks->calls, "caller");
	const struct perun_column *callee = perun_table_column(stacks->calls, "callee");
	const struct perun_column *costs[PERUN_WEIGHTS];
	int64_t values[PERUN_WEIGHTS];

	for (size_t w = 0; w < graph->weights; w++)
		costs[w] = costs_of(stacks, w);
	for (size_t row = 0; row < perun_table_rows(stacks->calls); row++) {
		uint32_t from = node_of_stack(frames, graph->node_of_frame,
					      perun_column_id(caller, row), true);
		uint32_t to = node_of_stack(frames, graph->node_of_frame,
					    perun_column_id(callee, row), false);

		if (from == NO_NODE || to == NO_NODE)
			continue;
		for (size_t w = 0; w < graph->weights; w++)
			values[w] = cost(costs[w], row, stacks->scale[w]);
		add(data, from, to, values);
	}
}

/* ---- cumulative values ------------------------------------------------------------------------ */

/*
 * The cycles of the graph: strongly connected components, R. Tarjan, "Depth-First Search and Linear
 * Graph Algorithms", SIAM J. Comput. 1972; without recursion.
 */
struct cycles {
	const struct perun_callgraph *graph;
	uint32_t *index, *low; /* 0: not visited */
	uint32_t *component;   /* NO_NODE: not known yet */
	uint32_t *path, *next; /* nodes that are visited, and how many of their edges are done */
	uint32_t *stack;
	uint32_t depth, stacked, visited, components;
};

static void visit(struct cycles *c, uint32_t node)
{
	c->path[c->depth++] = node;
	c->stack[c->stacked++] = node;
	c->index[node] = c->low[node] = ++c->visited;
}

static void leave(struct cycles *c, uint32_t node)
{
	uint32_t member;

	if (--c->depth > 0 && c->low[node] < c->low[c->path[c->depth - 1]])
		c->low[c->path[c->depth - 1]] = c->low[node];
	if (c->low[node] != c->index[node])
		return;
	do {
		member = c->stack[--c->stacked];
		c->component[member] = c->components;
	} while (member != node);
	c->components++;
}

static void search(struct cycles *c, uint32_t root)
{
	visit(c, root);
	while (c->depth > 0) {
		uint32_t node = c->path[c->depth - 1], callee;
		size_t count;
		const uint32_t *edges = perun_callgraph_callees(c->graph, node, &count);

		if (c->next[node] == count) {
			leave(c, node);
			continue;
		}
		callee = c->graph->edges[edges[c->next[node]++]].callee;
		if (!c->index[callee])
			visit(c, callee);
		else if (c->component[callee] == NO_NODE && c->index[callee] < c->low[node])
			c->low[node] = c->index[callee];
	}
}

static uint32_t *find_cycles(const struct perun_callgraph *graph, uint32_t *components)
{
	size_t count = (size_t)graph->count + 1;
	struct cycles c = {.graph = graph};
	uint32_t *memory = perun_alloc_zero(count * 5, sizeof *memory);

	c.index = memory;
	c.low = memory + count;
	c.path = memory + 2 * count;
	c.next = memory + 3 * count;
	c.stack = memory + 4 * count;
	c.component = perun_alloc(count * sizeof *c.component);
	memset(c.component, 0xff, count * sizeof *c.component);
	for (uint32_t i = 0; i < graph->count; i++) {
		if (!c.index[i])
			search(&c, i);
	}
	perun_free(memory);
	*components = c.components;
	return c.component;
}

static void add(int64_t *to, int64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = value < 0 ? INT64_MIN : INT64_MAX;
}

static void accumulate(struct perun_callgraph *graph, size_t w, const uint32_t *component,
		       int64_t *bounds)
{
	int64_t *cumulative = graph->cumulative + w * graph->count;
	const int64_t *flat = graph->flat + w * graph->count;
	const int64_t *values = graph->edge_values + w * graph->edge_count;

	for (uint32_t i = 0; i < graph->count; i++) {
		cumulative[i] = flat[i];
		add(&bounds[component[i]], flat[i]);
	}
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct perun_edge *edge = &graph->edges[i];

		add(&cumulative[edge->caller], values[i]);
		if (component[edge->caller] != component[edge->callee])
			add(&bounds[component[edge->caller]], values[i]);
	}
	for (uint32_t i = 0; i < graph->count; i++) {
		if (cumulative[i] > bounds[component[i]])
			cumulative[i] = bounds[component[i]];
	}
}

void perun_callgraph_accumulate_calls(struct perun_callgraph *graph)
{
	uint32_t components, *component = find_cycles(graph, &components);
	int64_t *bounds = perun_alloc((components + 1) * sizeof *bounds);

	for (size_t w = 0; w < graph->weights; w++) {
		memset(bounds, 0, components * sizeof *bounds);
		accumulate(graph, w, component, bounds);
	}
	perun_free(bounds);
	perun_free(component);
}
