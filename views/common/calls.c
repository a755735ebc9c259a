/* SPDX-License-Identifier: BSD-3-Clause */
/* Direct callers and callees of a function, of profiles that know calls but no stacks. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/tree.h"

bool views_has_only_calls(const struct views_data *data)
{
	const struct perun_table *calls = perun_profile_table(data->profile, "calls");

	return calls && perun_table_rows(calls) > 0;
}

/* The calls of a node as rows, after those that are there. */
static void add_calls(const struct views_data *data, const struct perun_callgraph *graph,
		      uint32_t node, bool callers, struct views_rows *rows)
{
	size_t count, edge_count;
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);
	const struct perun_edge *edges = perun_callgraph_edges(graph, &edge_count);
	const int64_t *values = perun_callgraph_edge_values(graph, 0);
	const uint32_t *numbers = callers ? perun_callgraph_callers(graph, node, &count)
					  : perun_callgraph_callees(graph, node, &count);
	struct perun_buffer name = {0};

	for (size_t i = 0; i < count; i++) {
		const struct perun_edge *edge = &edges[numbers[i]];
		uint32_t other = callers ? edge->caller : edge->callee;
		struct views_row *row;

		perun_buffer_clear(&name);
		perun_frame_name(data->profile, &nodes[other], &name);
		PERUN_GROW(rows->items, rows->count, rows->capacity);
		row = &rows->items[rows->count++];
		*row = (struct views_row){.depth = 1,
					  .line = nodes[other].line,
					  .address = nodes[other].address,
					  .source = {other, SIZE_MAX}};
		row->name = perun_strdup(name.length ? name.data : "");
		row->file =
			perun_strdup(perun_profile_string(data->profile, nodes[other].file, NULL));
		row->total[0] = (long double)values[numbers[i]] * data->scale;
	}
	perun_buffer_free(&name);
}

/* Put what is below the share in one row, at the end. */
static void merge_small(struct views_rows *rows, long double minimum)
{
	struct views_hidden hidden;
	struct views_row *row;
	long double all = 0;

	for (size_t i = 0; i < rows->count; i++)
		all += rows->items[i].total[0];
	views_rows_limit(rows, VIEWS_BY_TOTAL, minimum, 0, &hidden);
	if (!hidden.small)
		return;
	for (size_t i = 0; i < rows->count; i++)
		all -= rows->items[i].total[0];
	PERUN_GROW(rows->items, rows->count, rows->capacity);
	row = &rows->items[rows->count++];
	*row = (struct views_row){.depth = 1,
				  .aside = true,
				  .merged = (unsigned)hidden.small,
				  .total = {all},
				  .source = {SIZE_MAX, SIZE_MAX}};
	row->name = perun_format("%zu smaller", hidden.small);
	row->file = perun_strdup("");
}

/* The row of the function in front of those of its calls. */
static void read_calls(const struct views_data *data, const struct views_tree_request *request,
		       const struct perun_callgraph *graph, struct views_row *function,
		       struct views_tree *tree)
{
	struct views_rows calls = {0}, *rows = &tree->rows;

	add_calls(data, graph, (uint32_t)function->source[0], request->inverted, &calls);
	views_rows_sort(&calls,
			request->order == VIEWS_TREE_BY_NAME ? VIEWS_BY_NAME : VIEWS_BY_TOTAL);
	merge_small(&calls, (long double)request->minimum * function->total[0]);
	tree->whole = function->total[0];
	rows->items = perun_alloc_zero(calls.count + 1, sizeof *rows->items);
	rows->capacity = calls.count + 1;
	rows->items[rows->count++] = *function;
	rows->items[0].parent = SIZE_MAX;
	*function = (struct views_row){0};
	for (size_t i = 0; i < calls.count; i++) {
		if (request->limit && rows->count >= request->limit) {
			tree->more++;
			views_row_clear(&calls.items[i]);
			continue;
		}
		calls.items[i].self[0] = (long double)NAN; /* by this way: not known */
		calls.items[i].prefix =
			views_tree_prefix(request, calls.count == 1, i + 1 == calls.count);
		rows->items[rows->count++] = calls.items[i];
	}
	perun_free(calls.items);
}

int views_tree_of_calls(const struct views_data *data, const struct views_tree_request *request,
			struct views_tree *tree)
{
	struct perun_callgraph *graph = NULL;
	struct views_data by_name = *data;
	struct views_rows nodes = {0};
	int status;

	if (!request->function)
		return perun_fail(data->ctx, PERUN_INPUT,
				  "%s knows who calls whom, but no stacks to make a tree of; the "
				  "views callers and callees show it",
				  data->name);
	by_name.by = PERUN_BY_FUNCTION;
	status = views_graph(&by_name, true, &graph);
	if (status)
		return status;
	views_rows_of_graph(&by_name, graph, &nodes);
	for (size_t i = 0; i < nodes.count; i++) {
		if (strcmp(nodes.items[i].name, request->function) == 0) {
			read_calls(&by_name, request, graph, &nodes.items[i], tree);
			break;
		}
	}
	views_rows_free(&nodes);
	perun_callgraph_free(graph);
	return PERUN_OK;
}
