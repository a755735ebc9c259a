/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns are where the lines of "=" and "-" have them. */
#include <string.h>

#include "formats/asv/printed-table.h"
#include "formats/common/characters.h"

/* Where columns begin in "===== ===" from `at` on, as characters; 0: it is no such line. */
static size_t read_rule(const char *line, size_t at, size_t starts[static ASV_TABLE_COLUMNS])
{
	const char mark = line[at];
	size_t count = 0, first = characters_in(line, at), size = strlen(line + at);

	if (mark != '=' && mark != '-')
		return 0;
	for (size_t i = 0; i < size; i++) {
		if (line[at + i] != mark && line[at + i] != ' ')
			return 0;
		if (line[at + i] == mark && (!i || line[at + i - 1] == ' ')) {
			if (count == ASV_TABLE_COLUMNS)
				return 0;
			starts[count++] = first + i;
		}
	}
	return count;
}

static void set_cell(char **cell, const char *text, size_t length)
{
	perun_free(*cell);
	*cell = characters_trimmed(text, length);
}

static void split(const struct asv_table *table, const char *line, char **cells)
{
	for (size_t i = 0; i < table->columns; i++) {
		size_t start = characters_byte(line, table->starts[i]);
		size_t end = i + 1 < table->columns ? characters_byte(line, table->starts[i + 1])
						    : strlen(line);

		set_cell(&cells[i], line + start, end - start);
	}
}

void asv_table_begin(struct asv_table *table, const char *line)
{
	const char *rule = strstr(line, "==");

	asv_table_free(table);
	if (!rule)
		return;
	table->columns = read_rule(line, (size_t)(rule - line), table->starts);
	table->part = table->columns ? ASV_TABLE_HEADINGS : ASV_TABLE_NONE;
	table->first_value = table->columns ? table->columns - 1 : 0;
}

/* Below the name of a parameter is a line of two parts, of which the second is above all values. */
static void take_span(struct asv_table *table, size_t start)
{
	table->spanned = true;
	table->first_value = 0;
	while (table->first_value < table->columns && table->starts[table->first_value] < start)
		table->first_value++;
}

bool asv_table_next(struct asv_table *table, const char *line)
{
	size_t starts[ASV_TABLE_COLUMNS], at = strspn(line, " ");
	size_t count = read_rule(line, at, starts);

	if (!line[at])
		return false;
	if (table->part == ASV_TABLE_ROWS) {
		if (count && line[at] == '=')
			asv_table_free(table);
		else
			split(table, line, table->cells);
		return table->part == ASV_TABLE_ROWS;
	}
	if (strncmp(line + at, "-- ", 3) == 0 && count != table->columns)
		return false; /* the name of that parameter */
	if (!count) {
		split(table, line, table->headings);
	} else if (count == table->columns && (line[at] == '=' || table->headings[0])) {
		memcpy(table->starts, starts, sizeof *starts * count);
		table->part = ASV_TABLE_ROWS;
	} else {
		take_span(table, starts[count - 1]);
	}
	return false;
}

char *asv_table_parameters(const struct asv_table *table, size_t column)
{
	struct perun_buffer out = {0};

	for (size_t i = 0; i < table->first_value; i++)
		perun_buffer_printf(&out, "%s%s", i ? ", " : "", table->cells[i]);
	if (table->spanned && table->headings[column]) {
		/* "a / 1": of two parameters */
		const char *rest = table->headings[column], *slash;

		perun_buffer_add_text(&out, out.length ? ", " : "");
		while ((slash = strstr(rest, " / "))) {
			perun_buffer_printf(&out, "%.*s, ", (int)(slash - rest), rest);
			rest = slash + 3;
		}
		perun_buffer_add_text(&out, rest);
	}
	return perun_buffer_take(&out);
}

void asv_table_free(struct asv_table *table)
{
	for (size_t i = 0; i < table->columns; i++) {
		perun_free(table->headings[i]);
		perun_free(table->cells[i]);
	}
	memset(table, 0, sizeof *table);
}
