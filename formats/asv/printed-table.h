/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of parameters that asv prints. */
#ifndef PERUN_FORMATS_ASV_PRINTED_TABLE_H
#define PERUN_FORMATS_ASV_PRINTED_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { ASV_TABLE_COLUMNS = 256 };

enum asv_table_part { ASV_TABLE_NONE, ASV_TABLE_HEADINGS, ASV_TABLE_ROWS };

/*
 * A table while its lines come in. Zeroed, it is none; what its pointers refer to is its own until
 * asv_table_free().
 */
struct asv_table {
	enum asv_table_part part;
	size_t starts[ASV_TABLE_COLUMNS]; /* of the columns, in characters */
	size_t columns;
	size_t first_value; /* the columns before it are parameters */
	bool spanned; /* a parameter is above the columns of values, whose headings are its values */
	char *headings[ASV_TABLE_COLUMNS];
	char *cells[ASV_TABLE_COLUMNS]; /* of the row that was read last */
};

/* Begin a table with its first line, "===== =====" after whatever is before it. */
void asv_table_begin(struct asv_table *table, const char *line);
/* Take the next line. True: it is a row, and its cells are in `cells`. */
bool asv_table_next(struct asv_table *table, const char *line);
/* What the value in a column was measured with: "10, 'a'". The caller frees it. */
char *asv_table_parameters(const struct asv_table *table, size_t column);
/* Forget it; it is none then. */
void asv_table_free(struct asv_table *table);

#endif
