/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a wide table a terminal shows: those that say most. */
#include <config.h>

#include <string.h>

#include "fit.h"

enum { RANKS = 4 };

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
 * all rows, empty in most of them, or known by its parts.
 */
static unsigned rank_of(const struct table *table, size_t column)
{
	static const char *const first[] = {"uid",    "stack", "amount",  "value",
					    "metric", "model", "r_square"};
	const char *name = table->headers[column];
	size_t rows = table_rows(table), filled = 0;
	bool differs = rows < 2;
	struct perun_buffer start = {0}; /* the first cell, which the others are compared with */

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (strcmp(name, first[i]) == 0)
			return 0;
	if (rows)
		perun_buffer_add_text(&start, table_cell(table, 0, column));
	for (size_t row = 0; row < rows; row++) {
		const char *text = table_cell(table, row, column);

		filled += *text != '\0';
		differs = differs || strcmp(text, start.length ? start.data : "") != 0;
	}
	perun_buffer_free(&start);
	if (!differs || filled < rows / 2 || has_parts(table, name))
		return 3;
	return strchr(name, ':') ? 2 : 1;
}

/* The columns of these numbers, in this order. */
static void pick_columns(const struct table *table, const size_t *order, size_t count,
			 const char **headers, struct table *picked)
{
	*picked = (struct table){
		.columns = count,
		.title = table->title,
		.headers = headers,
		.texts = table->texts,
		.order = perun_memdup(order, (count + 1) * sizeof *order),
	};
	for (size_t k = 0; k < count; k++)
		headers[k] = table->headers[order[k]];
}

/* The numbers of the columns, those that say most first, equal ones in their order. */
static size_t *order_columns(const struct table *table)
{
	size_t *order = perun_alloc_zero(table->columns + 1, sizeof *order), count = 0;
	unsigned *ranks = perun_alloc_zero(table->columns + 1, sizeof *ranks);

	for (size_t c = 0; c < table->columns; c++)
		ranks[c] = rank_of(table, c);
	for (unsigned rank = 0; rank < RANKS; rank++)
		for (size_t c = 0; c < table->columns; c++)
			if (ranks[c] == rank)
				order[count++] = c;
	perun_free(ranks);
	return order;
}

void fit_order(const struct table *table, const char **headers, struct table *ordered)
{
	size_t *order = order_columns(table);

	pick_columns(table, order, table->columns, headers, ordered);
	perun_free(order);
}

size_t fit_table(const struct table *table, const char *layout, const struct layout_style *style,
		 size_t width, const char **headers, struct table *narrow,
		 struct perun_buffer *left_out)
{
	bool *kept = perun_alloc_zero(table->columns + 1, sizeof *kept);
	size_t *order = order_columns(table), used = 0, count = 0;

	for (size_t k = 0; k < table->columns; k++) {
		size_t wanted = layout_column_width(table, layout, style, order[k]);

		if (used && used + wanted > width)
			continue;
		kept[order[k]] = true;
		used += wanted;
	}
	for (size_t c = 0; c < table->columns; c++) {
		if (kept[c])
			order[count++] = c;
		else
			perun_buffer_printf(left_out, "%s%s", left_out->length ? ", " : "",
					    table->headers[c]);
	}
	pick_columns(table, order, count, headers, narrow);
	perun_free(kept);
	perun_free(order);
	return table->columns - count;
}
