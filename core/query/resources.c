/* SPDX-License-Identifier: BSD-3-Clause */
/* Visiting resources and snapshots. */
#include <config.h>

#include <stdlib.h>

#include "core/query/paths.h"

/* The snapshots of a run of rows, one after the other. */
struct snapshots {
	const struct perun_column *column; /* NULL: there is only snapshot 0 */
	struct perun_span span;
};

static int64_t snapshot_of(struct snapshots *snapshots, size_t row)
{
	struct perun_span *span = &snapshots->span;

	if (!snapshots->column)
		return 0;
	if (perun_column_info(snapshots->column)->type != PERUN_TYPE_INT64)
		return perun_column_int64(snapshots->column, row);
	if (row - span->first >= span->count)
		perun_column_span(snapshots->column, row, span);
	return perun_bit(span->absent, row - span->first) ? 0 : span->int64s[row - span->first];
}

int perun_all_resources(const struct perun_profile *profile, perun_resource_visit *visit,
			void *data)
{
	const struct perun_table *table = perun_resources(profile);
	struct snapshots snapshots = {.column = perun_table_column(table, "snapshot")};
	size_t rows = perun_table_rows(table);
	int result = 0;

	for (size_t row = 0; row < rows && !result; row++)
		result = visit(data, snapshot_of(&snapshots, row), row);
	return result;
}

/* ---- by snapshot ------------------------------------------------------------------------------ */

struct placed {
	int64_t snapshot;
	uint32_t row;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->snapshot != y->snapshot)
		return x->snapshot < y->snapshot ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static struct placed *place_rows(const struct perun_table *table, size_t rows)
{
	struct snapshots snapshots = {.column = perun_table_column(table, "snapshot")};
	struct placed *placed = perun_alloc_zero(rows, sizeof *placed);
	bool sorted = true;

	for (size_t row = 0; row < rows; row++) {
		placed[row] = (struct placed){snapshot_of(&snapshots, row), (uint32_t)row};
		sorted = sorted && (row == 0 || placed[row - 1].snapshot <= placed[row].snapshot);
	}
	if (!sorted)
		qsort(placed, rows, sizeof *placed, compare_placed);
	return placed;
}

int perun_all_snapshots(const struct perun_profile *profile, perun_snapshot_visit *visit,
			void *data)
{
	const struct perun_table *table = perun_resources(profile);
	size_t rows = perun_table_rows(table), count;
	struct placed *placed;
	uint32_t *list;
	int result = 0;

	if (rows == 0)
		return 0;
	placed = place_rows(table, rows);
	list = perun_alloc(rows * sizeof *list);
	for (size_t first = 0; first < rows && !result; first += count) {
		for (count = 0; first + count < rows &&
				placed[first + count].snapshot == placed[first].snapshot;
		     count++)
			list[count] = placed[first + count].row;
		result = visit(data, placed[first].snapshot, list, count);
	}
	perun_free(placed);
	perun_free(list);
	return result;
}
