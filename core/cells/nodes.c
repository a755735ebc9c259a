/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast the machines of a run are, as their cells say. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/cells/cells.h"

/* Of a run with more cells, this many are read, spread over all of it, so that the status of a large run stays quick. */
#define MAX_READ 4096

/* A cell that ended well: how long it took, by what the same cell took at all versions. */
struct lap {
	size_t kind; /* cells of one kind differ in their version alone */
	size_t node;
	double logarithm;
};

struct laps {
	struct lap *items;
	size_t count, capacity;
	struct perun_words nodes;
};

static size_t node_of(struct laps *laps, const char *name)
{
	for (size_t i = 0; i < laps->nodes.count; i++)
		if (strcmp(laps->nodes.items[i], name) == 0)
			return i;
	perun_words_add(&laps->nodes, name, strlen(name));
	return laps->nodes.count - 1;
}

static void add_lap(const struct perun_run_cells *cells, size_t number,
		    const struct perun_json *outcome, struct laps *laps)
{
	const char *node = perun_json_get_text(outcome, "node");
	struct cells_place place = cells_place_of(cells, number);
	double began = 0, ended = 0;
	int64_t status = 0;

	perun_json_as_int64(perun_json_get(outcome, "exit"), &status);
	if (status || !*node || !perun_json_as_double(perun_json_get(outcome, "began"), &began) ||
	    !perun_json_as_double(perun_json_get(outcome, "ended"), &ended) || !(ended > began))
		return;
	PERUN_GROW(laps->items, laps->count, laps->capacity);
	laps->items[laps->count++] = (struct lap){place.point * cells->jobs + place.job,
						  node_of(laps, node), log(ended - began)};
}

static int by_kind(const void *one, const void *other)
{
	const struct lap *a = one, *b = other;

	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int by_node(const void *one, const void *other)
{
	const struct lap *a = one, *b = other;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* The median of the logarithms from `first` to `end`. */
static double median_of(const struct laps *laps, size_t first, size_t end, double *values)
{
	for (size_t i = first; i < end; i++)
		values[i - first] = laps->items[i].logarithm;
	return perun_median_in_place(values, end - first);
}

/* Of cells of one kind only what they differ by stays. */
static void take_kinds_out(struct laps *laps, double *values)
{
	qsort(laps->items, laps->count, sizeof *laps->items, by_kind);
	for (size_t first = 0, end; first < laps->count; first = end) {
		double median;

		for (end = first + 1;
		     end < laps->count && laps->items[end].kind == laps->items[first].kind; end++)
			;
		median = median_of(laps, first, end, values);
		for (size_t i = first; i < end; i++)
			laps->items[i].logarithm -= median;
	}
}

static void sum_up(struct laps *laps, double *values, struct perun_run_node *nodes)
{
	qsort(laps->items, laps->count, sizeof *laps->items, by_node);
	for (size_t first = 0, end; first < laps->count; first = end) {
		struct perun_run_node *node = &nodes[laps->items[first].node];

		for (end = first + 1;
		     end < laps->count && laps->items[end].node == laps->items[first].node; end++)
			;
		node->cells = end - first;
		node->ratio = exp(median_of(laps, first, end, values));
	}
}

struct perun_run_node *perun_run_cells_nodes(const struct perun_run_cells *cells, size_t *count)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct laps laps = {0};
	struct perun_run_node *nodes;
	size_t all = perun_run_cells_count(cells), read = all < MAX_READ ? all : MAX_READ;
	double *values;

	for (size_t i = 0; i < read; i++) {
		size_t cell = (size_t)((double)i * (double)all / (double)read) + 1;
		struct perun_json *outcome = NULL;

		if (cells_outcome(quiet, cells, cell, &outcome) == PERUN_OK)
			add_lap(cells, cell, outcome, &laps);
		perun_json_free(outcome);
	}
	*count = laps.nodes.count;
	nodes = perun_alloc_zero(laps.nodes.count + 1, sizeof *nodes);
	values = perun_alloc_zero(laps.count + 1, sizeof *values);
	for (size_t i = 0; i < laps.nodes.count; i++)
		nodes[i].name = perun_strdup(laps.nodes.items[i]);
	if (laps.count) {
		take_kinds_out(&laps, values);
		sum_up(&laps, values, nodes);
	}
	perun_free(values);
	perun_free(laps.items);
	perun_words_free(&laps.nodes);
	perun_ctx_free(quiet);
	return nodes;
}

void perun_run_nodes_free(struct perun_run_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perun_free(nodes[i].name);
	perun_free(nodes);
}
