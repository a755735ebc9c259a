/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of stacks: what each function costs itself. */
#include <config.h>

#include <string.h>

#include <perun/lib/callgraph.h>

#include "cli/site/read.h"

bool site_has_stacks(const struct perun_table *resources)
{
	const struct perun_column *column = perun_table_column(resources, "stack");

	return column && perun_column_info(column)->type == PERUN_STACK &&
	       !perun_table_column(resources, "uid");
}

/* The rows of a metric that shares its column with others; NULL = all. */
static uint64_t *select_rows(const struct perun_metric *metric, size_t rows)
{
	uint64_t *selection;

	if (!metric->selector[0])
		return NULL;
	selection = perun_alloc_zero(rows / 64 + 1, sizeof *selection);
	for (size_t row = 0; row < rows; row++) {
		if (perun_metric_has_row(metric, row))
			selection[row / 64] |= UINT64_C(1) << row % 64;
	}
	return selection;
}

static void add_functions(struct site_reading *reading, const struct perun_profile *profile,
			  const struct perun_callgraph *graph, const struct perun_metric *metric,
			  size_t weight, double scale)
{
	const int64_t *flat = perun_callgraph_flat(graph, weight);
	struct perun_buffer name = {0};
	size_t count;
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);

	for (size_t i = 0; i < count; i++) {
		if (flat[i] == 0)
			continue;
		perun_buffer_clear(&name);
		perun_frame_name(profile, &nodes[i], &name);
		if (name.length)
			site_reading_add(reading, site_reading_strand(reading, metric, name.data),
					 (double)flat[i] * scale);
	}
	perun_buffer_free(&name);
}

static int read_metrics(struct site_reading *reading, struct perun_stacks *stacks,
			const struct perun_metric *metrics, size_t count)
{
	const struct perun_graph_options options = {.struct_size = sizeof options,
						    .no_edges = true};
	struct perun_ctx *ctx = reading->site->cli->ctx;
	struct perun_profile *profile = perun_stacks_profile(stacks);
	size_t rows = perun_table_rows(perun_resources(profile));
	struct perun_weight weights[PERUN_WEIGHTS] = {{0}};
	struct perun_callgraph *graph = NULL;
	int status;

	for (size_t i = 0; i < count; i++)
		weights[i] =
			(struct perun_weight){metrics[i].values, select_rows(&metrics[i], rows)};
	status = perun_stacks_weigh(ctx, stacks, weights, count, 0);
	if (!status)
		status = perun_callgraph_new(ctx, stacks, &options, &graph);
	for (size_t i = 0; !status && i < count; i++) {
		double scale = perun_stacks_scale(stacks, i);

		add_functions(reading, profile, graph, &metrics[i], i, scale);
		site_reading_add(reading, site_reading_strand(reading, &metrics[i], ""),
				 (double)perun_stacks_sum(stacks, i) * scale);
	}
	for (size_t i = 0; i < count; i++)
		perun_free((void *)weights[i].rows);
	perun_callgraph_free(graph);
	return status;
}

int site_read_stacks(struct site_reading *reading, struct perun_profile *profile)
{
	struct perun_stacks *stacks = NULL;
	size_t count;
	const struct perun_metric *metrics = perun_metrics(profile, &count);
	int status = perun_stacks_new(reading->site->cli->ctx, profile, &stacks);

	for (size_t i = 0; !status && i < count; i += PERUN_WEIGHTS)
		status = read_metrics(reading, stacks, metrics + i,
				      count - i < PERUN_WEIGHTS ? count - i : PERUN_WEIGHTS);
	perun_stacks_free(stacks);
	return status;
}
