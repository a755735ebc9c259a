/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts: its cells and their widths. */
#include <config.h>

#include <string.h>

#include "table.h"

void texts_add(struct texts *texts, const char *text, size_t length)
{
	PERUN_GROW(texts->starts, texts->cells, texts->capacity);
	texts->starts[texts->cells++] = texts->kept.length;
	perun_buffer_add(&texts->kept, text, length);
	perun_buffer_add_char(&texts->kept, '\0');
}

void texts_free(struct texts *texts)
{
	perun_buffer_free(&texts->kept);
	perun_buffer_free(&texts->last);
	perun_free(texts->starts);
}

const char *table_cell(const struct table *table, size_t row, size_t column)
{
	struct texts *texts = table->texts;
	size_t number = table->order ? table->order[column] : column;

	if (!texts->printed[number])
		return texts->kept.data + texts->starts[row * texts->columns + number];
	perun_buffer_clear(&texts->last);
	texts->print(texts->data, row, number, &texts->last);
	return texts->last.length ? texts->last.data : "";
}

size_t table_rows(const struct table *table)
{
	return table->texts->columns ? table->texts->cells / table->texts->columns : 0;
}

void table_free(struct table *table)
{
	perun_free(table->order);
}
