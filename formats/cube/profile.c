/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading one run: a file of Cube, or the directory in which Score-P leaves it, as costs of call paths. */
#include <math.h>
#include <string.h>

#include "cube.h"
#include "formats/common/stacks.h"

/* A metric in the making: what all locations together have at each node that has values. */
struct column {
	unsigned metric;
	struct cube_values values;
	size_t next; /* of its nodes */
};

struct profile {
	struct perun_ctx *ctx;
	const struct cube_options *options;
	struct cube_archive archive;
	struct cube_anchor anchor;
	struct stacks *stacks;
	perun_id *paths; /* of each node */
	struct column *columns;
	size_t count, room;
};

static int find_paths(struct profile *profile)
{
	const struct cube_anchor *anchor = &profile->anchor;
	struct perun_builder *builder = stacks_builder(profile->stacks);

	profile->paths = perun_alloc_zero(anchor->node_count, sizeof *profile->paths);
	for (size_t i = 0; i < anchor->node_count; i++) {
		const struct cube_node *node = &anchor->nodes[i];
		const char *name;
		int status = cube_callee(profile->ctx, anchor, node, &name);

		if (status)
			return status;
		profile->paths[i] = perun_builder_path(
			builder,
			node->parent == UINT32_MAX ? PERUN_NO_ID : profile->paths[node->parent],
			stacks_name(profile->stacks, name, strlen(name)));
	}
	return PERUN_OK;
}

/* Least and largest values are of one location each. */
static bool adds_up(const struct cube_metric *metric)
{
	return metric->number != CUBE_MINIMUM && metric->number != CUBE_MAXIMUM;
}

/* Visits are counted, and a program repeats them; other occurrences are hits of samples; all else is measured. */
static unsigned name_metric(struct stacks *stacks, const struct cube_metric *metric)
{
	const char *unit = metric->unit ? metric->unit : "";

	if (strcmp(metric->name, "visits") == 0)
		return stacks_exact(stacks, metric->name, "");
	if (strcmp(unit, "occ") == 0)
		return stacks_metric(stacks, metric->name, "");
	if (strcmp(unit, "sec") == 0)
		return stacks_measured(stacks, metric->name, "s");
	return stacks_unsampled(stacks, metric->name, strcmp(unit, "#") == 0 ? "" : unit);
}

static int add_column(struct profile *profile, const struct cube_metric *metric)
{
	const size_t locations = profile->anchor.locations;
	struct column column = {0};
	int status = cube_read_values(profile->ctx, &profile->archive, &profile->anchor, metric,
				      false, &column.values);

	if (status || !column.values.count) {
		perun_free(column.values.nodes);
		perun_free(column.values.numbers);
		return status;
	}
	for (size_t i = 0; i < column.values.count; i++) {
		double sum = 0;

		for (size_t k = 0; k < locations; k++)
			sum += column.values.numbers[i * locations + k];
		column.values.numbers[i] = sum;
	}
	column.metric = name_metric(profile->stacks, metric);
	if (strcmp(metric->name, "time") == 0)
		stacks_lead(profile->stacks, column.metric);
	PERUN_GROW(profile->columns, profile->count, profile->room);
	profile->columns[profile->count++] = column;
	return PERUN_OK;
}

/* What overlaps is in other nodes as well (see CUBE_OVERLAP). */
static int add_rows(struct profile *profile)
{
	int status = PERUN_OK;

	for (uint32_t i = 0; i < profile->anchor.node_count && !status; i++) {
		bool any = false;
		perun_id stack;

		for (size_t k = 0; k < profile->count; k++) {
			struct column *column = &profile->columns[k];
			double value;

			if (column->next == column->values.count ||
			    column->values.nodes[column->next] != i)
				continue;
			value = column->values.numbers[column->next++];
			if (!isfinite(value) || profile->anchor.nodes[i].overlaps)
				continue;
			stacks_value(profile->stacks, column->metric, value);
			any = true;
		}
		if (!any)
			continue;
		status = stacks_of_path(profile->stacks, profile->paths[i], &stack);
		if (!status)
			stacks_add(profile->stacks, stack);
	}
	return status;
}

static int read_archive(struct profile *profile, struct perun_input *input)
{
	int status;

	profile->archive.left = profile->options->archive_limit;
	status = cube_open_archive(profile->ctx, input, &profile->archive);
	if (!status)
		status = cube_read_archived_anchor(profile->ctx, &profile->archive,
						   &profile->anchor);
	if (!status)
		status = find_paths(profile);
	for (size_t i = 0; !status && i < profile->anchor.metric_count; i++) {
		const struct cube_metric *metric = &profile->anchor.metrics[i];

		if (cube_is_chosen(metric, profile->options) && adds_up(metric))
			status = add_column(profile, metric);
	}
	return status ? status : add_rows(profile);
}

static int read_directory(struct profile *profile, struct perun_input *input)
{
	struct perun_input *child;
	int status = perun_input_open_child(profile->ctx, input, CUBE_PROFILE, &child);

	if (status)
		return status;
	status = read_archive(profile, child);
	perun_input_close(child);
	return status ? perun_fail(profile->ctx, status, CUBE_PROFILE) : PERUN_OK;
}

int cube_read_profile(const struct cube_options *options, struct perun_ctx *ctx,
		      struct perun_input *input, struct perun_builder *builder)
{
	const struct stacks_options frames = {.frame_limit = options->frame_limit};
	struct profile profile = {.ctx = ctx,
				  .options = options,
				  .stacks = stacks_begin(ctx, builder, "score-p", &frames)};
	int status = perun_input_is_directory(input) ? read_directory(&profile, input)
						     : read_archive(&profile, input);

	for (size_t i = 0; i < profile.count; i++) {
		perun_free(profile.columns[i].values.nodes);
		perun_free(profile.columns[i].values.numbers);
	}
	perun_free(profile.columns);
	perun_free(profile.paths);
	cube_clear_anchor(&profile.anchor);
	cube_close_archive(&profile.archive);
	return stacks_end(profile.stacks, status);
}
