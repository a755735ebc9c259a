/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of stacks: what each function costs itself. */
#include <string.h>

#include <perun/lib/callgraph.h>
#include <perun/lib/units.h>

#include "core/history/values.h"
#include "core/profile/model.h"
#include "core/profile/words.h"

/* The metric that counts samples. */
#define SAMPLES "samples"

/* Intervals of labels that come again and again, as AFPerf has them, measure the same each time. */
static bool has_intervals(const struct perun_table *table)
{
	const struct perun_column *start = perun_table_column(table, "start");

	return start && perun_column_info(start)->role == PERUN_ROLE_TIME &&
	       perun_table_column(table, "duration") && perun_table_column(table, "uid");
}

/* Numbers count from the first one on: there may be only one. */
bool perun_has_repeats(const struct perun_table *table)
{
	const struct perun_column *order = perun_table_column(table, "order");
	size_t rows = order ? perun_table_rows(table) : 0;

	for (size_t row = 0; row < rows; row++) {
		if (!perun_column_absent(order, row))
			return true;
	}
	return has_intervals(table);
}

/* What is measured under parameters is an experiment, whose calls are timed: a profiler knows none. */
bool perun_has_stacks(const struct perun_table *resources)
{
	const struct perun_column *column = perun_table_column(resources, "stack");

	return column && perun_column_info(column)->type == PERUN_TYPE_STACK &&
	       !has_intervals(resources) && !resources->has_parameters;
}

/* Of the collector cpu, the uid of a sample is the innermost frame of its stack, with a line that moves with each edit. */
static bool has_sampled_traces(const struct perun_table *resources)
{
	return perun_table_column(resources, "trace") && perun_table_column(resources, SAMPLES);
}

bool perun_has_only_stacks(const struct perun_table *resources)
{
	return perun_has_stacks(resources) &&
	       (!perun_table_column(resources, "uid") || has_sampled_traces(resources));
}

bool perun_counts_again(const struct perun_profile *profile, const struct perun_metric *metric)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	if (strcmp(metric->name, SAMPLES) != 0 || !perun_has_stacks(perun_resources(profile)))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (metrics[i] != metric && perun_unit_of(metrics[i]->unit).kind == PERUN_UNIT_TIME)
			return true;
	}
	return false;
}

/* The rows of a metric that shares its column with others; NULL = all. */
static uint64_t *select_rows(const struct perun_profile *profile, const struct perun_metric *metric,
			     size_t rows)
{
	const uint32_t *own;
	uint64_t *selection;
	size_t count;

	if (!metric->selector[0])
		return NULL;
	selection = perun_alloc_zero(rows / 64 + 1, sizeof *selection);
	own = perun_metric_rows(profile, metric, &count);
	for (size_t i = 0; i < count; i++) {
		if (perun_metric_has_row(metric, own[i]))
			selection[own[i] / 64] |= UINT64_C(1) << own[i] % 64;
	}
	return selection;
}

static uint32_t add_costs(struct perun_buffer *out, const struct perun_profile *profile,
			  const struct perun_frame *nodes, size_t count, const int64_t *costs,
			  double scale, uint32_t flags)
{
	struct perun_buffer name = {0};
	double unknown = 0;
	uint32_t groups = 0;

	for (size_t i = 0; i < count; i++) {
		double value = (double)costs[i] * scale;

		if (costs[i] == 0)
			continue;
		perun_buffer_clear(&name);
		perun_frame_name(profile, &nodes[i], &name);
		if (name.length && (perun_is_chance_address(name.data) ||
				    strcmp(name.data, PERUN_UNKNOWN_FUNCTION) == 0)) {
			unknown += value;
		} else if (name.length) {
			perun_value_group_add(out, name.data, "", flags, 0, &value, 1);
			groups++;
		}
	}
	/* What they cost with what they call may be in each other. */
	if (unknown != 0 && !(flags & PERUN_GROUP_INCLUSIVE)) {
		perun_value_group_add(out, PERUN_UNKNOWN_FUNCTION, "", flags, 0, &unknown, 1);
		groups++;
	}
	perun_buffer_free(&name);
	return groups;
}

/* The functions, and all of them together. */
static void add_functions(struct perun_buffer *out, const struct perun_profile *profile,
			  const struct perun_callgraph *graph, const struct perun_metric *metric,
			  size_t weight, double scale, double sum, unsigned which)
{
	size_t count, start = perun_metric_head_add(out, profile, metric, PERUN_VALUE_SAMPLED);
	const struct perun_frame *nodes = perun_callgraph_nodes(graph, &count);
	uint32_t groups = 0;
	bool alone = false;

	if (which & PERUN_VALUES_FUNCTIONS) {
		groups += add_costs(out, profile, nodes, count, perun_callgraph_flat(graph, weight),
				    scale, 0);
		alone = groups == 1;
	}
	if (which & PERUN_VALUES_INCLUSIVE)
		groups += add_costs(out, profile, nodes, count,
				    perun_callgraph_cumulative(graph, weight), scale,
				    PERUN_GROUP_INCLUSIVE);
	/* One function is the whole. */
	if (!alone)
		perun_value_group_add(
			out, "", "",
			PERUN_GROUP_WHOLE | PERUN_GROUP_TOTAL |
				(which & PERUN_VALUES_FUNCTIONS ? 0 : PERUN_GROUP_AGAIN),
			0, &sum, 1);
	perun_metric_end(out, start, groups + !alone);
}

static int add_metrics(struct perun_ctx *ctx, struct perun_stacks *stacks,
		       const struct perun_metric *const *metrics, size_t count, unsigned which,
		       struct perun_buffer *out)
{
	const struct perun_graph_options options = {.struct_size = sizeof options,
						    .no_edges = true};
	struct perun_profile *profile = perun_stacks_profile(stacks);
	size_t rows = perun_table_rows(perun_resources(profile));
	struct perun_weight weights[PERUN_WEIGHTS] = {{0}};
	struct perun_callgraph *graph = NULL;
	int status;

	for (size_t i = 0; i < count; i++)
		weights[i] = (struct perun_weight){metrics[i]->values,
						   select_rows(profile, metrics[i], rows)};
	status = perun_stacks_weigh(ctx, stacks, weights, count, 0);
	if (!status)
		status = perun_callgraph_new(ctx, stacks, &options, &graph);
	for (size_t i = 0; !status && i < count; i++) {
		double scale = perun_stacks_scale(stacks, i);

		if (perun_counts_again(profile, metrics[i]))
			continue;
		add_functions(out, profile, graph, metrics[i], i, scale,
			      (double)perun_stacks_sum(stacks, i) * scale, which);
	}
	for (size_t i = 0; i < count; i++)
		perun_free((void *)weights[i].rows);
	perun_callgraph_free(graph);
	return status;
}

int perun_values_of_stacks(struct perun_ctx *ctx, struct perun_profile *profile, unsigned which,
			   struct perun_buffer *out)
{
	struct perun_stacks *stacks = NULL;
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);
	int status = perun_stacks_new(ctx, profile, &stacks);

	for (size_t i = 0; !status && i < count; i += PERUN_WEIGHTS)
		status = add_metrics(ctx, stacks, metrics + i,
				     count - i < PERUN_WEIGHTS ? count - i : PERUN_WEIGHTS, which,
				     out);
	perun_stacks_free(stacks);
	return status;
}
