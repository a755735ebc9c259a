/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts. */
#ifndef PERUN_VIEWS_TABLEOF_TABLE_H
#define PERUN_VIEWS_TABLEOF_TABLE_H

#include <perun/context.h>

/*
 * The texts of all cells, added row by row, from left to right. Those of some columns are not kept but printed whenever one
 * is asked for: stacks take as much as the output.
 */
struct texts {
	size_t columns;
	struct perun_buffer kept; /* one after another, each with its NUL */
	size_t *starts;           /* where cell i begins in `kept` */
	size_t cells, capacity;
	const bool *printed; /* which columns are not kept; borrowed */
	void (*print)(const void *data, size_t row, size_t column, struct perun_buffer *text);
	const void *data;         /* of `print`; borrowed */
	struct perun_buffer last; /* what was printed last */
};

struct table {
	size_t columns;
	const char *title;          /* of a page; borrowed */
	const char *const *headers; /* borrowed */
	struct texts *texts;        /* borrowed */
	size_t *order;              /* which of its columns are shown; NULL = all of them */
};

void texts_add(struct texts *texts, const char *text, size_t length);
void texts_free(struct texts *texts);

/* Holds until the next cell is asked for. */
const char *table_cell(const struct table *table, size_t row, size_t column);
size_t table_rows(const struct table *table);
void table_free(struct table *table);

#endif
