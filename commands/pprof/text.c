/* SPDX-License-Identifier: BSD-3-Clause */
/* The reports -top, -tree and -peek. */
#include <string.h>

#include <perun/json.h>

#include "graph.h"

static const char *inline_label(const struct pprof_graph *graph, uint32_t node)
{
	static const char *const labels[] = {[PERUN_NOT_INLINED] = "",
					     [PERUN_PARTLY_INLINED] = " (partial-inline)",
					     [PERUN_INLINED] = " (inline)"};

	return graph->inlining ? labels[graph->inlining[node]] : "";
}

static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_percentage(int64_t value, int64_t total, struct perun_buffer *out)
{
	perun_buffer_add_char(out, ' ');
	pprof_add_percentage(value, total, out);
}

/* "FLAT FLAT% SUM% CUM CUM%" */
static void add_values(struct pprof_graph *graph, uint32_t node, int64_t sum,
		       struct perun_buffer *out)
{
	const struct pprof_report *report = graph->report;
	int64_t flat = pprof_flat(graph, node), cumulative = pprof_cumulative(graph, node);

	pprof_add_value_padded(report, flat, 10, out);
	add_percentage(flat, report->total, out);
	add_percentage(sum, report->total, out);
	perun_buffer_add_char(out, ' ');
	pprof_add_value_padded(report, cumulative, 10, out);
	add_percentage(cumulative, report->total, out);
}

static double share(int64_t value, int64_t total)
{
	return total ? (double)value / (double)total : 0;
}

/* The same as JSON, in the unit of the profile: {"type", "unit", "total", "functions"}. */
static void add_json(struct pprof_graph *graph, struct perun_buffer *out)
{
	const struct pprof_report *report = graph->report;
	struct perun_json *document = perun_json_object(), *rows = perun_json_array();

	for (size_t i = 0; i < graph->count; i++) {
		uint32_t node = graph->nodes[i];
		int64_t flat = pprof_flat(graph, node), cumulative = pprof_cumulative(graph, node);
		struct perun_json *row = perun_json_object();

		perun_json_set(row, "function", perun_json_text(pprof_node_name(graph, node)));
		perun_json_set(row, "flat", perun_json_int64(flat));
		perun_json_set(row, "flat_share", perun_json_double(share(flat, report->total)));
		perun_json_set(row, "cumulative", perun_json_int64(cumulative));
		perun_json_set(row, "cumulative_share",
			       perun_json_double(share(cumulative, report->total)));
		perun_json_append(rows, row);
	}
	perun_json_set(document, "type", perun_json_text(report->type_name));
	perun_json_set(document, "unit", perun_json_text(report->unit));
	perun_json_set(document, "total", perun_json_int64(report->total));
	perun_json_set(document, "functions", rows);
	perun_json_print(document, out, PERUN_JSON_INDENTED, 2);
	perun_buffer_add_char(out, '\n');
	perun_json_free(document);
}

int pprof_report_top(struct pprof_report *report)
{
	struct pprof_graph graph;
	int status = pprof_graph_make(report, PPROF_TOP, &graph);
	struct perun_buffer out = {0};
	int64_t sum = 0;

	if (status == PERUN_OK && report->settings.json) {
		add_json(&graph, &out);
		graph.count = 0;
	} else if (status == PERUN_OK) {
		pprof_add_legend(&graph, &out, false);
		perun_buffer_add_text(&out, "\n      flat  flat%   sum%        cum   cum%\n");
	}
	for (size_t i = 0; status == PERUN_OK && i < graph.count; i++) {
		uint32_t node = graph.nodes[i];

		sum = add(sum, pprof_flat(&graph, node));
		add_values(&graph, node, sum, &out);
		perun_buffer_printf(&out, "  %s%s\n", pprof_node_name(&graph, node),
				    inline_label(&graph, node));
	}
	pprof_graph_clear(&graph);
	if (status == PERUN_OK)
		status = perun_output_write(report->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

/* ---- tree ------------------------------------------------------------------------------------- */

static const char separator[] =
	"----------------------------------------------------------+-------------\n";

static void add_edges(struct pprof_graph *graph, uint32_t node, bool in, struct perun_buffer *out)
{
	size_t count;
	uint32_t *edges = pprof_sorted_edges(graph, node, in, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_edge *edge = &graph->edges[edges[i]];
		int64_t value = graph->weights[edges[i]];

		pprof_add_value_padded(graph->report, value, 50, out);
		add_percentage(value, pprof_cumulative(graph, node), out);
		perun_buffer_printf(out, " |   %s%s\n",
				    pprof_node_name(graph, in ? edge->caller : edge->callee),
				    edge->inlined ? " (inline)" : "");
	}
	perun_free(edges);
}

/* `regex`: only the nodes whose name matches; or NULL. */
static int add_tree(struct pprof_graph *graph, struct perun_regex *regex, struct perun_buffer *out)
{
	size_t matched = 0;
	int64_t sum = 0;

	pprof_add_legend(graph, out, false);
	perun_buffer_printf(out,
			    "\n%s      flat  flat%%   sum%%        cum   cum%%   calls calls%% + "
			    "context \t \t \n",
			    separator);
	for (size_t i = 0; i < graph->count; i++) {
		uint32_t node = graph->nodes[i];
		const char *name = pprof_node_name(graph, node);

		if (regex && !perun_regex_matches(regex, name, strlen(name)))
			continue;
		matched++;
		perun_buffer_add_text(out, separator);
		add_edges(graph, node, true, out);
		sum = add(sum, pprof_flat(graph, node));
		add_values(graph, node, sum, out);
		perun_buffer_printf(out, "                | %s\n", name);
		add_edges(graph, node, false, out);
	}
	if (graph->count > 0)
		perun_buffer_add_text(out, separator);
	if (regex && matched == 0)
		return perun_fail(graph->report->ctx, PERUN_USAGE,
				  "no matches found for regexp: %s", perun_regex_text(regex));
	return PERUN_OK;
}

int pprof_report_tree(struct pprof_report *report)
{
	struct pprof_graph graph = {0};
	struct perun_regex *regex = NULL;
	struct perun_buffer out = {0};
	int status = PERUN_OK, failed;

	if (report->settings.pattern)
		status = pprof_compile(report->ctx, "peek", report->settings.pattern, &regex);
	if (status == PERUN_OK)
		status = pprof_graph_make(report, PPROF_TREE, &graph);
	if (status == PERUN_OK) {
		status = add_tree(&graph, regex, &out);
		failed = perun_output_write(report->output, out.data, out.length);
		status = status ? status : failed;
	}
	pprof_graph_clear(&graph);
	perun_regex_free(regex);
	perun_buffer_free(&out);
	return status;
}
