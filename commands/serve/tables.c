/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a question as a table, and one of them with its callers and callees. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "serve.h"
#include "views/common/rows.h"

enum { MAX_ROWS = 500 };

/* ---- all functions --------------------------------------------------------------------------- */

static enum views_order order_of(const struct server_request *request, bool pair)
{
	const char *sort = server_argument(request, "sort");

	if (sort && strcmp(sort, "total") == 0)
		return pair ? VIEWS_BY_TOTAL_DELTA : VIEWS_BY_TOTAL;
	if (sort && strcmp(sort, "name") == 0)
		return VIEWS_BY_NAME;
	return pair ? VIEWS_BY_DELTA : VIEWS_BY_SELF;
}

/* Of two selections rows have both: first that of the base. */
static int make_rows(const struct serve_question *question, struct views_rows *rows)
{
	const struct serve_pair *pair = question->pair;
	struct perun_callgraph *graph = NULL;
	int status;

	if (!pair)
		return views_rows_of(&question->data, rows);
	status = views_graph(&question->data, false, &graph);
	if (!status)
		views_rows_of_graph(&question->data, graph, rows);
	for (size_t i = 0; i < rows->count && !status; i++) {
		struct views_row *row = &rows->items[i];
		const size_t node = row->source[0];

		row->self[1] = row->self[0];
		row->total[1] = row->total[0];
		row->self[0] = (long double)perun_callgraph_flat(graph, 1)[node] * pair->scale;
		row->total[0] =
			(long double)perun_callgraph_cumulative(graph, 1)[node] * pair->scale;
	}
	perun_callgraph_free(graph);
	return status;
}

static void write_row(struct perun_json_writer *writer, const struct views_row *row, bool pair)
{
	perun_json_write_object_start(writer);
	serve_write_pair(writer, "name", row->name);
	serve_write_pair(writer, "file", row->file ? row->file : "");
	serve_write_number(writer, "self", row->self[pair]);
	serve_write_number(writer, "total", row->total[pair]);
	if (pair) {
		serve_write_number(writer, "base_self", row->self[0]);
		serve_write_number(writer, "base_total", row->total[0]);
	}
	perun_json_write_object_end(writer);
}

int serve_write_top(struct serve_question *question, struct perun_json_writer *writer)
{
	struct views_rows rows = {0};
	struct views_hidden hidden = {0};
	const bool pair = question->pair != NULL;
	enum views_order order = order_of(question->request, pair);
	int status = make_rows(question, &rows);

	if (!status) {
		views_rows_sort(&rows, order);
		views_rows_limit(&rows, order, 0, MAX_ROWS, &hidden);
		serve_write_sum(question, writer);
		perun_json_write_key_text(writer, "rows");
		perun_json_write_array_start(writer);
		for (size_t i = 0; i < rows.count; i++)
			write_row(writer, &rows.items[i], pair);
		perun_json_write_array_end(writer);
		serve_write_number(writer, "more", hidden.more);
	}
	views_rows_free(&rows);
	return status;
}

/* ---- one function ---------------------------------------------------------------------------- */

struct neighbour {
	uint32_t node, edge;
	int64_t value;
};

static int by_value(const void *one, const void *other)
{
	const struct neighbour *a = one, *b = other;

	return a->value != b->value ? (a->value < b->value) - (a->value > b->value)
				    : (a->node > b->node) - (a->node < b->node);
}

static void write_name(const struct serve_question *question, const struct perun_frame *frame,
		       struct perun_json_writer *writer)
{
	struct perun_buffer name = {0};

	perun_frame_name(question->data.profile, frame, &name);
	perun_json_write_key_text(writer, "name");
	perun_json_write_string(writer, name.length ? name.data : "", name.length);
	perun_buffer_free(&name);
}

/* Of two selections also that of the base. */
static void write_value(const struct serve_question *question, const int64_t *values,
			const int64_t *base, size_t at, struct perun_json_writer *writer)
{
	serve_write_number(writer, "value", (long double)values[at] * question->data.scale);
	if (base)
		serve_write_number(writer, "base", (long double)base[at] * question->pair->scale);
}

/* The nodes at the other end of edges, those with the largest value first. */
static void write_neighbours(const struct serve_question *question,
			     const struct perun_callgraph *graph, uint32_t node, bool callers,
			     struct perun_json_writer *writer)
{
	size_t count, all;
	const uint32_t *numbers = callers ? perun_callgraph_callers(graph, node, &count)
					  : perun_callgraph_callees(graph, node, &count);
	const struct perun_edge *edges = perun_callgraph_edges(graph, &all);
	const int64_t *values = perun_callgraph_edge_values(graph, 0);
	const struct perun_frame *frames = perun_callgraph_nodes(graph, &all);
	struct neighbour *list = perun_alloc_zero(count + 1, sizeof *list);

	for (size_t i = 0; i < count; i++) {
		const struct perun_edge *edge = &edges[numbers[i]];

		list[i] = (struct neighbour){callers ? edge->caller : edge->callee, numbers[i],
					     values[numbers[i]]};
	}
	if (count)
		qsort(list, count, sizeof *list, by_value);
	perun_json_write_key_text(writer, callers ? "callers" : "callees");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count && i < MAX_ROWS; i++) {
		perun_json_write_object_start(writer);
		write_name(question, &frames[list[i].node], writer);
		write_value(question, perun_callgraph_edge_values(graph, 0),
			    question->pair ? perun_callgraph_edge_values(graph, 1) : NULL,
			    list[i].edge, writer);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
	perun_free(list);
}

/* The node of a name; the number of nodes when there is none. */
static size_t find_node(const struct serve_question *question, const struct perun_callgraph *graph,
			const char *function)
{
	struct perun_buffer name = {0};
	size_t count, node;
	const struct perun_frame *frames = perun_callgraph_nodes(graph, &count);

	for (node = 0; node < count; node++) {
		perun_buffer_clear(&name);
		perun_frame_name(question->data.profile, &frames[node], &name);
		if (strcmp(name.length ? name.data : "", function) == 0)
			break;
	}
	perun_buffer_free(&name);
	return node;
}

static void write_node(const struct serve_question *question, const struct perun_callgraph *graph,
		       uint32_t node, struct perun_json_writer *writer)
{
	size_t count;
	const struct perun_frame *frames = perun_callgraph_nodes(graph, &count);
	long double scale = question->data.scale;

	serve_write_sum(question, writer);
	write_name(question, &frames[node], writer);
	perun_json_write_key_text(writer, "file");
	serve_write_string(writer, question->data.profile, frames[node].file);
	serve_write_number(writer, "self",
			   (long double)perun_callgraph_flat(graph, 0)[node] * scale);
	write_value(question, perun_callgraph_cumulative(graph, 0),
		    question->pair ? perun_callgraph_cumulative(graph, 1) : NULL, node, writer);
	write_neighbours(question, graph, node, true, writer);
	write_neighbours(question, graph, node, false, writer);
}

int serve_write_peek(struct serve_question *question, struct perun_json_writer *writer)
{
	const char *function = server_argument(question->request, "function");
	struct perun_callgraph *graph = NULL;
	size_t node, count = 0;
	int status;

	if (!function || !question->data.stacks)
		return perun_fail(question->ctx, PERUN_USAGE,
				  function ? "%s has no stacks" : "which function of %s?",
				  question->title);
	status = views_graph(&question->data, true, &graph);
	if (status)
		return status;
	node = find_node(question, graph, function);
	perun_callgraph_nodes(graph, &count);
	if (node == count)
		status = perun_fail(question->ctx, PERUN_USAGE, "no function %s is left", function);
	else
		write_node(question, graph, (uint32_t)node, writer);
	perun_callgraph_free(graph);
	return status;
}
