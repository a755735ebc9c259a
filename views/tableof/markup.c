/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for other programs: comma- and tab-separated values, LaTeX. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "markup.h"

/* How a language escapes a cell. */
typedef void escape(struct perun_buffer *line, const char *text);

static void escape_csv(struct perun_buffer *line, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		perun_buffer_add_text(line, text);
		return;
	}
	perun_buffer_add_char(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			perun_buffer_add_char(line, '"');
		perun_buffer_add_char(line, *text);
	}
	perun_buffer_add_char(line, '"');
}

/* Each character that has a replacement in `names` (character, text, character, text, ...). */
static void replace(struct perun_buffer *line, const char *text, const char *const *names)
{
	for (; *text; text++) {
		const char *const *name = names;

		while (*name && **name != *text)
			name += 2;
		if (*name)
			perun_buffer_add_text(line, name[1]);
		else
			perun_buffer_add_char(line, *text);
	}
}

/* Cells that the user wrote for the language. */
static void escape_nothing(struct perun_buffer *line, const char *text)
{
	perun_buffer_add_text(line, text);
}

static void escape_tsv(struct perun_buffer *line, const char *text)
{
	static const char *const names[] = {"\t",  "\\t", "\n",   "\\n", "\r",
					    "\\r", "\\",  "\\\\", NULL};

	replace(line, text, names);
}

static void escape_latex(struct perun_buffer *line, const char *text)
{
	static const char *const names[] = {"&",  "\\&",
					    "%",  "\\%",
					    "$",  "\\$",
					    "#",  "\\#",
					    "_",  "\\_",
					    "{",  "\\{",
					    "}",  "\\}",
					    "~",  "\\textasciitilde{}",
					    "^",  "\\textasciicircum{}",
					    "\\", "\\textbackslash{}",
					    "<",  "\\textless{}",
					    ">",  "\\textgreater{}",
					    NULL};
	char *printable = perun_printable(text);

	replace(line, printable, names);
	perun_free(printable);
}

/* A row (row 0 is the header), its cells between `separator`s, ended by `end`. */
static int write_row(const struct table *table, size_t row, escape *write_cell,
		     const char *separator, const char *end, struct perun_output *output)
{
	struct perun_buffer line = {0};
	int status;

	for (size_t i = 0; i < table->columns; i++) {
		if (i)
			perun_buffer_add_text(&line, separator);
		write_cell(&line, row ? table_cell(table, row - 1, i) : table->headers[i]);
	}
	perun_buffer_add_text(&line, end);
	status = perun_output_write(output, line.data, line.length);
	perun_buffer_free(&line);
	return status;
}

static int write_rows(const struct table *table, escape *write_cell, const char *separator,
		      struct perun_output *output)
{
	int status = PERUN_OK;

	for (size_t row = 0; row <= table_rows(table) && !status; row++)
		status = write_row(table, row, write_cell, separator, "\n", output);
	return status;
}

int markup_csv(const struct table *table, struct perun_output *output)
{
	return write_rows(table, escape_csv, ",", output);
}

int markup_tsv(const struct table *table, struct perun_output *output)
{
	return write_rows(table, escape_tsv, "\t", output);
}

bool markup_is_numeric(const struct table *table, size_t column)
{
	bool any = false;
	double value;

	for (size_t row = 0; row < table_rows(table); row++) {
		const char *cell = table_cell(table, row, column);
		size_t length = strlen(cell);

		any |= length > 0;
		if (length && perun_json_scan_double(cell, length, &value) != length)
			return false;
	}
	return any;
}

int markup_latex(const struct table *table, enum markup_latex kind, struct perun_output *output)
{
	static const char *const rules[][3] = {
		[MARKUP_LATEX] = {"\\hline", "\\hline", "\\hline"},
		[MARKUP_LATEX_RAW] = {"\\hline", "\\hline", "\\hline"},
		[MARKUP_LATEX_BOOKTABS] = {"\\toprule", "\\midrule", "\\bottomrule"},
		[MARKUP_LATEX_LONGTABLE] = {"\\hline", "\\hline\n\\endhead", "\\hline"}};
	const char *name = kind == MARKUP_LATEX_LONGTABLE ? "longtable" : "tabular";
	escape *write_cell = kind == MARKUP_LATEX_RAW ? escape_nothing : escape_latex;
	int status;

	perun_output_printf(output, "\\begin{%s}{", name);
	for (size_t i = 0; i < table->columns; i++)
		perun_output_text(output, markup_is_numeric(table, i) ? "r" : "l");
	perun_output_printf(output, "}\n%s\n", rules[kind][0]);
	write_row(table, 0, write_cell, " & ", " \\\\\n", output);
	status = perun_output_printf(output, "%s\n", rules[kind][1]);
	for (size_t row = 1; row <= table_rows(table) && !status; row++)
		status = write_row(table, row, write_cell, " & ", " \\\\\n", output);
	return perun_output_printf(output, "%s\n\\end{%s}\n", rules[kind][2], name);
}

int markup_unsafe_html(const struct table *table, struct perun_output *output)
{
	bool *numeric = perun_alloc_zero(table->columns + 1, sizeof *numeric);
	int status = perun_output_text(output, "<table>\n<thead>\n");

	for (size_t i = 0; i < table->columns; i++)
		numeric[i] = markup_is_numeric(table, i);
	for (size_t row = 0; row <= table_rows(table) && !status; row++) {
		perun_output_text(output, "<tr>");
		for (size_t i = 0; i < table->columns; i++)
			perun_output_printf(output, "<%s%s>%s</%s>", row ? "td" : "th",
					    numeric[i] ? " style=\"text-align: right;\"" : "",
					    row ? table_cell(table, row - 1, i) : table->headers[i],
					    row ? "td" : "th");
		status = perun_output_text(output, row ? "</tr>\n" : "</tr>\n</thead>\n<tbody>\n");
	}
	perun_free(numeric);
	return perun_output_text(output, "</tbody>\n</table>\n");
}
