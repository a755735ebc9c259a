/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows between bars, and the lines that are drawn around them. */
#include <stdint.h>
#include <string.h>

#include "formats/table/boxed.h"

/* U+2500 to U+257F */
static bool is_drawn(const char *at)
{
	return at[0] == '\xe2' && (at[1] == '\x94' || at[1] == '\x95') && (at[2] & 0xc0) == 0x80;
}

/* "|" and its forms in Unicode: bytes of it, 0 = none. */
static size_t bar(const char *at)
{
	static const char *const bars[] = {"|", "\xe2\x94\x82", "\xe2\x94\x83", "\xe2\x95\x91"};

	for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
		if (strncmp(at, bars[i], strlen(bars[i])) == 0)
			return strlen(bars[i]);
	return 0;
}

bool boxed_is_rule(const char *line)
{
	size_t count = 0;
	bool aligned = false;

	while (*line) {
		bool drawn = is_drawn(line);

		if (!drawn && !strchr("-=+|: \t\r", *line))
			return false;
		count += (drawn && !bar(line)) || *line == '-' || *line == '=';
		aligned = aligned || *line == ':';
		line += drawn ? 3 : 1;
	}
	/* ":-" of Markdown is enough, "-" may be a cell. */
	return count >= 3 || (count && aligned);
}

bool boxed_is_top(const char *line)
{
	static const char *const corners[] = {"\xe2\x94\x8c", "\xe2\x94\x8f", "\xe2\x95\x92",
					      "\xe2\x95\x93", "\xe2\x95\x94", "\xe2\x95\xad"};

	line += strspn(line, " \t");
	for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
		if (strncmp(line, corners[i], strlen(corners[i])) == 0)
			return true;
	return false;
}

/* Without blanks, quotes and backticks around it. */
static char *trim(char *text)
{
	static const char around[] = " \t\r'\"`";
	size_t length;

	text += strspn(text, around);
	length = strlen(text);
	while (length && strchr(around, text[length - 1]))
		text[--length] = '\0';
	return text;
}

bool boxed_split(struct csv_line *cells, char *line)
{
	char *at = line + strspn(line, " \t"), *cell = at;
	bool any = false;

	cells->count = 0;
	/* What is left and right of the outer bars is no cell. */
	if (bar(at))
		cell = at += bar(at);
	for (;;) {
		size_t size = bar(at);

		if (*at && !size) {
			at++;
			continue;
		}
		any = any || size;
		*at = '\0';
		cell = trim(cell);
		if (size || *cell) {
			PERUN_GROW(cells->fields, cells->count, cells->room);
			cells->fields[cells->count++] = cell;
		}
		if (!size)
			return any && cells->count > 1;
		cell = at += size;
	}
}

size_t boxed_headings(const char *text, size_t size)
{
	const char *end = text + size, *next;
	struct csv_line cells = {0};
	size_t before = SIZE_MAX, found = SIZE_MAX;

	for (const char *at = text; found == SIZE_MAX && at < end; at = next + 1) {
		char *line;

		next = memchr(at, '\n', (size_t)(end - at));
		if (!next)
			break;
		line = perun_strndup(at, (size_t)(next - at));
		if (boxed_is_rule(line))
			found = before;
		else
			before = boxed_split(&cells, line) ? (size_t)(at - text) : SIZE_MAX;
		perun_free(line);
	}
	perun_free(cells.fields);
	return found;
}
