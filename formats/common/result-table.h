/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of results as tools export them besides JSON: CSV, and tables of Markdown. */
#ifndef PERUN_FORMATS_COMMON_RESULT_TABLE_H
#define PERUN_FORMATS_COMMON_RESULT_TABLE_H

#include "formats/common/csv.h"
#include "formats/common/plugin.h"

struct result_table;

/* Called for each row; a status that is not PERUN_OK ends the reading. */
typedef int result_row(void *data, const struct result_table *table);

/*
 * Read all tables of a text, and call `take` for each of their rows. A line with a cell `heading` has the headings of
 * the rows that follow; what comes before the first is skipped. In Markdown a line without a bar ends the table. Cells that
 * a row lacks at its end are empty; more cells than headings are an error.
 */
int result_table_read(struct perun_ctx *ctx, struct perun_input *input, const char *heading,
		      result_row *take, void *data);

/* The number of columns, the heading of one, and its cell in this row: without blanks around it, and without ** and `. */
size_t result_table_columns(const struct result_table *table);
const char *result_table_heading(const struct result_table *table, size_t column);
const char *result_table_cell(const struct result_table *table, size_t column);
/*
 * The cell below a heading, NULL = there is no such column. A heading may have its unit: "Mean [ms]" is found as
 * "Mean", and `*unit` (may be NULL) is then "ms" (of `length` bytes), else "".
 */
const char *result_table_value(const struct result_table *table, const char *heading,
			       const char **unit, size_t *length);
/* The same as a number; false: there is none. */
bool result_table_number(const struct result_table *table, const char *heading, double *number);
/* The line of this row, for messages. */
unsigned long long result_table_line(const struct result_table *table);

#endif
