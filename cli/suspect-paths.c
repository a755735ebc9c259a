/* SPDX-License-Identifier: BSD-3-Clause */
/* Through which stacks a function came to cost more: from the profiles before and after. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>

#include "cli/suspects.h"

/* What a stack of a function costs in one profile; less than 0 before the change. */
struct cli_suspect_stack {
	size_t suspect;
	char *text;
	double cost;
};

static size_t find_suspect(const struct cli_suspects *suspects, const char *location)
{
	size_t i = 0;

	while (i < suspects->count && strcmp(suspects->items[i].location, location) != 0)
		i++;
	return i;
}

static void take_groups(const struct perun_groups *groups, const struct perun_column *uid,
			const double *costs, bool after, struct cli_suspects *suspects)
{
	for (size_t g = 0; g < groups->count; g++) {
		struct perun_buffer location = {0};
		struct cli_suspect_stack *stack;
		size_t suspect;

		if (uid)
			perun_column_flat(uid, groups->first_row[g], &location);
		suspect = find_suspect(suspects, location.length ? location.data
								 : cli_leaf_of(groups->texts[g]));
		perun_buffer_free(&location);
		if (suspect == suspects->count || !*groups->texts[g])
			continue;
		PERUN_GROW(suspects->stacks, suspects->stack_count, suspects->stack_capacity);
		stack = &suspects->stacks[suspects->stack_count++];
		*stack = (struct cli_suspect_stack){suspect, perun_strdup(groups->texts[g]),
						    after ? costs[g] : -costs[g]};
	}
}

int cli_suspects_take_stacks(struct cli *cli, const struct perun_profile *profile,
			     const char *metric_name, bool after, struct cli_suspects *suspects)
{
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *stacks = perun_table_column(resources, "stack");
	const struct perun_metric *metric = perun_metric(profile, metric_name);
	struct perun_groups *groups = NULL;
	uint64_t *selection;
	double *costs;
	int status;

	if (!stacks || !metric)
		return PERUN_OK;
	selection = perun_selection_of_metric(metric, perun_table_rows(resources));
	status = perun_group_by_flat(cli->ctx, stacks, selection, &groups);
	perun_free(selection);
	if (status)
		return status;
	costs = perun_alloc_zero(groups->count + 1, sizeof *costs);
	status = perun_aggregate(cli->ctx, groups, metric->values, PERUN_SUM, 0, costs);
	if (!status)
		take_groups(groups, perun_table_column(resources, "uid"), costs, after, suspects);
	perun_free(costs);
	perun_groups_free(groups);
	return status;
}

static int by_stack(const void *one, const void *other)
{
	const struct cli_suspect_stack *a = one, *b = other;

	if (a->suspect != b->suspect)
		return a->suspect < b->suspect ? -1 : 1;
	return strcmp(a->text, b->text);
}

void cli_suspects_choose_paths(struct cli_suspects *suspects)
{
	double *largest = perun_alloc_zero(suspects->count + 1, sizeof *largest);
	struct cli_suspect_stack *stacks = suspects->stacks;

	if (suspects->stack_count)
		qsort(stacks, suspects->stack_count, sizeof *stacks, by_stack);
	for (size_t i = 0, end; i < suspects->stack_count; i = end) {
		struct cli_suspect *suspect = &suspects->items[stacks[i].suspect];
		double change = 0;

		for (end = i;
		     end < suspects->stack_count && by_stack(&stacks[i], &stacks[end]) == 0; end++)
			change += stacks[end].cost;
		if (fabs(change) <= largest[stacks[i].suspect])
			continue;
		largest[stacks[i].suspect] = fabs(change);
		perun_free(suspect->own_path);
		suspect->own_path = perun_strdup(stacks[i].text);
		suspect->path = suspect->own_path;
	}
	perun_free(largest);
}

void cli_suspects_free_stacks(struct cli_suspects *suspects)
{
	for (size_t i = 0; i < suspects->stack_count; i++)
		perun_free(suspects->stacks[i].text);
	perun_free(suspects->stacks);
}
