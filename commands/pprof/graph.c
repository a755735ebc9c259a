/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a report: built, trimmed and sorted as pprof does it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* At most this many boxes for labels beside a node. */
enum { MAX_TAGS = 4 };

/* As Go converts on amd64: what does not fit is the lowest number. */
static int64_t to_integer(double value)
{
	return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

static bool is_visual(const struct pprof_graph *graph)
{
	return graph->form == PPROF_DOT;
}

static bool is_tree(const struct pprof_graph *graph)
{
	return graph->report->settings.call_tree &&
	       (graph->form == PPROF_DOT || graph->form == PPROF_CALLGRIND);
}

/* ---- the graph at hand ------------------------------------------------------------------------ */

static void forget_names(struct pprof_graph *graph)
{
	for (size_t i = 0; graph->names && i < graph->all; i++)
		perun_free(graph->names[i]);
	perun_free(graph->names);
	graph->names = NULL;
}

/* Go on with `part`, which takes the place of what was there. */
static void take_graph(struct pprof_graph *graph, struct perun_callgraph *part)
{
	bool mean = graph->report->divisor != NULL;

	forget_names(graph);
	if (graph->graph != graph->whole)
		perun_callgraph_free(graph->graph);
	graph->graph = part;
	graph->frames = perun_callgraph_nodes(part, &graph->all);
	graph->flat = perun_callgraph_flat(part, 0);
	graph->cumulative = perun_callgraph_cumulative(part, 0);
	graph->edges = perun_callgraph_edges(part, &graph->edge_count);
	graph->weights = perun_callgraph_edge_values(part, 0);
	graph->flat_divisor = mean ? perun_callgraph_flat(part, 1) : NULL;
	graph->cumulative_divisor = mean ? perun_callgraph_cumulative(part, 1) : NULL;
	graph->weight_divisors = mean ? perun_callgraph_edge_values(part, 1) : NULL;
	graph->names = perun_alloc_zero(graph->all + 1, sizeof *graph->names);
	perun_free(graph->edge_dropped);
	graph->edge_dropped = perun_alloc_zero(graph->edge_count + 1, 1);
}

static bool is_negative(const struct pprof_graph *graph, uint32_t node)
{
	return graph->flat[node] < 0 || (graph->flat[node] == 0 && graph->cumulative[node] < 0);
}

/* The nodes that reports show: others stay in the graph, as ends of edges. */
static void list_nodes(struct pprof_graph *graph)
{
	perun_free(graph->nodes);
	graph->nodes = perun_alloc((graph->all + 1) * sizeof *graph->nodes);
	graph->count = 0;
	for (uint32_t i = 0; i < graph->all; i++) {
		if (graph->flat[i] == 0 && graph->cumulative[i] == 0)
			continue;
		if (!graph->report->settings.drop_negative || !is_negative(graph, i))
			graph->nodes[graph->count++] = i;
	}
}

static int make_whole(struct pprof_graph *graph)
{
	const struct pprof_report *report = graph->report;
	struct perun_graph_options options = {.struct_size = sizeof options};
	int status;

	pprof_graph_options(report, &options);
	options.by_path = is_tree(graph);
	options.objects = graph->form == PPROF_CALLGRIND;
	options.start_lines = true;
	options.file_text = pprof_clean_path;
	options.data = graph->paths;
	/* Without edges first, where they have no influence on which nodes are shown. */
	options.no_edges = graph->form != PPROF_DOT && graph->form != PPROF_CALLGRIND;
	status = perun_callgraph_new(report->ctx, report->stacks, &options, &graph->whole);
	if (status)
		return status;
	take_graph(graph, graph->whole);
	graph->origins = perun_alloc((graph->all + 1) * sizeof *graph->origins);
	for (uint32_t i = 0; i < graph->all; i++)
		graph->origins[i] = i;
	list_nodes(graph);
	return PERUN_OK;
}

/* ---- sorting ---------------------------------------------------------------------------------- */

/* How interesting edges on one side of a node are: their entropy. */
static double edge_entropy(const struct pprof_graph *graph, const uint32_t *edges, size_t count,
			   int64_t self)
{
	double score = 0;
	int64_t total = self;

	for (size_t i = 0; i < count; i++) {
		if (graph->weights[edges[i]] > 0)
			total += graph->weights[edges[i]];
	}
	if (total == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		double share = (double)pprof_magnitude(graph->weights[edges[i]]) / (double)total;

		score += -share * log2(share);
	}
	if (self > 0) {
		double share = (double)self / (double)total;

		score += -share * log2(share);
	}
	return score;
}

/* Nodes that only pass on what they are given count little. */
static int64_t entropy(const struct pprof_graph *graph, uint32_t node)
{
	double score = 0;
	size_t count;
	const uint32_t *edges = perun_callgraph_callers(graph->graph, node, &count);

	score += count == 0 ? 1 : edge_entropy(graph, edges, count, 0);
	edges = perun_callgraph_callees(graph->graph, node, &count);
	score += count == 0 ? 1 : edge_entropy(graph, edges, count, graph->flat[node]);
	return (int64_t)((uint64_t)to_integer(score * (double)graph->cumulative[node]) +
			 (uint64_t)graph->flat[node]);
}

/* The frame as Go prints the structure, which breaks the last ties. */
static char *whole_frame(struct pprof_graph *graph, uint32_t node)
{
	const struct perun_frame *frame = &graph->frames[node];
	const struct perun_profile *profile = graph->report->profile;

	return perun_format("{%s  %" PRIu64 " %s %" PRId64 " %" PRId64 " %" PRId64 " %s}",
			    perun_profile_string(profile, frame->name, NULL), frame->address,
			    pprof_node_file(graph, node), frame->start_line, frame->line,
			    frame->column, perun_profile_string(profile, frame->object, NULL));
}

struct sort_key {
	int64_t first, last; /* magnitudes */
	uint32_t node;
};

static int compare_keys(const void *a, const void *b, void *data)
{
	const struct sort_key *l = a, *r = b;
	struct pprof_graph *graph = data;
	char *left, *right;
	int order;

	if (l->first != r->first)
		return l->first > r->first ? -1 : 1;
	order = strcmp(pprof_node_name(graph, l->node), pprof_node_name(graph, r->node));
	if (order != 0)
		return order;
	if (l->last != r->last)
		return l->last > r->last ? -1 : 1;
	left = whole_frame(graph, l->node);
	right = whole_frame(graph, r->node);
	order = strcmp(left, right);
	perun_free(left);
	perun_free(right);
	return order ? order : (l->node > r->node) - (l->node < r->node);
}

static void sort_nodes(struct pprof_graph *graph)
{
	struct sort_key *keys = perun_alloc((graph->count + 1) * sizeof *keys);
	bool cumulative = graph->report->settings.cumulative;

	for (size_t i = 0; i < graph->count; i++) {
		uint32_t node = graph->nodes[i];
		int64_t flat = pprof_magnitude(graph->flat[node]);
		int64_t cum = pprof_magnitude(graph->cumulative[node]);

		keys[i] = (struct sort_key){cumulative ? cum : flat, cumulative ? flat : cum, node};
		if (is_visual(graph))
			keys[i] = (struct sort_key){pprof_magnitude(entropy(graph, node)), flat,
						    node};
	}
	qsort_r(keys, graph->count, sizeof *keys, compare_keys, graph);
	for (size_t i = 0; i < graph->count; i++)
		graph->nodes[i] = keys[i].node;
	perun_free(keys);
}

/* ---- edges ------------------------------------------------------------------------------------ */

static int compare_edges(const void *a, const void *b, void *data)
{
	struct pprof_graph *graph = data;
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	int64_t left = pprof_magnitude(graph->weights[l]),
		right = pprof_magnitude(graph->weights[r]);
	int order;

	if (left != right)
		return left > right ? -1 : 1;
	order = strcmp(pprof_node_name(graph, graph->edges[l].caller),
		       pprof_node_name(graph, graph->edges[r].caller));
	if (order == 0)
		order = strcmp(pprof_node_name(graph, graph->edges[l].callee),
			       pprof_node_name(graph, graph->edges[r].callee));
	return order ? order : (l > r) - (l < r);
}

uint32_t *pprof_sorted_edges(struct pprof_graph *graph, uint32_t node, bool in, size_t *count)
{
	size_t all;
	const uint32_t *edges = in ? perun_callgraph_callers(graph->graph, node, &all)
				   : perun_callgraph_callees(graph->graph, node, &all);
	uint32_t *sorted = perun_alloc((all + 1) * sizeof *sorted);

	*count = 0;
	for (size_t i = 0; i < all; i++) {
		if (!graph->edge_dropped[edges[i]])
			sorted[(*count)++] = edges[i];
	}
	qsort_r(sorted, *count, sizeof *sorted, compare_edges, graph);
	return sorted;
}

uint32_t *pprof_all_edges(struct pprof_graph *graph, size_t *count)
{
	uint32_t *sorted = perun_alloc((graph->edge_count + 1) * sizeof *sorted);

	*count = 0;
	for (size_t i = 0; i < graph->count; i++) {
		size_t all;
		const uint32_t *edges =
			perun_callgraph_callees(graph->graph, graph->nodes[i], &all);

		for (size_t k = 0; k < all; k++) {
			if (!graph->edge_dropped[edges[k]])
				sorted[(*count)++] = edges[k];
		}
	}
	qsort_r(sorted, *count, sizeof *sorted, compare_edges, graph);
	return sorted;
}

/* Of the edges to nodes that are shown. Returns how many were dropped. */
static size_t drop_edges(struct pprof_graph *graph, int64_t cut)
{
	size_t dropped = 0;

	for (size_t i = 0; i < graph->count; i++) {
		size_t count;
		const uint32_t *edges =
			perun_callgraph_callers(graph->graph, graph->nodes[i], &count);

		for (size_t k = 0; k < count; k++) {
			bool *gone = &graph->edge_dropped[edges[k]];

			if (*gone || pprof_magnitude(graph->weights[edges[k]]) >= cut)
				continue;
			*gone = true;
			dropped++;
		}
	}
	return dropped;
}

/* Whether another way leads from the edge's caller to its callee: searched backwards. */
static bool is_redundant(struct pprof_graph *graph, uint32_t edge, uint32_t *queue, uint8_t *seen)
{
	uint32_t source = graph->edges[edge].caller, first = graph->edges[edge].callee;
	size_t head = 0, tail = 0;
	bool found = false;

	queue[tail++] = first;
	seen[first] = 1;
	while (head < tail && !found) {
		size_t count;
		const uint32_t *in = perun_callgraph_callers(graph->graph, queue[head++], &count);

		for (size_t i = 0; i < count && !found; i++) {
			uint32_t caller = graph->edges[in[i]].caller;

			if (in[i] == edge || graph->edge_dropped[in[i]] || seen[caller])
				continue;
			found = caller == source;
			seen[caller] = 1;
			queue[tail++] = caller;
		}
	}
	for (size_t i = 0; i < tail; i++)
		seen[queue[i]] = 0;
	return found;
}

/* Residual edges that other ways make unnecessary, the lightest first. */
static void drop_redundant_edges(struct pprof_graph *graph)
{
	uint32_t *queue = perun_alloc((graph->all + 1) * sizeof *queue);
	uint8_t *seen = perun_alloc_zero(graph->all + 1, 1);

	for (size_t i = graph->count; i-- > 0;) {
		size_t count;
		uint32_t *in = pprof_sorted_edges(graph, graph->nodes[i], true, &count);

		while (count-- > 0 && graph->edges[in[count]].residual)
			graph->edge_dropped[in[count]] =
				is_redundant(graph, in[count], queue, seen);
		perun_free(in);
	}
	perun_free(queue);
	perun_free(seen);
}

/* ---- trimming --------------------------------------------------------------------------------- */

/* Of the sum of flat values; with its sign lost. */
static int64_t cut_of(const struct pprof_graph *graph, double fraction)
{
	uint64_t total = 0;

	for (size_t i = 0; i < graph->count; i++)
		total += (uint64_t)graph->flat[graph->nodes[i]];
	return pprof_magnitude(to_integer((double)(int64_t)total * fraction));
}

/* Only the nodes listed; by path also those that are never listed, as links of the tree. */
static uint64_t *keep_listed(const struct pprof_graph *graph)
{
	size_t all;
	uint64_t *keep;

	perun_callgraph_nodes(graph->whole, &all);
	keep = perun_alloc_zero(all / 64 + 1, sizeof *keep);
	for (size_t i = 0; i < all && is_tree(graph); i++) {
		if (perun_callgraph_flat(graph->whole, 0)[i] == 0 &&
		    perun_callgraph_cumulative(graph->whole, 0)[i] == 0)
			keep[i / 64] |= UINT64_C(1) << i % 64;
	}
	for (size_t i = 0; i < graph->count; i++) {
		uint32_t node = graph->origins[graph->nodes[i]];

		keep[node / 64] |= UINT64_C(1) << node % 64;
	}
	return keep;
}

/* Build the graph again with what is listed, or with all nodes. */
static int rebuild(struct pprof_graph *graph, bool all_nodes)
{
	struct perun_ctx *ctx = graph->report->ctx;
	uint64_t *keep = keep_listed(graph);
	struct perun_callgraph *part;
	size_t all, count = 0;
	int status;

	perun_callgraph_nodes(graph->whole, &all);
	if (all_nodes)
		memset(keep, 0xff, (all / 64 + 1) * sizeof *keep);
	status = perun_callgraph_keep(ctx, graph->whole, keep, true, &part);
	if (status == PERUN_OK) {
		take_graph(graph, part);
		for (uint32_t i = 0; i < all; i++) {
			if (perun_bit(keep, i))
				graph->origins[count++] = i;
		}
		list_nodes(graph);
	}
	perun_free(keep);
	return status;
}

static bool drop_nodes(struct pprof_graph *graph, int64_t cut)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->count; i++) {
		if (pprof_magnitude(graph->cumulative[graph->nodes[i]]) >= cut)
			graph->nodes[count++] = graph->nodes[i];
	}
	graph->dropped_nodes = graph->count - count;
	graph->count = count;
	return graph->dropped_nodes > 0;
}

/* How many of the nodes listed are shown: in pictures their tags count, too. */
static size_t most_nodes(const struct pprof_graph *graph)
{
	size_t most = (size_t)graph->report->settings.node_count, count = 0;

	for (size_t i = 0; is_visual(graph) && i < graph->count; i++) {
		size_t tags = pprof_tags_count(graph->tags, graph->origins[graph->nodes[i]]);

		count += (tags < MAX_TAGS ? tags : MAX_TAGS) + 1;
		if (count >= most) {
			most = i + 1;
			break;
		}
	}
	return most < graph->count ? most : graph->count;
}

/* The labels of the nodes that may be shown: the first of those listed, as many as there are to be. */
static void make_tags(struct pprof_graph *graph)
{
	size_t most = (size_t)graph->report->settings.node_count, count = graph->count;
	uint64_t *keep;

	if (most > 0 && most < count)
		graph->count = most;
	keep = keep_listed(graph);
	graph->count = count;
	graph->tags = pprof_tags_make(graph->report, graph->whole, keep);
	perun_free(keep);
}

/* Pictures and trees by path: edges decide which nodes are shown, so there are two rounds. */
static int trim_with_edges(struct pprof_graph *graph)
{
	int64_t cut = cut_of(graph, graph->report->settings.node_fraction);
	int64_t edge_cut = cut_of(graph, graph->report->settings.edge_fraction);
	int status = PERUN_OK;

	if (cut > 0 && drop_nodes(graph, cut))
		status = rebuild(graph, false);
	if (status)
		return status;
	graph->original = graph->count;
	sort_nodes(graph);
	if (is_visual(graph))
		make_tags(graph);
	if (graph->report->settings.node_count > 0) {
		size_t most;

		pprof_tags_cut(graph->tags, cut);
		drop_edges(graph, edge_cut);
		most = most_nodes(graph);
		if (most < graph->count) {
			graph->count = most;
			status = rebuild(graph, false);
			if (status)
				return status;
			sort_nodes(graph);
		}
	}
	pprof_tags_cut(graph->tags, cut);
	graph->dropped_edges = drop_edges(graph, edge_cut);
	if (is_visual(graph))
		drop_redundant_edges(graph);
	return PERUN_OK;
}

/* What is inlined into the nodes that are left, or into any. */
static int find_inlined(struct pprof_graph *graph, bool all_nodes, int64_t edge_cut)
{
	uint64_t *keep = keep_listed(graph);
	int status;

	if (all_nodes)
		memset(keep, 0xff, (graph->all / 64 + 1) * sizeof *keep);
	graph->inlining = perun_alloc_zero(graph->all + 1, sizeof *graph->inlining);
	status = perun_callgraph_inlining(graph->report->ctx, graph->whole, keep, edge_cut,
					  graph->inlining);
	perun_free(keep);
	return status;
}

/* Nodes are chosen without looking at edges, which are counted at last. */
static int trim_without_edges(struct pprof_graph *graph)
{
	const struct pprof_settings *settings = &graph->report->settings;
	int64_t cut = cut_of(graph, settings->node_fraction);
	int64_t edge_cut = cut_of(graph, settings->edge_fraction);
	bool trimmed = cut > 0 && drop_nodes(graph, cut);
	int status = PERUN_OK;

	graph->original = graph->count;
	sort_nodes(graph);
	if (settings->node_count > 0 && graph->count > (size_t)settings->node_count) {
		graph->count = (size_t)settings->node_count;
		trimmed = true;
	}
	if (graph->form == PPROF_TOPPROTO)
		return PERUN_OK;
	if (graph->form == PPROF_TOP)
		return find_inlined(graph, !trimmed, edge_cut);
	status = rebuild(graph, !trimmed);
	if (status)
		return status;
	sort_nodes(graph);
	drop_edges(graph, edge_cut);
	return PERUN_OK;
}

/* ---- the unit --------------------------------------------------------------------------------- */

/* One unit for all values: the one that suits the smallest, or a hundred of it. */
static void choose_unit(struct pprof_graph *graph)
{
	struct pprof_report *report = graph->report;
	const char *least_unit, *most_unit;
	int64_t least = 0, most = report->total;

	if (strcmp(report->output_unit, "minimum") != 0 || graph->count == 0)
		return;
	for (size_t i = 0; i < graph->count; i++) {
		int64_t value = pprof_magnitude(pprof_flat(graph, graph->nodes[i]));

		if (value == 0)
			value = pprof_magnitude(pprof_cumulative(graph, graph->nodes[i]));
		if (value > 0 && (least == 0 || value < least))
			least = value;
	}
	if (least == 0)
		least = most;
	if (report->ratio > 0 && report->ratio != 1) {
		least = to_integer((double)least * report->ratio);
		most = to_integer((double)most * report->ratio);
	}
	pprof_scale(least, report->unit, "minimum", &least_unit);
	pprof_scale(most, report->unit, "minimum", &most_unit);
	if (strcmp(least_unit, most_unit) != 0 && least * 100 < most &&
	    graph->form != PPROF_CALLGRIND)
		pprof_scale(100 * least, report->unit, "minimum", &least_unit);
	report->output_unit = *least_unit ? least_unit : report->unit;
}

/* ---- making and reading ----------------------------------------------------------------------- */

int pprof_graph_make(struct pprof_report *report, enum pprof_form form, struct pprof_graph *graph)
{
	struct perun_weight weights[2] = {{.values = report->values}, {.values = report->divisor}};
	int status;

	*graph = (struct pprof_graph){.report = report, .form = form};
	graph->paths = perun_alloc_zero(1, sizeof *graph->paths);
	graph->paths->trim = report->settings.trim_path;
	graph->paths->source = report->settings.source_path;
	status = perun_stacks_weigh(report->ctx, report->stacks, weights, report->divisor ? 2 : 1,
				    PERUN_WEIGH_WRAP);
	if (status == PERUN_OK)
		status = make_whole(graph);
	if (status)
		return status;
	if (form == PPROF_DOT || form == PPROF_CALLGRIND)
		status = trim_with_edges(graph);
	else
		status = trim_without_edges(graph);
	if (status == PERUN_OK)
		choose_unit(graph);
	return status;
}

void pprof_graph_clear(struct pprof_graph *graph)
{
	forget_names(graph);
	if (graph->graph != graph->whole)
		perun_callgraph_free(graph->graph);
	perun_callgraph_free(graph->whole);
	pprof_tags_free(graph->tags);
	perun_free(graph->inlining);
	perun_free(graph->edge_dropped);
	perun_free(graph->nodes);
	perun_free(graph->origins);
	if (graph->paths)
		perun_buffer_free(&graph->paths->text);
	perun_free(graph->paths);
}

static int64_t divided(int64_t value, const int64_t *divisors, uint32_t i)
{
	if (!divisors || divisors[i] == 0)
		return value;
	return divisors[i] == -1 ? (int64_t)(0 - (uint64_t)value) : value / divisors[i];
}

int64_t pprof_flat(const struct pprof_graph *graph, uint32_t node)
{
	return divided(graph->flat[node], graph->flat_divisor, node);
}

int64_t pprof_cumulative(const struct pprof_graph *graph, uint32_t node)
{
	return divided(graph->cumulative[node], graph->cumulative_divisor, node);
}

int64_t pprof_edge_value(const struct pprof_graph *graph, uint32_t edge)
{
	return divided(graph->weights[edge], graph->weight_divisors, edge);
}
