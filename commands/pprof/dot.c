/* SPDX-License-Identifier: BSD-3-Clause */
/* The report -dot: a drawing of the graph for graphviz. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dot.h"

/* Quotes and backslashes are kept, line breaks become left-justified ones. */
static void add_escaped(const char *text, struct perun_buffer *out)
{
	for (; *text; text++) {
		if (*text == '\n') {
			perun_buffer_add_text(out, "\\l");
			continue;
		}
		if (*text == '\\' || *text == '"')
			perun_buffer_add_char(out, '\\');
		perun_buffer_add_char(out, *text);
	}
}

/* ---- colours ---------------------------------------------------------------------------------- */

/*
 * From green (-1) over grey (0) to red (1): dark for lines, light for areas. Small shares are moved
 * away from grey, so that they can be distinguished.
 */
static void add_color(double score, bool area, struct perun_buffer *out)
{
	const double shift = 0.7;
	double saturation = area ? 0.1 : 1, value = area ? 0.93 : 0.7, red, green, blue;

	score = isnan(score) ? score : fmax(-1, fmin(1, score));
	if (fabs(score) < 0.2)
		saturation *= fabs(score) / 0.2;
	if (score > 0)
		score = pow(score, 1 - shift);
	if (score < 0)
		score = -pow(-score, 1 - shift);
	if (score < 0) {
		green = value;
		red = value * (1 + saturation * score);
	} else {
		red = value;
		green = value * (1 - saturation * score);
	}
	blue = value * (1 - saturation);
	perun_buffer_printf(out, "#%02x%02x%02x", isnan(red) ? 0 : (unsigned char)(red * 255),
			    isnan(green) ? 0 : (unsigned char)(green * 255),
			    isnan(blue) ? 0 : (unsigned char)(blue * 255));
}

static void add_share_color(const struct pprof_graph *graph, int64_t value, bool area,
			    struct perun_buffer *out)
{
	add_color((double)value / (double)pprof_magnitude(graph->report->total), area, out);
}

/* ---- the legend ------------------------------------------------------------------------------- */

/* The file that was measured: it is the title. "" when it is not known. */
static void add_title(const struct pprof_report *report, struct perun_buffer *out)
{
	const struct perun_mapping *first = perun_profile_mapping(report->profile, 0);

	perun_buffer_add_text(out, "");
	if (first && first->file)
		pprof_add_base_name(perun_profile_string(report->profile, first->file, NULL), out);
}

static void add_head(struct pprof_dot *dot)
{
	struct perun_buffer title = {0}, legend = {0}, *out = &dot->out;
	char *first;

	add_title(dot->graph.report, &title);
	pprof_add_legend(&dot->graph, &legend, true);
	first = perun_strndup(legend.data, strcspn(legend.data, "\n"));
	perun_buffer_printf(out,
			    "digraph \"%s\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n"
			    "subgraph cluster_L { \"",
			    title.length ? title.data : "unnamed");
	add_escaped(first, out);
	perun_buffer_add_text(out, "\" [shape=box fontsize=16 label=\"");
	add_escaped(legend.data, out);
	perun_buffer_add_text(out, "\\l\"");
	if (title.length)
		perun_buffer_printf(out, " tooltip=\"%s\"", title.data);
	perun_buffer_add_text(out, "] }\n");
	perun_free(first);
	perun_buffer_free(&title);
	perun_buffer_free(&legend);
}

/* ---- nodes ------------------------------------------------------------------------------------ */

/* Replaces every `what`; returns a new text and frees the old one. */
static char *replace(char *text, const char *what, const char *by)
{
	struct perun_buffer out = {0};
	const char *p = text, *found;

	while ((found = strstr(p, what)) != NULL) {
		perun_buffer_add(&out, p, (size_t)(found - p));
		perun_buffer_add_text(&out, by);
		p = found + strlen(what);
	}
	perun_buffer_add_text(&out, p);
	perun_free(text);
	return perun_buffer_take(&out);
}

/* The name on several lines: broken at "::" and ".". */
static void add_lines_of_name(struct pprof_dot *dot, uint32_t node, struct perun_buffer *out)
{
	const struct perun_profile *profile = dot->graph.report->profile;
	const struct perun_frame *frame = &dot->graph.frames[node];
	struct perun_buffer text = {0}, file = {0};
	const char *path = pprof_node_file(&dot->graph, node);
	char *name;

	perun_buffer_add_text(&file, "");
	if (*path)
		pprof_add_base_name(path, &file);
	pprof_shorten(&dot->shortener, perun_profile_string(profile, frame->name, NULL), &text);
	name = perun_buffer_take(&text);
	add_escaped(name, &text);
	perun_free(name);
	name = replace(perun_buffer_take(&text), "::", "\\n");
	name = replace(name, "[...]", "[\xe2\x80\xa6]");
	name = replace(name, ".", "\\n");
	pprof_add_node_name(profile, frame, name, file.data, "\\n", out);
	perun_buffer_add_text(out, "\\n");
	perun_free(name);
	perun_buffer_free(&file);
}

/* "10ms (5%)\nof 20ms (10%)" */
static void add_values(struct pprof_dot *dot, uint32_t node, struct perun_buffer *out)
{
	const struct pprof_report *report = dot->graph.report;
	int64_t flat = pprof_flat(&dot->graph, node);
	int64_t cumulative = pprof_cumulative(&dot->graph, node);

	if (flat != 0) {
		pprof_add_value(report, flat, out);
		perun_buffer_add_text(out, " (");
		pprof_add_share(flat, report->total, out);
		perun_buffer_add_char(out, ')');
	} else {
		perun_buffer_add_char(out, '0');
	}
	if (cumulative == flat)
		return;
	perun_buffer_add_text(out, flat != 0 ? "\\n" : " ");
	perun_buffer_add_text(out, "of ");
	pprof_add_value(report, cumulative, out);
	perun_buffer_add_text(out, " (");
	pprof_add_share(cumulative, report->total, out);
	perun_buffer_add_char(out, ')');
}

static void add_node(struct pprof_dot *dot, uint32_t node)
{
	struct perun_buffer *out = &dot->out;
	struct pprof_graph *graph = &dot->graph;
	int64_t flat = pprof_flat(graph, node), cumulative = pprof_cumulative(graph, node);
	double share = (double)pprof_magnitude(flat) / dot->most_flat;
	int font = 8;

	if (dot->most_flat != 0 && flat != 0 && share <= 1)
		font += (int)ceil(16 * sqrt(share));
	perun_buffer_printf(out, "N%zu [label=\"", dot->numbers[node]);
	add_lines_of_name(dot, node, out);
	add_values(dot, node, out);
	perun_buffer_printf(out, "\" id=\"node%zu\" fontsize=%d shape=box tooltip=\"",
			    dot->numbers[node], font);
	add_escaped(pprof_node_name(graph, node), out);
	perun_buffer_add_text(out, " (");
	pprof_add_value(graph->report, cumulative, out);
	perun_buffer_add_text(out, ")\" color=\"");
	add_share_color(graph, cumulative, false, out);
	perun_buffer_add_text(out, "\" fillcolor=\"");
	add_share_color(graph, cumulative, true, out);
	perun_buffer_add_text(out, "\"]\n");
}

/* ---- edges ------------------------------------------------------------------------------------ */

/* 1 + the share of the total in steps, at most 1 + `most`. */
static int64_t steps(int64_t value, int64_t most, int64_t total)
{
	int64_t scaled = (int64_t)((uint64_t)value * (uint64_t)most);

	scaled = total == -1 ? (int64_t)(0 - (uint64_t)scaled) : scaled / total;
	scaled = pprof_magnitude(scaled);
	return 1 + (scaled < most ? scaled : most);
}

static void add_tooltip(struct pprof_dot *dot, const struct perun_edge *edge, const char *value)
{
	struct perun_buffer *out = &dot->out;

	perun_buffer_add_char(out, '"');
	add_escaped(pprof_node_name(&dot->graph, edge->caller), out);
	perun_buffer_add_text(out, edge->residual ? " ... " : " -> ");
	add_escaped(pprof_node_name(&dot->graph, edge->callee), out);
	perun_buffer_printf(out, " (%s)\"", value);
}

static void add_edge(struct pprof_dot *dot, uint32_t number)
{
	const struct perun_edge *edge = &dot->graph.edges[number];
	struct perun_buffer *out = &dot->out, text = {0};
	int64_t value = pprof_edge_value(&dot->graph, number), total = dot->graph.report->total;

	pprof_add_value(dot->graph.report, value, &text);
	perun_buffer_printf(out, "N%zu -> N%zu [label=\" %s%s\"", dot->numbers[edge->caller],
			    dot->numbers[edge->callee], text.data,
			    edge->inlined ? "\\n (inline)" : "");
	if (total != 0) {
		int64_t weight = steps(value, 100, total), width = steps(value, 5, total);

		if (weight > 1)
			perun_buffer_printf(out, " weight=%d", (int)weight);
		if (width > 1)
			perun_buffer_printf(out, " penwidth=%d", (int)width);
		perun_buffer_add_text(out, " color=\"");
		add_share_color(&dot->graph, value, false, out);
		perun_buffer_add_char(out, '"');
	}
	perun_buffer_add_text(out, " tooltip=");
	add_tooltip(dot, edge, text.data);
	perun_buffer_add_text(out, " labeltooltip=");
	add_tooltip(dot, edge, text.data);
	if (edge->residual)
		perun_buffer_add_text(out, " style=\"dotted\"");
	if (dot->has_tags[edge->caller])
		perun_buffer_add_text(out, " minlen=2");
	perun_buffer_add_text(out, "]\n");
	perun_buffer_free(&text);
}

/* ---- the drawing ------------------------------------------------------------------------------ */

static void draw(struct pprof_dot *dot)
{
	struct pprof_graph *graph = &dot->graph;
	uint32_t *edges;
	size_t count;

	add_head(dot);
	dot->numbers = perun_alloc_zero(graph->all + 1, sizeof *dot->numbers);
	dot->has_tags = perun_alloc_zero(graph->all + 1, sizeof *dot->has_tags);
	for (size_t i = 0; i < graph->count; i++) {
		double flat = (double)pprof_magnitude(pprof_flat(graph, graph->nodes[i]));

		dot->numbers[graph->nodes[i]] = i + 1;
		dot->most_flat = i == 0 || flat > dot->most_flat ? flat : dot->most_flat;
	}
	for (size_t i = 0; i < graph->count; i++) {
		add_node(dot, graph->nodes[i]);
		dot->has_tags[graph->nodes[i]] = pprof_dot_tags(dot, graph->nodes[i]);
	}
	edges = pprof_all_edges(graph, &count);
	for (size_t i = 0; i < count; i++)
		add_edge(dot, edges[i]);
	perun_free(edges);
	perun_buffer_add_text(&dot->out, "}\n");
}

/* The drawing as text, for -dot and for what "dot" makes of it. Free `out` in any case. */
static int pprof_draw_dot(struct pprof_report *report, struct perun_buffer *out)
{
	struct pprof_dot dot = {0};
	int status = pprof_graph_make(report, PPROF_DOT, &dot.graph);

	if (status == PERUN_OK)
		status = pprof_shortener_init(report->ctx, &dot.shortener);
	if (status == PERUN_OK)
		draw(&dot);
	pprof_shortener_clear(&dot.shortener);
	pprof_graph_clear(&dot.graph);
	perun_free(dot.numbers);
	perun_free(dot.has_tags);
	*out = dot.out;
	return status;
}

int pprof_report_dot(struct pprof_report *report)
{
	struct perun_buffer out = {0};
	int status = pprof_draw_dot(report, &out);

	if (status == PERUN_OK)
		status = perun_output_write(report->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}
