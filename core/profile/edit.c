/* SPDX-License-Identifier: BSD-3-Clause */
/* Editing a table that is being built: fewer rows, other numbers. */
#include <math.h>
#include <string.h>

#include "core/profile/model.h"

static size_t count_bits(const uint64_t *bitmap, size_t bits)
{
	size_t count = 0;

	for (size_t i = 0; i < bits / 64; i++)
		count += (size_t)__builtin_popcountll(bitmap[i]);
	for (size_t i = bits / 64 * 64; i < bits; i++)
		count += perun_bit(bitmap, i);
	return count;
}

/* The next run of rows to keep from *row on; false when there is none. */
static bool next_run(const uint64_t *keep, size_t rows, size_t *row, size_t *length)
{
	size_t first = *row, end;

	while (first < rows && !perun_bit(keep, first)) {
		if (first % 64 == 0 && keep[first / 64] == 0)
			first += 64;
		else
			first++;
	}
	if (first >= rows)
		return false;
	end = first;
	while (end < rows && perun_bit(keep, end)) {
		if (end % 64 == 0 && keep[end / 64] == UINT64_MAX)
			end += 64;
		else
			end++;
	}
	*row = first;
	*length = (end < rows ? end : rows) - first;
	return true;
}

static void keep_cells(struct perun_cells *cells, const uint64_t *keep, size_t rows)
{
	struct perun_cells kept;
	size_t length;

	perun_cells_init_like(&kept, cells->type, cells);
	for (size_t row = 0; next_run(keep, rows, &row, &length); row += length)
		perun_cells_append_from(&kept, cells, row, length);
	perun_cells_free(cells);
	*cells = kept;
}

/* Numbers of rows that are gone become absent, the others move with their rows. */
static void renumber(struct perun_cells *cells, const perun_id *moved, size_t rows)
{
	struct perun_cells old = *cells;
	struct perun_scratch scratch = {0};
	struct perun_span span;
	perun_id id;

	perun_cells_init_like(cells, PERUN_TYPE_ROW, &old);
	for (size_t row = 0; perun_cells_read(&old, row, &scratch, &span);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			id = span.ids[i] < rows ? moved[span.ids[i]] : PERUN_NO_ID;
			if (id == PERUN_NO_ID) {
				perun_cells_append_absent(cells, 1);
				continue;
			}
			perun_cells_append(cells, &id, 1);
			if (id >= cells->limit)
				cells->limit = id + 1;
		}
	}
	perun_free(scratch.cells);
	perun_cells_free(&old);
}

static void renumber_references(struct perun_builder *builder, const char *name,
				const uint64_t *keep, size_t rows)
{
	perun_id *moved = NULL, next = 0;

	for (size_t t = 0; t < builder->table_count; t++) {
		struct perun_table_builder *table = builder->tables[t];

		for (size_t c = 0; c < table->column_count; c++) {
			struct perun_column_builder *column = table->columns[c];

			if (column->cells.type != PERUN_TYPE_ROW || !column->info.refers ||
			    strcmp(column->info.refers, name) != 0)
				continue;
			if (!moved) {
				moved = perun_alloc(rows * sizeof *moved);
				for (size_t i = 0; i < rows; i++)
					moved[i] = perun_bit(keep, i) ? next++ : PERUN_NO_ID;
			}
			renumber(&column->cells, moved, rows);
		}
	}
	perun_free(moved);
}

void perun_table_keep_rows(struct perun_table_builder *table, const uint64_t *keep)
{
	size_t rows = table->rows, kept = count_bits(keep, rows);

	if (kept == rows)
		return;
	for (size_t i = 0; i < table->column_count; i++) {
		perun_cells_truncate(&table->columns[i]->cells, rows);
		perun_column_pad(table->columns[i]);
		keep_cells(&table->columns[i]->cells, keep, rows);
		table->columns[i]->bulk_end = 0;
	}
	table->rows = kept;
	renumber_references(table->builder, table->name, keep, rows);
}

void perun_table_rewind(struct perun_table_builder *table, size_t row)
{
	for (size_t i = 0; i < table->column_count; i++)
		table->columns[i]->bulk_end = 0;
	table->rows = row;
}

void perun_table_discard(struct perun_table_builder *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		perun_cells_truncate(&table->columns[i]->cells, table->rows);
		table->columns[i]->bulk_end = 0;
	}
}

static bool was_integer(const struct perun_cells *cells, const struct perun_span *span, size_t i)
{
	if (perun_bit(span->absent, i))
		return false;
	return cells->type == PERUN_TYPE_INT64 || cells->type == PERUN_TYPE_UINT64 ||
	       (cells->type == PERUN_TYPE_DOUBLE && perun_bit(span->integers, i));
}

void perun_column_replace_doubles(struct perun_column_builder *column, const double *values)
{
	struct perun_cells *old = &column->cells, cells;
	size_t rows = column->table->rows;
	struct perun_span span;

	perun_cells_init_like(&cells, PERUN_TYPE_DOUBLE, old);
	perun_cells_append(&cells, values, rows);
	for (size_t row = 0; perun_cells_read(old, row, NULL, &span) && row < rows;
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count && span.first + i < rows; i++) {
			double value = values[span.first + i];

			if (was_integer(old, &span, i) && value == floor(value) && !isinf(value))
				perun_chunk_set_integer(cells.chunks[span.first / PERUN_SPAN_ROWS],
							i, true);
		}
	}
	perun_cells_free(old);
	*old = cells;
	column->info.type = PERUN_TYPE_DOUBLE;
}

void perun_column_replace_present(struct perun_column_builder *column, const double *values)
{
	struct perun_cells *old = &column->cells, cells;
	size_t rows = column->table->rows;
	struct perun_span span;

	perun_cells_truncate(old, rows);
	perun_column_pad(column);
	perun_cells_init_like(&cells, PERUN_TYPE_DOUBLE, old);
	for (size_t row = 0; perun_cells_read(old, row, NULL, &span);
	     row = span.first + span.count) {
		for (size_t i = 0, end; i < span.count; i = end) {
			bool absent = perun_bit(span.absent, i);

			end = i + 1;
			while (end < span.count && perun_bit(span.absent, end) == absent)
				end++;
			if (absent)
				perun_cells_append_absent(&cells, end - i);
			else
				perun_cells_append(&cells, values + span.first + i, end - i);
		}
	}
	perun_cells_free(old);
	*old = cells;
	column->info.type = PERUN_TYPE_DOUBLE;
}
