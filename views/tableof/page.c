/* SPDX-License-Identifier: BSD-3-Clause */
/* A table as a page: it needs nothing else, and its columns sort. */
#include <config.h>

#include <string.h>

#include "assets.h"
#include "markup.h"
#include "views/common/template.h"

/* `numeric`: which columns stand to the right. */
static int write_row(const struct table *table, size_t row, const bool *numeric,
		     struct perun_output *output)
{
	struct perun_buffer line = {0};
	const char *tag = row ? "td" : "th";
	int status;

	perun_buffer_add_text(&line, "<tr>");
	for (size_t i = 0; i < table->columns; i++) {
		perun_buffer_printf(&line, "<%s%s>", tag, numeric[i] ? " class=\"n\"" : "");
		markup_escape_html(&line, row ? table_cell(table, row - 1, i) : table->headers[i]);
		perun_buffer_printf(&line, "</%s>", tag);
	}
	perun_buffer_add_text(&line, "</tr>\n");
	status = perun_output_write(output, line.data, line.length);
	perun_buffer_free(&line);
	return status;
}

static int write_table(const struct table *table, struct perun_output *output)
{
	bool *numeric = perun_alloc_zero(table->columns + 1, sizeof *numeric);
	int status;

	for (size_t i = 0; i < table->columns; i++)
		numeric[i] = markup_is_numeric(table, i);
	perun_output_text(output, "<thead>\n");
	write_row(table, 0, numeric, output);
	status = perun_output_text(output, "</thead>\n<tbody>\n");
	for (size_t row = 1; row <= table_rows(table) && !status; row++)
		status = write_row(table, row, numeric, output);
	perun_free(numeric);
	return perun_output_text(output, "</tbody>");
}

int markup_html(const struct table *table, struct perun_output *output)
{
	struct views_template template = views_template(tableof_page_html, tableof_page_html_size);
	int status = PERUN_OK;

	while (views_template_next(&template)) {
		status = perun_output_write(output, template.piece, template.length);
		if (views_template_at(&template, "STYLE"))
			perun_output_write(output, tableof_page_css, tableof_page_css_size);
		else if (views_template_at(&template, "SCRIPT"))
			perun_output_write(output, tableof_page_js, tableof_page_js_size);
		else if (views_template_at(&template, "SUMMARY"))
			perun_output_printf(output, "%zu row%s", table_rows(table),
					    table_rows(table) == 1 ? "" : "s");
		else if (views_template_at(&template, "TABLE"))
			write_table(table, output);
	}
	return status;
}
