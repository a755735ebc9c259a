/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts. */
#ifndef PERUN_VIEWS_TABLEOF_TABLE_H
#define PERUN_VIEWS_TABLEOF_TABLE_H

#include <perun/context.h>

/* Cells are added row by row, from left to right; {.columns = N} is an empty table. */
struct table {
	size_t columns;
	const char *title;          /* of a page; borrowed */
	const char *const *headers; /* borrowed */
	struct perun_buffer text;   /* cells one after another, each with its NUL */
	size_t *starts;             /* where cell i begins in `text` */
	size_t cells, capacity;
};

void table_add(struct table *table, const char *text, size_t length);
const char *table_cell(const struct table *table, size_t row, size_t column);
size_t table_rows(const struct table *table);
void table_free(struct table *table);

#endif
