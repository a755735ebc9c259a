/* SPDX-License-Identifier: BSD-3-Clause */
/* The report -topproto: the nodes of -top as a profile. */
#include <string.h>

#include <perun/json.h>

#include "graph.h"

static int64_t scaled(const struct pprof_report *report, int64_t value)
{
	const char *unit;
	double result = pprof_scale(value, report->unit, report->output_unit, &unit);

	return result >= -0x1p63 && result < 0x1p63 ? (int64_t)result : INT64_MIN;
}

/* A location for each node; nodes that differ by line or address alone have the same function. */
static perun_id make_stack(struct pprof_graph *graph, size_t i, struct perun_builder *builder)
{
	const struct perun_frame *frame = &graph->frames[graph->nodes[i]];
	const struct perun_profile *profile = graph->report->profile;
	struct perun_function function = {.start_line = frame->start_line};
	struct perun_line line = {.line = frame->line, .column = frame->column};
	struct perun_location location = {.address = frame->address,
					  .mapping = PERUN_NO_ID,
					  .source_id = i + 1,
					  .line_count = 1,
					  .lines = &line};
	perun_id id;

	function.name =
		perun_builder_text(builder, perun_profile_string(profile, frame->name, NULL));
	function.file = perun_builder_text(builder, pprof_node_file(graph, graph->nodes[i]));
	line.function = perun_builder_function(builder, &function);
	id = perun_builder_location(builder, &location);
	return perun_builder_stack(builder, &id, 1);
}

static struct perun_column_builder *add_column(struct perun_table_builder *table, const char *name,
					       const char *unit, enum perun_type type)
{
	struct perun_column_info info = {.name = name,
					 .unit = unit,
					 .type = type,
					 .role = type == PERUN_TYPE_STACK ? PERUN_ROLE_KEY
									  : PERUN_ROLE_METRIC};

	return perun_table_add_column(table, &info);
}

static void copy_header(const struct pprof_report *report, struct perun_builder *builder)
{
	static const char *const keys[] = {"time", "duration", "period", "period_type"};
	const struct perun_json *from =
		perun_json_get(perun_profile_document(report->profile), "header");
	struct perun_json *header = perun_json_object();

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct perun_json *value = perun_json_get(from, keys[i]);

		if (value)
			perun_json_set(header, keys[i], perun_json_clone(value));
	}
	perun_json_set(perun_builder_document(builder), "header", header);
}

static int make_profile(struct pprof_graph *graph, struct perun_profile **result)
{
	const struct pprof_report *report = graph->report;
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *stack, *cumulative, *flat;

	copy_header(report, builder);
	stack = add_column(table, "stack", NULL, PERUN_TYPE_STACK);
	cumulative = add_column(table, "cum", report->output_unit, PERUN_TYPE_INT64);
	flat = add_column(table, "flat", report->output_unit, PERUN_TYPE_INT64);
	for (size_t i = 0; i < graph->count; i++) {
		uint32_t node = graph->nodes[i];

		perun_column_set_id(stack, PERUN_TYPE_STACK, make_stack(graph, i, builder));
		perun_column_set_int64(cumulative, scaled(report, pprof_cumulative(graph, node)));
		perun_column_set_int64(flat, scaled(report, pprof_flat(graph, node)));
		perun_table_end_row(table);
	}
	return perun_builder_finish(report->ctx, builder, result);
}

int pprof_report_topproto(struct pprof_report *report)
{
	struct perun_profile *result = NULL;
	struct pprof_graph graph;
	int status = pprof_graph_make(report, PPROF_TOPPROTO, &graph);

	if (status == PERUN_OK)
		status = make_profile(&graph, &result);
	if (status == PERUN_OK)
		status = perun_write_profile(report->ctx, result, "pprof", NULL, report->output);
	perun_profile_unref(result);
	pprof_graph_clear(&graph);
	return status;
}
