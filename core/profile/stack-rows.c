/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks of a column, row by row. */
#include "core/profile/model.h"

/* Stacks with no more locations than this in all are made arrays once, not for each row. */
enum { ROWS = 64, FEW_LOCATIONS = 1 << 22 };

struct perun_stack_rows {
	const struct perun_profile *profile;
	const struct perun_column *column;
	bool kept; /* arrays stay with the profile */
	/* Some rows of which a tree's stacks were made arrays, one after the other in `room`. */
	size_t first, count;
	size_t starts[ROWS + 1];
	perun_id *room;
	size_t capacity;
};

static bool are_kept(const struct perun_stack_tree *tree)
{
	uint64_t locations = 0;

	for (uint32_t i = 0; tree && i < tree->count; i++)
		locations += perun_stack_tree_stack_length(tree, i);
	return !tree || locations <= FEW_LOCATIONS;
}

struct perun_stack_rows *perun_stack_rows_new(const struct perun_profile *profile,
					      const struct perun_column *column)
{
	struct perun_stack_rows *rows = perun_alloc_zero(1, sizeof *rows);

	rows->profile = profile;
	rows->column = column;
	rows->kept = are_kept(profile->pools.tree);
	return rows;
}

void perun_stack_rows_free(struct perun_stack_rows *rows)
{
	if (rows)
		perun_free(rows->room);
	perun_free(rows);
}

static void load(struct perun_stack_rows *rows, size_t row)
{
	perun_id stacks[ROWS], *to[ROWS];
	size_t all = perun_table_rows(rows->column->table);

	rows->first = row;
	rows->count = row < all ? all - row : 0;
	if (rows->count > ROWS)
		rows->count = ROWS;
	for (size_t i = 0; i < rows->count; i++) {
		stacks[i] = perun_column_id(rows->column, row + i);
		rows->starts[i + 1] =
			rows->starts[i] + perun_profile_stack_length(rows->profile, stacks[i]);
	}
	if (rows->starts[rows->count] > rows->capacity) {
		rows->capacity = rows->starts[rows->count] * 2;
		perun_free(rows->room);
		rows->room = perun_alloc(rows->capacity * sizeof *rows->room);
	}
	for (size_t i = 0; i < rows->count; i++)
		to[i] = rows->room + rows->starts[i];
	perun_stack_tree_unfold(rows->profile->pools.tree, stacks, rows->count, to);
}

const perun_id *perun_stack_rows_at(struct perun_stack_rows *rows, size_t row, size_t *count)
{
	size_t i;

	if (rows->kept)
		return perun_profile_stack(rows->profile, perun_column_id(rows->column, row),
					   count);
	if (row < rows->first || row - rows->first >= rows->count)
		load(rows, row);
	i = row - rows->first;
	*count = i < rows->count ? rows->starts[i + 1] - rows->starts[i] : 0;
	return *count ? rows->room + rows->starts[i] : NULL;
}
