/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of results as tools export them besides JSON: CSV, and tables of Markdown. */
#include "formats/common/result-table.h"
#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"

struct result_table {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	const char *heading;
	result_row *take;
	void *data;
	char separator; /* '|' of Markdown */
	bool bars;      /* whose lines begin with it */
	char *headings_line;
	struct csv_line headings, cells; /* `headings` points into headings_line */
	char empty[1];                   /* cells that a row lacks at its end */
	bool lacking;                    /* the last row does */
};

/* Without blanks and the marks of Markdown around it. */
static char *trim(char *cell)
{
	size_t length;

	cell += strspn(cell, " *`\r");
	length = strlen(cell);
	while (length && strchr(" *`\r", cell[length - 1]))
		length--;
	cell[length] = '\0';
	return cell;
}

static const char *skip_blanks(const char *line)
{
	return line + strspn(line, " ");
}

/* "| a | b |" or "a | b |" in place: what is between the bars; "\\|" is a bar in a cell. */
static void split_bars(struct csv_line *cells, char *line)
{
	size_t blanks = strspn(line, " ");
	char *cell = line + blanks + (line[blanks] == '|'), *out = cell;

	cells->count = 0;
	for (char *at = cell; *at; at++) {
		if (*at == '|') {
			*out = '\0';
			PERUN_GROW(cells->fields, cells->count, cells->room);
			cells->fields[cells->count++] = cell;
			cell = out = at + 1;
		} else {
			at += *at == '\\' && at[1] == '|';
			*out++ = *at;
		}
	}
}

/* False: a quote has no end. */
static bool split(struct csv_line *cells, char *line, char separator)
{
	bool whole = true;

	if (separator == '|')
		split_bars(cells, line);
	else
		whole = csv_split(cells, line, separator);
	for (size_t i = 0; i < cells->count; i++)
		cells->fields[i] = trim(cells->fields[i]);
	return whole;
}

static size_t find(const struct result_table *table, const char *heading)
{
	size_t length = strlen(heading);

	for (size_t i = 0; i < table->headings.count; i++) {
		const char *has = table->headings.fields[i];

		if (strncmp(has, heading, length) == 0 &&
		    (!has[length] || strncmp(has + length, " [", 2) == 0))
			return i;
	}
	return SIZE_MAX;
}

/* Whether a line has the headings; they are then those of the table. */
static bool is_headings(struct result_table *table, const char *line)
{
	char *copy;

	if (!strstr(line, table->heading))
		return false;
	copy = perun_strdup(line);
	table->bars = *skip_blanks(line) == '|';
	table->separator = table->bars ? '|' : csv_separator(line);
	if (split(&table->headings, copy, table->separator) && table->headings.count > 1 &&
	    find(table, table->heading) != SIZE_MAX) {
		perun_free(table->headings_line);
		table->headings_line = copy;
		return true;
	}
	table->headings.count = 0;
	perun_free(copy);
	return false;
}

static bool is_after_table(const struct result_table *table, const char *line)
{
	if (table->separator != '|')
		return false;
	return table->bars ? *skip_blanks(line) != '|' : !strchr(line, '|');
}

static int take_line(void *data, char *line, size_t length)
{
	struct result_table *table = data;

	(void)length;
	if (!table->headings.count || is_after_table(table, line)) {
		table->headings.count = 0;
		is_headings(table, line);
		return PERUN_OK;
	}
	if (!line[strspn(line, " \t\r")] || !line[strspn(line, "|-: \r")])
		return PERUN_OK;
	if (!split(&table->cells, line, table->separator))
		return perun_fail(table->ctx, PERUN_INPUT, "line %llu: a quote has no end",
				  result_table_line(table));
	if (table->cells.count > table->headings.count)
		return perun_fail(table->ctx, PERUN_INPUT,
				  "line %llu: expected %zu cells, as there are headings, found %zu",
				  result_table_line(table), table->headings.count,
				  table->cells.count);
	table->lacking = table->cells.count < table->headings.count;
	while (table->cells.count < table->headings.count) {
		PERUN_GROW(table->cells.fields, table->cells.count, table->cells.room);
		table->cells.fields[table->cells.count++] = table->empty;
	}
	return table->take(table->data, table);
}

/* What whole lines of Markdown end in; what those of CSV end in cannot be seen. */
static const char *const endings[] = {"|", NULL};

int result_table_read(struct perun_ctx *ctx, struct perun_input *input, const char *heading,
		      result_row *take, void *data)
{
	struct result_table table = {.ctx = ctx,
				     .lines = perun_lines_new(input, 0),
				     .heading = heading,
				     .take = take,
				     .data = data};
	bool cut;
	int status = read_log_lines(ctx, table.lines, take_line, &table, endings, &cut);

	if (!status && (cut || (table.lacking && perun_lines_is_open(table.lines))))
		warn_cut_line(ctx, table.lines);
	perun_lines_free(table.lines);
	perun_free(table.headings_line);
	perun_free(table.headings.fields);
	perun_free(table.cells.fields);
	return status;
}

size_t result_table_columns(const struct result_table *table)
{
	return table->headings.count;
}

const char *result_table_heading(const struct result_table *table, size_t column)
{
	return table->headings.fields[column];
}

const char *result_table_cell(const struct result_table *table, size_t column)
{
	return table->cells.fields[column];
}

const char *result_table_value(const struct result_table *table, const char *heading,
			       const char **unit, size_t *length)
{
	size_t at = find(table, heading);
	const char *bracket =
		at == SIZE_MAX ? NULL : strchr(table->headings.fields[at] + strlen(heading), '[');

	if (unit) {
		*unit = bracket ? bracket + 1 : "";
		*length = strcspn(*unit, "]");
	}
	return at == SIZE_MAX ? NULL : table->cells.fields[at];
}

bool result_table_number(const struct result_table *table, const char *heading, double *number)
{
	const char *cell = result_table_value(table, heading, NULL, NULL);
	size_t length = cell ? benchmark_grouped(cell, number) : 0;

	return length && !cell[length];
}

unsigned long long result_table_line(const struct result_table *table)
{
	return perun_lines_number(table->lines);
}
