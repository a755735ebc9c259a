/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions (or files, lines ...) with their values as rows of a grid. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>

#include "views/common/rows.h"

void views_rows_free(struct views_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		views_row_clear(&rows->items[i]);
	perun_free(rows->items);
	*rows = (struct views_rows){0};
}

static struct views_row *add_row(struct views_rows *rows)
{
	struct views_row *row;

	PERUN_GROW(rows->items, rows->count, rows->capacity);
	row = &rows->items[rows->count++];
	*row = (struct views_row){.source = {SIZE_MAX, SIZE_MAX}};
	return row;
}

/* ---- from profiles --------------------------------------------------------------------------- */

int views_graph(const struct views_data *data, bool edges, struct perun_callgraph **graph)
{
	const struct perun_graph_options options = {.struct_size = sizeof options,
						    .granularity = data->by,
						    .no_inlines = data->no_inlines,
						    .no_edges = !edges};

	return perun_callgraph_new(data->ctx, data->stacks, &options, graph);
}

/* What a node is and has. */
struct node {
	const struct perun_frame *frame;
	size_t number;
	int64_t self, total;
};

static void add_node(const struct views_data *data, const struct node *node,
		     struct perun_buffer *name, struct views_rows *rows)
{
	struct views_row *row = add_row(rows);

	perun_buffer_clear(name);
	perun_frame_name(data->profile, node->frame, name);
	row->name = perun_strdup(name->length ? name->data : "");
	row->file = perun_strdup(perun_profile_string(data->profile, node->frame->file, NULL));
	row->line = node->frame->line;
	row->address = node->frame->address;
	row->self[0] = (long double)node->self * data->scale;
	row->total[0] = (long double)node->total * data->scale;
	row->source[0] = node->number;
}

void views_rows_of_graph(const struct views_data *data, const struct perun_callgraph *graph,
			 struct views_rows *rows)
{
	size_t count;
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);
	const int64_t *flat = perun_callgraph_flat(graph, 0);
	const int64_t *cumulative = perun_callgraph_cumulative(graph, 0);
	struct perun_buffer name = {0};

	for (size_t i = 0; i < count; i++)
		add_node(data, &(struct node){&nodes[i], i, flat[i], cumulative[i]}, &name, rows);
	perun_buffer_free(&name);
}

/* The values of a node that makes no row: what it is sorted by, and the other one. */
struct small_node {
	int64_t first, second;
};

static int compare_small_nodes(const void *a, const void *b)
{
	const struct small_node *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? 1 : -1;
	return (one->second < other->second) - (one->second > other->second);
}

/* In the order that views_rows_limit() would meet them in, so that the sum is the same to the last digit. */
static void sum_small_nodes(const struct views_data *data, enum views_order order,
			    struct small_node *small, struct views_hidden *hidden)
{
	if (hidden->small)
		qsort(small, hidden->small, sizeof *small, compare_small_nodes);
	for (size_t i = 0; i < hidden->small; i++)
		hidden->small_self[0] +=
			(long double)(order == VIEWS_BY_SELF ? small[i].first : small[i].second) *
			data->scale;
}

static void large_rows_of_graph(const struct views_data *data, const struct perun_callgraph *graph,
				enum views_order order, long double minimum,
				struct views_rows *rows, struct views_hidden *hidden)
{
	size_t count;
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);
	const int64_t *flat = perun_callgraph_flat(graph, 0);
	const int64_t *cumulative = perun_callgraph_cumulative(graph, 0);
	const int64_t *first = order == VIEWS_BY_SELF ? flat : cumulative;
	const int64_t *second = order == VIEWS_BY_SELF ? cumulative : flat;
	struct small_node *small = perun_alloc_zero(count, sizeof *small);
	struct perun_buffer name = {0};

	for (size_t i = 0; i < count; i++) {
		if ((long double)first[i] * data->scale < minimum)
			small[hidden->small++] = (struct small_node){first[i], second[i]};
		else
			add_node(data, &(struct node){&nodes[i], i, flat[i], cumulative[i]}, &name,
				 rows);
	}
	sum_small_nodes(data, order, small, hidden);
	perun_free(small);
	perun_buffer_free(&name);
}

static bool has_negative(const struct perun_callgraph *graph)
{
	const int64_t *flat = perun_callgraph_flat(graph, 0);
	const int64_t *cumulative = perun_callgraph_cumulative(graph, 0);
	bool negative = false;
	size_t count;

	perun_callgraph_nodes(graph, &count);
	for (size_t i = 0; i < count; i++)
		negative |= flat[i] < 0 || cumulative[i] < 0;
	return negative;
}

static int rows_of_uids(const struct views_data *data, struct views_rows *rows)
{
	struct perun_groups *groups = NULL;
	int status = perun_group_by_uid(data->ctx, perun_resources(data->profile), data->selection,
					&groups);

	if (status)
		return status;
	for (size_t g = 0; g < groups->count; g++) {
		struct views_row *row = add_row(rows);

		row->name = perun_strdup(*groups->texts[g] ? groups->texts[g] : "(no uid)");
		row->source[0] = g;
	}
	for (size_t i = 0; i < groups->rows; i++) {
		double value = views_row_value(data, i);
		uint32_t group = groups->group_of_row[i];

		if (group != PERUN_NO_ID && value == value)
			rows->items[group].self[0] += value;
	}
	for (size_t g = 0; g < rows->count; g++)
		rows->items[g].total[0] = rows->items[g].self[0];
	perun_groups_free(groups);
	return PERUN_OK;
}

int views_rows_of(const struct views_data *data, struct views_rows *rows)
{
	struct perun_callgraph *graph = NULL;
	int status;

	if (!data->stacks)
		return rows_of_uids(data, rows);
	status = views_graph(data, false, &graph);
	if (!status)
		views_rows_of_graph(data, graph, rows);
	perun_callgraph_free(graph);
	return status;
}

int views_rows_of_large(const struct views_data *data, enum views_order order, long double minimum,
			struct views_rows *rows, struct views_hidden *hidden)
{
	struct perun_callgraph *graph = NULL;
	int status;

	*hidden = (struct views_hidden){0};
	if (!data->stacks)
		return rows_of_uids(data, rows);
	status = views_graph(data, false, &graph);
	if (!status && (order == VIEWS_BY_SELF || order == VIEWS_BY_TOTAL) && data->scale > 0 &&
	    !has_negative(graph))
		large_rows_of_graph(data, graph, order, minimum, rows, hidden);
	else if (!status)
		views_rows_of_graph(data, graph, rows);
	perun_callgraph_free(graph);
	return status;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_names(const struct views_row *a, const struct views_row *b)
{
	int order = strcmp(a->name, b->name);

	if (order == 0 && a->file && b->file)
		order = strcmp(a->file, b->file);
	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	if (order == 0)
		order = (a->address > b->address) - (a->address < b->address);
	return order ? order : (a->source[0] > b->source[0]) - (a->source[0] < b->source[0]);
}

static long double growth(const struct views_row *row)
{
	if (row->self[0] == row->self[1])
		return 0;
	if (row->self[0] == 0)
		return (long double)INFINITY;
	return (row->self[1] - row->self[0]) / fabsl(row->self[0]);
}

static long double order_value(const struct views_row *row, enum views_order order)
{
	switch (order) {
	case VIEWS_BY_SELF:
		return fabsl(row->self[0]);
	case VIEWS_BY_TOTAL:
		return fabsl(row->total[0]);
	case VIEWS_BY_DELTA:
		return fabsl(row->self[1] - row->self[0]);
	case VIEWS_BY_TOTAL_DELTA:
		return fabsl(row->total[1] - row->total[0]);
	case VIEWS_BY_RELATIVE:
		return growth(row);
	case VIEWS_BY_BASE:
		return fabsl(row->self[0]);
	case VIEWS_BY_NEW:
		return fabsl(row->self[1]);
	case VIEWS_BY_NAME:
		break;
	}
	return 0;
}

/* Equal own values: the larger total, and the other way round. */
static long double second_value(const struct views_row *row, enum views_order order)
{
	switch (order) {
	case VIEWS_BY_SELF:
	case VIEWS_BY_BASE:
		return fabsl(row->total[0]);
	case VIEWS_BY_TOTAL:
		return fabsl(row->self[0]);
	case VIEWS_BY_DELTA:
		return fabsl(row->total[1] - row->total[0]);
	case VIEWS_BY_TOTAL_DELTA:
	case VIEWS_BY_RELATIVE:
		return fabsl(row->self[1] - row->self[0]);
	case VIEWS_BY_NEW:
		return fabsl(row->total[1]);
	case VIEWS_BY_NAME:
		break;
	}
	return 0;
}

static int compare_rows(const void *one, const void *other, void *context)
{
	const struct views_row *a = one, *b = other;
	enum views_order order = *(enum views_order *)context;
	long double x = order_value(a, order), y = order_value(b, order);

	if (x == y) {
		x = second_value(a, order);
		y = second_value(b, order);
	}
	return x == y ? compare_names(a, b) : x < y ? 1 : -1;
}

void views_rows_sort(struct views_rows *rows, enum views_order order)
{
	if (rows->count)
		qsort_r(rows->items, rows->count, sizeof *rows->items, compare_rows, &order);
}

/* What decides whether a row is too small to be shown. */
static long double importance(const struct views_row *row, enum views_order order)
{
	long double self = fmaxl(fabsl(row->self[0]), fabsl(row->self[1]));

	if (order != VIEWS_BY_NAME && order != VIEWS_BY_RELATIVE)
		return order_value(row, order);
	return fmaxl(self, fmaxl(fabsl(row->total[0]), fabsl(row->total[1])));
}

void views_rows_limit(struct views_rows *rows, enum views_order order, long double minimum,
		      size_t limit, struct views_hidden *hidden)
{
	size_t kept = 0;

	*hidden = (struct views_hidden){0};
	for (size_t i = 0; i < rows->count; i++) {
		struct views_row *row = &rows->items[i];
		bool small = importance(row, order) < minimum;

		if (!small && (limit == 0 || kept < limit)) {
			rows->items[kept++] = *row;
			continue;
		}
		for (size_t k = 0; k < 2; k++)
			*(small ? &hidden->small_self[k] : &hidden->more_self[k]) += row->self[k];
		hidden->small += small;
		hidden->more += !small;
		views_row_clear(row);
	}
	rows->count = kept;
}
