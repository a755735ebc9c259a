/* SPDX-License-Identifier: BSD-3-Clause */
/* Through which stacks a function came to cost more: from the profiles before and after. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>

#include "core/history/history.h"
#include "core/query/groups.h"

/* What a stack of a function costs in one profile; less than 0 before the change. */
struct perun_candidate_stack {
	size_t candidate;
	char *text;
	double cost;
};

static size_t find_candidate(const struct perun_candidates *candidates, const char *location)
{
	size_t i = 0;

	while (i < candidates->count && strcmp(candidates->items[i].location, location) != 0)
		i++;
	return i;
}

static void take_groups(const struct perun_groups *groups, const struct perun_column *uid,
			const double *costs, bool after, struct perun_candidates *candidates)
{
	for (size_t g = 0; g < groups->count; g++) {
		struct perun_buffer location = {0};
		struct perun_candidate_stack *stack;
		size_t number;

		if (uid)
			perun_column_flat(uid, groups->first_row[g], &location);
		number = find_candidate(candidates, location.length
							    ? location.data
							    : perun_leaf_of(groups->texts[g]));
		perun_buffer_free(&location);
		if (number == candidates->count || !*groups->texts[g])
			continue;
		PERUN_GROW(candidates->stacks, candidates->stack_count, candidates->stack_capacity);
		stack = &candidates->stacks[candidates->stack_count++];
		*stack = (struct perun_candidate_stack){number, perun_strdup(groups->texts[g]),
							after ? costs[g] : -costs[g]};
	}
}

int perun_candidates_take_stacks(struct perun_ctx *ctx, const struct perun_profile *profile,
				 const char *metric_name, bool after,
				 struct perun_candidates *candidates)
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
	status = perun_group_by_flat(ctx, stacks, selection, &groups);
	perun_free(selection);
	if (status)
		return status;
	costs = perun_alloc_zero(groups->count + 1, sizeof *costs);
	status = perun_aggregate(ctx, groups, metric->values, PERUN_AGGREGATE_SUM, 0, costs);
	if (!status)
		take_groups(groups, perun_table_column(resources, "uid"), costs, after, candidates);
	perun_free(costs);
	perun_groups_free(groups);
	return status;
}

static int by_stack(const void *one, const void *other)
{
	const struct perun_candidate_stack *a = one, *b = other;

	if (a->candidate != b->candidate)
		return a->candidate < b->candidate ? -1 : 1;
	return strcmp(a->text, b->text);
}

void perun_candidates_choose_paths(struct perun_candidates *candidates)
{
	double *largest = perun_alloc_zero(candidates->count + 1, sizeof *largest);
	struct perun_candidate_stack *stacks = candidates->stacks;

	if (candidates->stack_count)
		qsort(stacks, candidates->stack_count, sizeof *stacks, by_stack);
	for (size_t i = 0, end; i < candidates->stack_count; i = end) {
		size_t number = stacks[i].candidate;
		double change = 0;

		for (end = i;
		     end < candidates->stack_count && by_stack(&stacks[i], &stacks[end]) == 0;
		     end++)
			change += stacks[end].cost;
		if (fabs(change) <= largest[number])
			continue;
		largest[number] = fabs(change);
		perun_free(candidates->paths[number]);
		candidates->paths[number] = perun_strdup(stacks[i].text);
		candidates->items[number].path = candidates->paths[number];
	}
	perun_free(largest);
}

void perun_candidates_free_stacks(struct perun_candidates *candidates)
{
	for (size_t i = 0; i < candidates->stack_count; i++)
		perun_free(candidates->stacks[i].text);
	perun_free(candidates->stacks);
}
