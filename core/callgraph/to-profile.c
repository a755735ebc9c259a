/* SPDX-License-Identifier: BSD-3-Clause */
/* What filters left of a profile as a profile of its own. */
#include <string.h>

#include "core/callgraph/stacks.h"

struct extraction {
	const struct perun_stacks *stacks;
	struct perun_builder *builder;
	perun_id *locations; /* of an old location its new one, or PERUN_NO_ID; NULL: the same */
	perun_id *made;      /* of an old stack its new one, or PERUN_NO_ID */
	perun_id *list;
	size_t list_capacity;
};

/* Locations in their order, with the lines that are left. */
static void make_locations(struct extraction *e)
{
	const struct perun_stacks *stacks = e->stacks;

	if (!stacks->lines)
		return;
	e->locations = perun_alloc((stacks->location_count + 1) * sizeof *e->locations);
	for (size_t i = 0; i < stacks->location_count; i++) {
		struct perun_location location =
			*perun_profile_location(stacks->profile, (perun_id)i);
		const struct perun_left_lines *left = &stacks->lines[i];

		e->locations[i] = (perun_id)i;
		if (left->count == location.line_count)
			continue;
		location.lines = left->lines;
		location.line_count = left->count;
		e->locations[i] = perun_builder_location(e->builder, &location);
	}
}

static perun_id make_stack(struct extraction *e, perun_id old, size_t first, size_t end)
{
	const perun_id *locations = perun_stacks_locations(e->stacks, old);
	size_t count = 0;

	if (end - first > e->list_capacity) {
		e->list_capacity = (end - first) * 2;
		e->list = perun_realloc_array(e->list, e->list_capacity, sizeof *e->list);
	}
	for (size_t i = first; i < end; i++) {
		if (!perun_stacks_hidden(e->stacks, locations[i]))
			e->list[count++] = e->locations ? e->locations[locations[i]] : locations[i];
	}
	return perun_builder_stack(e->builder, e->list, count);
}

int perun_stacks_to_profile(struct perun_ctx *ctx, const struct perun_stacks *stacks,
			    struct perun_profile **profile)
{
	struct extraction e = {.stacks = stacks};
	struct perun_table_builder *table;
	struct perun_column_builder *column;
	uint64_t *keep = perun_alloc_zero(stacks->rows / 64 + 1, sizeof *keep);
	size_t first, end;
	perun_id id;

	e.builder = perun_builder_from(stacks->profile);
	table = perun_builder_table(e.builder, "resources");
	column = perun_table_find_column(table, perun_column_info(stacks->column)->name);
	make_locations(&e);
	e.made = perun_alloc((stacks->stack_count + 1) * sizeof *e.made);
	memset(e.made, 0xff, (stacks->stack_count + 1) * sizeof *e.made);
	perun_table_rewind(table, 0);
	for (size_t row = 0; row < stacks->rows; row++) {
		if (perun_stacks_row(stacks, row, &id, &first, &end)) {
			keep[row / 64] |= UINT64_C(1) << row % 64;
			if (e.made[id] == PERUN_NO_ID)
				e.made[id] = make_stack(&e, id, first, end);
			if (e.made[id] != id)
				perun_column_set_id(column, PERUN_TYPE_STACK, e.made[id]);
		}
		perun_table_end_row(table);
	}
	perun_table_keep_rows(table, keep);
	perun_free(keep);
	perun_free(e.locations);
	perun_free(e.made);
	perun_free(e.list);
	return perun_builder_finish(ctx, e.builder, profile);
}
