/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts: its cells and their widths. */
#include <config.h>

#include <string.h>

#include "table.h"

void table_add(struct table *table, const char *text, size_t length)
{
	PERUN_GROW(table->starts, table->cells, table->capacity);
	table->starts[table->cells++] = table->text.length;
	perun_buffer_add(&table->text, text, length);
	perun_buffer_add_char(&table->text, '\0');
}

const char *table_cell(const struct table *table, size_t row, size_t column)
{
	return table->text.data + table->starts[row * table->columns + column];
}

size_t table_rows(const struct table *table)
{
	return table->columns ? table->cells / table->columns : 0;
}

void table_free(struct table *table)
{
	perun_buffer_free(&table->text);
	perun_free(table->starts);
}
