/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts, and the layouts in which it is written. */
#ifndef PERUN_VIEWS_TABLEOF_LAYOUT_H
#define PERUN_VIEWS_TABLEOF_LAYOUT_H

#include <perun/format.h>

/* Cells are added row by row, from left to right; {.columns = N} is an empty table. */
struct table {
	size_t columns;
	const char *title;          /* of a page; borrowed */
	const char *const *headers; /* borrowed */
	struct perun_buffer text;   /* cells one behind another, each with its NUL */
	size_t *starts;             /* where cell i begins in `text` */
	size_t cells, capacity;
};

void table_add(struct table *table, const char *text, size_t length);
const char *table_cell(const struct table *table, size_t row, size_t column);
size_t table_rows(const struct table *table);
void table_free(struct table *table);

/* Blank-separated names of the layouts, "simple" first: the choices of an option. */
#define LAYOUT_NAMES                                                                               \
	"simple plain github pipe markdown grid outline simple_grid rounded_grid fancy_grid psql " \
	"presto orgtbl rst latex html csv tsv json"

struct layout_style {
	unsigned precision; /* significant digits of fractions, 0 = as many as there are */
	bool color;         /* headers in bold face */
};

/* Whether the layout is for programs: its numbers and texts are not touched. */
bool layout_is_data(const char *name);

/* Columns of a terminal that a column takes in the layout, with what stands beside it; 0 in others. */
size_t layout_column_width(const struct table *table, const char *name,
			   const struct layout_style *style, size_t column);

/*
 * Write the table in one of LAYOUT_NAMES but json, as Python's tabulate lays it out: texts to the left,
 * numbers to the right with their points one below another, no blanks at the end of a line; in a column
 * with fractions each number has `precision` digits at most. Returns 0 or the output's sticking error.
 */
int layout_write(const struct table *table, const char *name, const struct layout_style *style,
		 struct perun_output *output);

#endif
