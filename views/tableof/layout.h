/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts in which a table of texts is written. */
#ifndef PERUN_VIEWS_TABLEOF_LAYOUT_H
#define PERUN_VIEWS_TABLEOF_LAYOUT_H

#include <perun/format.h>

#include "table.h"

/* Blank-separated names of the layouts, "simple" first: the choices of an option. */
#define LAYOUT_NAMES                                                                          \
	"simple plain github pipe markdown grid outline simple_grid rounded_grid mixed_grid " \
	"heavy_grid double_grid fancy_grid simple_outline rounded_outline mixed_outline "     \
	"heavy_outline double_outline fancy_outline psql pretty presto orgtbl jira youtrack " \
	"textile mediawiki moinmoin rst latex latex_raw latex_booktabs latex_longtable html " \
	"unsafehtml csv tsv json"

struct layout_style {
	unsigned precision; /* significant digits of fractions, 0 = as many as there are */
	bool color;         /* headers in bold face */
};

/* Whether the layout is for programs: its numbers and texts are not touched. */
bool layout_is_data(const char *name);

/* Columns of a terminal that a column takes in the layout, with what is beside it; 0 in others. */
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
