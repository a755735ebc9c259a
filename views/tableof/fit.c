/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a wide table a terminal shows: those that tell most. */
#include <config.h>

#include <string.h>

#include "fit.h"

static bool has_parts(const struct table *table, const char *name)
{
	size_t length = strlen(name);

	for (size_t c = 0; c < table->columns; c++)
		if (strncmp(table->headers[c], name, length) == 0 &&
		    table->headers[c][length] == ':')
			return true;
	return false;
}

/*
 * 0 = first of all: who and how much; then what differs; what is a part of it; last what is the same in
 * all rows, empty in most of them, or told by its parts.
 */
static unsigned rank_of(const struct table *table, size_t column)
{
	static const char *const first[] = {"uid",    "stack", "amount",  "value",
					    "metric", "model", "r_square"};
	const char *name = table->headers[column];
	size_t rows = table_rows(table), filled = 0;
	bool differs = rows < 2;

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (strcmp(name, first[i]) == 0)
			return 0;
	for (size_t row = 0; row < rows; row++) {
		filled += *table_cell(table, row, column) != '\0';
		differs = differs ||
			  strcmp(table_cell(table, row, column), table_cell(table, 0, column)) != 0;
	}
	if (!differs || filled < rows / 2 || has_parts(table, name))
		return 3;
	return strchr(name, ':') ? 2 : 1;
}

static void keep_columns(const struct table *table, const bool *kept, struct table *narrow,
			 const char **headers)
{
	*narrow = (struct table){.title = table->title, .headers = headers};
	for (size_t c = 0; c < table->columns; c++)
		if (kept[c])
			headers[narrow->columns++] = table->headers[c];
	for (size_t row = 0; row < table_rows(table); row++) {
		for (size_t c = 0; c < table->columns; c++) {
			const char *text = table_cell(table, row, c);

			if (kept[c])
				table_add(narrow, text, strlen(text));
		}
	}
}

size_t fit_table(const struct table *table, const char *layout, const struct layout_style *style,
		 size_t width, const char **headers, struct table *narrow,
		 struct perun_buffer *left_out)
{
	bool *kept = perun_alloc_zero(table->columns + 1, sizeof *kept);
	size_t *wanted = perun_alloc_zero(table->columns + 1, sizeof *wanted);
	unsigned *ranks = perun_alloc_zero(table->columns + 1, sizeof *ranks);
	size_t used = 0, count = 0;

	for (size_t c = 0; c < table->columns; c++) {
		wanted[c] = layout_column_width(table, layout, style, c);
		ranks[c] = rank_of(table, c);
	}
	for (unsigned rank = 0; rank < 4; rank++) {
		for (size_t c = 0; c < table->columns; c++) {
			if (ranks[c] != rank || (used && used + wanted[c] > width))
				continue;
			kept[c] = true;
			used += wanted[c];
		}
	}
	for (size_t c = 0; c < table->columns; c++) {
		if (!kept[c])
			perun_buffer_printf(left_out, "%s%s", count++ ? ", " : "",
					    table->headers[c]);
	}
	keep_columns(table, kept, narrow, headers);
	perun_free(kept);
	perun_free(wanted);
	perun_free(ranks);
	return count;
}
