/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines above a report of a graph. */
#include <string.h>

#include "graph.h"

void pprof_add_share(int64_t value, int64_t total, struct perun_buffer *out)
{
	struct perun_buffer text = {0};

	pprof_add_percentage(value, total, &text);
	perun_buffer_add_text(out, text.data + strspn(text.data, " "));
	perun_buffer_free(&text);
}

static void add_line(struct perun_buffer *out, const char *text)
{
	if (out->length > 0)
		perun_buffer_add_char(out, '\n');
	perun_buffer_add_text(out, text);
}

static void add_dropped(const struct pprof_report *report, size_t count, const char *what,
			const char *by, double fraction, struct perun_buffer *out)
{
	double cut = (double)report->total * fraction;

	if (count == 0)
		return;
	add_line(out, "Dropped ");
	perun_buffer_printf(out, "%zu %s%s (%s <= ", count, what, count > 1 ? "s" : "", by);
	pprof_add_value(report, (int64_t)(cut < 0 ? -cut : cut), out);
	perun_buffer_add_char(out, ')');
}

void pprof_add_legend(struct pprof_graph *graph, struct perun_buffer *out, bool full)
{
	const struct pprof_report *report = graph->report;
	int64_t flat = 0;

	if (full || !report->settings.compact_labels)
		pprof_add_profile_labels(report, out);
	pprof_add_active_filters(report, out);
	for (size_t i = 0; i < graph->count; i++)
		flat = (int64_t)((uint64_t)flat + (uint64_t)pprof_flat(graph, graph->nodes[i]));
	add_line(out, "Showing nodes accounting for ");
	pprof_add_value(report, flat, out);
	perun_buffer_add_text(out, ", ");
	pprof_add_share(flat, report->total, out);
	perun_buffer_add_text(out, " of ");
	pprof_add_value(report, report->total, out);
	perun_buffer_add_text(out, " total");
	if (report->total != 0) {
		add_dropped(report, graph->dropped_nodes, "node", "cum",
			    report->settings.node_fraction, out);
		if (full)
			add_dropped(report, graph->dropped_edges, "edge", "freq",
				    report->settings.edge_fraction, out);
		if (graph->count > 0 && graph->count < graph->original)
			perun_buffer_printf(out, "\nShowing top %zu nodes out of %zu", graph->count,
					    graph->original);
	}
	if (full)
		perun_buffer_add_text(out,
				      "\n\nSee https://git.io/JfYMW for how to read the graph");
}
