/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts: its cells and their widths. */
#include <config.h>

#include <string.h>

#include "layout.h"

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

/* The character at `*text`, which moves behind it; bytes that are no UTF-8 count as themselves. */
static uint32_t next_character(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	unsigned more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
	uint32_t character = more ? *at & (0x3fu >> more) : *at;

	for (unsigned i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80) {
			*text += 1;
			return *at;
		}
		character = character << 6 | (at[i] & 0x3f);
	}
	*text += more + 1;
	return character;
}

/* As wcwidth() has it, in rough ranges; wcwidth() itself knows only what the locale knows. */
static size_t character_width(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		size_t width;
	} ranges[] = {
		{0x300, 0x36f, 0},     {0x200b, 0x200f, 0},   {0x1100, 0x115f, 2},
		{0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},
		{0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},
		{0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
		{0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
	};

	if (c < 0x300)
		return 1;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

size_t text_width(const char *text)
{
	size_t width = 0;

	while (*text)
		width += character_width(next_character(&text));
	return width;
}
