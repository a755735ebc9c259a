/* SPDX-License-Identifier: BSD-3-Clause */
/* A table as a page: it needs nothing else, and its columns sort. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "views/common/markup.h"
#include "views/common/page-table.h"

enum { LONG = 24 };

struct page {
	const struct table *table;
	unsigned precision;
};

/* Fractions with the digits of the style; sorting knows all of them. */
static void add_number(const char *text, unsigned precision, struct perun_buffer *line)
{
	if (precision && strlen(text) > precision && strpbrk(text, ".eE"))
		perun_buffer_printf(line, "<td class=\"n\" data-value=\"%s\">%.*g</td>", text,
				    (int)precision, perun_strtod(text, NULL));
	else
		perun_buffer_printf(line, "<td class=\"n\">%s</td>", text);
}

/* `numeric`: which columns are aligned to the right. */
static int write_row(const struct page *page, size_t row, const bool *numeric,
		     struct perun_output *output)
{
	const struct table *table = page->table;
	struct perun_buffer line = {0};
	const char *tag = row ? "td" : "th";
	int status;

	perun_buffer_add_text(&line, "<tr>");
	for (size_t i = 0; i < table->columns; i++) {
		const char *text = row ? table_cell(table, row - 1, i) : table->headers[i];

		if (row && numeric[i]) {
			add_number(text, page->precision, &line);
			continue;
		}
		perun_buffer_printf(&line, "<%s%s>", tag,
				    numeric[i]            ? " class=\"n\""
				    : strlen(text) > LONG ? " class=\"long\""
							  : "");
		views_add_markup(&line, text);
		perun_buffer_printf(&line, "</%s>", tag);
	}
	perun_buffer_add_text(&line, "</tr>\n");
	status = perun_output_write(output, line.data, line.length);
	perun_buffer_free(&line);
	return status;
}

static int write_table(void *data, struct perun_output *output)
{
	const struct page *page = data;
	const struct table *table = page->table;
	bool *numeric = perun_alloc_zero(table->columns + 1, sizeof *numeric);
	int status;

	for (size_t i = 0; i < table->columns; i++)
		numeric[i] = markup_is_numeric(table, i);
	perun_output_text(output, "<table>\n<thead>\n");
	write_row(page, 0, numeric, output);
	status = perun_output_text(output, "</thead>\n<tbody>\n");
	for (size_t row = 1; row <= table_rows(table) && !status; row++)
		status = write_row(page, row, numeric, output);
	perun_free(numeric);
	return perun_output_text(output, "</tbody>\n</table>");
}

int markup_html(const struct table *table, unsigned precision, struct perun_output *output)
{
	struct page page = {table, precision};
	char *heading = perun_format("%s\n%zu row%s", table->title ? table->title : "table",
				     table_rows(table), table_rows(table) == 1 ? "" : "s");
	int status = views_table_page(heading, write_table, &page, output);

	perun_free(heading);
	return status;
}
