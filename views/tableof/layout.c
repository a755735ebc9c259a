/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of ruled and plain text: columns aligned, lines drawn, as Python's tabulate does. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "layout.h"
#include "markup.h"
#include "views/common/text.h"

/* A horizontal line: its left end, what fills it, what crosses columns, its right end. */
struct line {
	const char *begin, *fill, *cross, *end;
};

struct layout {
	const char *name;
	struct line above, below_header, between, below; /* without `fill`: not drawn */
	const char *begin, *separator, *end;             /* of the rows */
	unsigned padding;                                /* blanks on both sides of a cell */
	bool colons;     /* the line below the header has the alignment, as Markdown wants it */
	const char *bar; /* what represents '|' in a cell, which would end it; NULL: itself */
	/* Of languages of wikis; NULL and false: as above, or nothing. */
	const char *header_begin, *header_separator, *header_end;
	const char *before_number, *before_text, *after; /* a cell and its padding */
	const char *header_mark;                         /* on both sides of a header */
	const char *after_first;                         /* the first cell of a row */
	bool centered; /* all cells; numbers are texts, and headers have no blanks of their own */
};

/* clang-format off */
#define NONE {NULL, NULL, NULL, NULL}
#define PLUS {"+", "-", "+", "+"}
#define WIKI_ROW {"|-", "", "", ""}
#define BARS .begin = "|", .separator = "|", .end = "|", .padding = 1
#define BOX_OF(bar) .begin = bar, .separator = bar, .end = bar, .padding = 1
#define BOX BOX_OF("│")
#define BLANKS .begin = "", .separator = "  ", .end = "", .padding = 0

static const struct layout layouts[] = {
	{"plain", NONE, NONE, NONE, NONE, BLANKS},
	{"simple", NONE, {"", "-", "  ", ""}, NONE, NONE, BLANKS},
	{"github", NONE, {"|", "-", "|", "|"}, NONE, NONE, BARS, .bar = "\\|"},
	{"pipe", NONE, {"|", "-", "|", "|"}, NONE, NONE, BARS, .colons = true, .bar = "\\|"},
	{"markdown", NONE, {"|", "-", "|", "|"}, NONE, NONE, BARS, .colons = true, .bar = "\\|"},
	{"grid", PLUS, {"+", "=", "+", "+"}, PLUS, PLUS, BARS},
	{"outline", PLUS, {"+", "=", "+", "+"}, NONE, PLUS, BARS},
	{"simple_grid", {"┌", "─", "┬", "┐"}, {"├", "─", "┼", "┤"}, {"├", "─", "┼", "┤"}, {"└", "─", "┴", "┘"}, BOX},
	{"rounded_grid", {"╭", "─", "┬", "╮"}, {"├", "─", "┼", "┤"}, {"├", "─", "┼", "┤"}, {"╰", "─", "┴", "╯"}, BOX},
	{"fancy_grid", {"╒", "═", "╤", "╕"}, {"╞", "═", "╪", "╡"}, {"├", "─", "┼", "┤"}, {"╘", "═", "╧", "╛"}, BOX},
	{"fancy_outline", {"╒", "═", "╤", "╕"}, {"╞", "═", "╪", "╡"}, NONE, {"╘", "═", "╧", "╛"}, BOX},
	{"mixed_grid", {"┍", "━", "┯", "┑"}, {"┝", "━", "┿", "┥"}, {"├", "─", "┼", "┤"}, {"┕", "━", "┷", "┙"}, BOX},
	{"heavy_grid", {"┏", "━", "┳", "┓"}, {"┣", "━", "╋", "┫"}, {"┣", "━", "╋", "┫"}, {"┗", "━", "┻", "┛"}, BOX_OF("┃")},
	{"double_grid", {"╔", "═", "╦", "╗"}, {"╠", "═", "╬", "╣"}, {"╠", "═", "╬", "╣"}, {"╚", "═", "╩", "╝"}, BOX_OF("║")},
	{"simple_outline", {"┌", "─", "┬", "┐"}, {"├", "─", "┼", "┤"}, NONE, {"└", "─", "┴", "┘"}, BOX},
	{"rounded_outline", {"╭", "─", "┬", "╮"}, {"├", "─", "┼", "┤"}, NONE, {"╰", "─", "┴", "╯"}, BOX},
	{"mixed_outline", {"┍", "━", "┯", "┑"}, {"┝", "━", "┿", "┥"}, NONE, {"┕", "━", "┷", "┙"}, BOX},
	{"heavy_outline", {"┏", "━", "┳", "┓"}, {"┣", "━", "╋", "┫"}, NONE, {"┗", "━", "┻", "┛"}, BOX_OF("┃")},
	{"double_outline", {"╔", "═", "╦", "╗"}, {"╠", "═", "╬", "╣"}, NONE, {"╚", "═", "╩", "╝"}, BOX_OF("║")},
	{"pretty", PLUS, PLUS, NONE, PLUS, BARS, .centered = true},
	{"psql", PLUS, {"|", "-", "+", "|"}, NONE, PLUS, BARS},
	{"presto", NONE, {"", "-", "+", ""}, NONE, NONE, .begin = "", .separator = "|", .end = "", .padding = 1},
	{"orgtbl", NONE, {"|", "-", "+", "|"}, NONE, NONE, BARS, .bar = "\\|"},
	{"jira", NONE, NONE, NONE, NONE, BARS, .bar = "\\|",
	 .header_begin = "||", .header_separator = "||", .header_end = "||"},
	{"youtrack", NONE, NONE, NONE, NONE, .begin = "| ", .separator = " | ", .end = " |", .padding = 1, .bar = "\\|",
	 .header_begin = "|| ", .header_separator = " || ", .header_end = " || "},
	{"textile", NONE, NONE, NONE, NONE, BARS, .bar = "&#124;",
	 .header_begin = "|_. ", .header_separator = "|_.", .header_end = "|",
	 .before_number = ">.", .before_text = "<.", .after_first = " "},
	{"mediawiki", {"{| class=\"wikitable\" style=\"text-align: left;\"", "", "", "\n|+ <!-- caption -->\n|-"},
	 WIKI_ROW, WIKI_ROW, {"|}", "", "", ""}, .begin = "|", .separator = "||", .end = "", .padding = 0, .bar = "&#124;",
	 .header_begin = "!", .header_separator = "!!", .header_end = "",
	 .before_number = " style=\"text-align: right;\"| ", .before_text = " ", .after = " "},
	{"moinmoin", NONE, NONE, NONE, NONE, .begin = "||", .separator = "||", .end = "||", .padding = 1, .bar = "&#124;",
	 .before_number = "<style=\"text-align: right;\"> ", .before_text = " ", .after = " ", .header_mark = "'''"},
	{"rst", {"", "=", "  ", ""}, {"", "=", "  ", ""}, NONE, {"", "=", "  ", ""}, BLANKS},
};
/* clang-format on */

/* What is known of a column before its first line is written. */
struct measure {
	size_t width;
	bool numeric, fractions; /* all its cells are numbers; one of them is not an integer */
	int decimals;            /* the most characters after a point, -1 = no point at all */
};

static bool is_integer(const char *text)
{
	text += *text == '-';
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool is_number(const char *text, double *value)
{
	size_t length = strlen(text);

	return length && perun_json_scan_double(text, length, value) == length;
}

/* Characters after the point (or after the e where there is none); -1 for an integer. */
static int after_point(const char *text)
{
	const char *point = strrchr(text, '.');

	if (is_integer(text) || (!point && !(point = strrchr(text, 'e'))))
		return -1;
	return (int)strlen(point + 1);
}

/* The text of a cell as it is shown; it lives in `scratch` or in the table. */
static const char *shown(const struct layout *layout, const struct measure *measure,
			 const struct layout_style *style, const char *cell,
			 struct perun_buffer *scratch)
{
	double value;

	perun_buffer_clear(scratch);
	if (measure->numeric) {
		if (!measure->fractions || !style->precision || !is_number(cell, &value))
			return cell;
		perun_buffer_printf(scratch, "%.*g", (int)style->precision, value);
	} else {
		char *printable = perun_printable(cell);

		for (const char *c = printable, *end; *c; c = end) {
			end = layout->bar ? strchrnul(c, '|') : c + strlen(c);
			perun_buffer_add(scratch, c, (size_t)(end - c));
			if (!*end)
				break;
			perun_buffer_add_text(scratch, layout->bar);
			end++;
		}
		perun_free(printable);
		if (!scratch->length)
			return "";
	}
	return scratch->data;
}

static struct measure measure_column(const struct layout *layout, const struct table *table,
				     const struct layout_style *style, size_t column)
{
	struct measure measure = {.numeric = false, .decimals = -1};
	struct perun_buffer scratch = {0};
	size_t rows = table_rows(table), filled = 0;
	double value;

	measure.numeric = !layout->centered;
	for (size_t row = 0; row < rows && measure.numeric; row++) {
		const char *cell = table_cell(table, row, column);

		filled += *cell != '\0';
		measure.numeric = !*cell || is_number(cell, &value);
		measure.fractions |= *cell && !is_integer(cell);
	}
	measure.numeric &= filled > 0;
	for (size_t row = 0; row < rows && measure.numeric; row++) {
		int decimals = after_point(
			shown(layout, &measure, style, table_cell(table, row, column), &scratch));

		measure.decimals = decimals > measure.decimals ? decimals : measure.decimals;
	}
	/* tabulate leaves two blanks beside each header. */
	measure.width = views_width(table->headers[column]) + (layout->centered ? 0 : 2);
	for (size_t row = 0; row < rows; row++) {
		const char *text =
			shown(layout, &measure, style, table_cell(table, row, column), &scratch);
		size_t width = views_width(text);

		if (measure.numeric)
			width += (size_t)(measure.decimals - after_point(text));
		measure.width = width > measure.width ? width : measure.width;
	}
	perun_buffer_free(&scratch);
	return measure;
}

static void end_line(struct perun_buffer *line, struct perun_output *output)
{
	while (line->length && line->data[line->length - 1] == ' ')
		line->length--;
	perun_buffer_add_char(line, '\n');
	perun_output_write(output, line->data, line->length);
	perun_buffer_clear(line);
}

static void write_line(const struct layout *layout, const struct line *shape,
		       const struct measure *measures, size_t columns, bool colons,
		       struct perun_output *output)
{
	struct perun_buffer line = {0};

	if (!shape->fill)
		return;
	perun_buffer_add_text(&line, shape->begin);
	for (size_t i = 0; i < columns; i++) {
		size_t width = measures[i].width + 2 * layout->padding - colons;

		if (i)
			perun_buffer_add_text(&line, shape->cross);
		if (colons && !measures[i].numeric)
			perun_buffer_add_char(&line, ':');
		views_add_repeated(&line, shape->fill, width);
		if (colons && measures[i].numeric)
			perun_buffer_add_char(&line, ':');
	}
	perun_buffer_add_text(&line, shape->end);
	end_line(&line, output);
	perun_buffer_free(&line);
}

static void add_optional(struct perun_buffer *line, const char *text)
{
	if (text)
		perun_buffer_add_text(line, text);
}

/* A cell and the blanks around it; `room` of those to its right are for the digits it lacks. */
static void add_cell(const struct layout *layout, const struct measure *measure, const char *text,
		     size_t room, const struct layout_style *header, struct perun_buffer *line)
{
	size_t width = views_width(text) + room;
	size_t blanks = measure->width > width ? measure->width - width : 0;
	size_t left = measure->numeric ? blanks : layout->centered ? blanks / 2 : 0;
	bool bold = header && header->color;

	/* A header of textile has its mark in the separator. */
	if (!header || !layout->after_first)
		add_optional(line, measure->numeric ? layout->before_number : layout->before_text);
	add_optional(line, header ? layout->header_mark : NULL);
	views_add_repeated(line, " ", layout->padding + left);
	if (bold)
		perun_buffer_add_text(line, "\033[1m");
	perun_buffer_add_text(line, text);
	if (bold)
		perun_buffer_add_text(line, "\033[0m");
	views_add_repeated(line, " ", room + layout->padding + blanks - left);
	add_optional(line, header ? layout->header_mark : NULL);
	add_optional(line, layout->after);
}

static void write_header(const struct layout *layout, const struct table *table,
			 const struct measure *measures, const struct layout_style *style,
			 struct perun_output *output)
{
	struct perun_buffer line = {0}, scratch = {0};
	const struct measure text = {.numeric = false};
	bool own = layout->header_begin != NULL;

	perun_buffer_add_text(&line, own ? layout->header_begin : layout->begin);
	for (size_t i = 0; i < table->columns; i++) {
		if (i)
			perun_buffer_add_text(&line,
					      own ? layout->header_separator : layout->separator);
		add_cell(layout, &measures[i],
			 shown(layout, &text, style, table->headers[i], &scratch), 0, style, &line);
	}
	perun_buffer_add_text(&line, own ? layout->header_end : layout->end);
	end_line(&line, output);
	perun_buffer_free(&line);
	perun_buffer_free(&scratch);
}

static int write_rows(const struct layout *layout, const struct table *table,
		      const struct measure *measures, const struct layout_style *style,
		      struct perun_output *output)
{
	struct perun_buffer line = {0}, scratch = {0};
	int status = PERUN_OK;

	for (size_t row = 0; row < table_rows(table) && !status; row++) {
		if (row)
			write_line(layout, &layout->between, measures, table->columns, false,
				   output);
		perun_buffer_add_text(&line, layout->begin);
		for (size_t i = 0; i < table->columns; i++) {
			const char *text = shown(layout, &measures[i], style,
						 table_cell(table, row, i), &scratch);
			size_t room = measures[i].numeric
					      ? (size_t)(measures[i].decimals - after_point(text))
					      : 0;

			if (i)
				perun_buffer_add_text(&line, layout->separator);
			add_cell(layout, &measures[i], text, room, NULL, &line);
			if (i == 0)
				add_optional(&line, layout->after_first);
		}
		perun_buffer_add_text(&line, layout->end);
		end_line(&line, output);
		status = perun_output_write(output, "", 0);
	}
	perun_buffer_free(&line);
	perun_buffer_free(&scratch);
	return status;
}

static int write_ruled(const struct layout *layout, const struct table *table,
		       const struct layout_style *style, struct perun_output *output)
{
	struct measure *measures = perun_alloc_zero(table->columns + 1, sizeof *measures);

	for (size_t i = 0; i < table->columns; i++)
		measures[i] = measure_column(layout, table, style, i);
	write_line(layout, &layout->above, measures, table->columns, false, output);
	write_header(layout, table, measures, style, output);
	write_line(layout, &layout->below_header, measures, table->columns, layout->colons, output);
	write_rows(layout, table, measures, style, output);
	write_line(layout, &layout->below, measures, table->columns, false, output);
	perun_free(measures);
	return perun_output_write(output, "", 0);
}

bool layout_is_data(const char *name)
{
	return strcmp(name, "csv") == 0 || strcmp(name, "tsv") == 0 || strcmp(name, "json") == 0;
}

static const struct layout *layout_named(const char *name)
{
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (strcmp(layouts[i].name, name) == 0)
			return &layouts[i];
	return NULL;
}

size_t layout_column_width(const struct table *table, const char *name,
			   const struct layout_style *style, size_t column)
{
	const struct layout *layout = layout_named(name);

	return layout ? measure_column(layout, table, style, column).width + 2 * layout->padding +
				views_width(layout->separator)
		      : 0;
}

int layout_write(const struct table *table, const char *name, const struct layout_style *style,
		 struct perun_output *output)
{
	if (strcmp(name, "csv") == 0)
		return markup_csv(table, output);
	if (strcmp(name, "tsv") == 0)
		return markup_tsv(table, output);
	if (strcmp(name, "html") == 0)
		return markup_html(table, style->precision, output);
	if (strcmp(name, "latex") == 0)
		return markup_latex(table, MARKUP_LATEX, output);
	if (strcmp(name, "latex_raw") == 0)
		return markup_latex(table, MARKUP_LATEX_RAW, output);
	if (strcmp(name, "latex_booktabs") == 0)
		return markup_latex(table, MARKUP_LATEX_BOOKTABS, output);
	if (strcmp(name, "latex_longtable") == 0)
		return markup_latex(table, MARKUP_LATEX_LONGTABLE, output);
	if (strcmp(name, "unsafehtml") == 0)
		return markup_unsafe_html(table, output);
	return layout_named(name) ? write_ruled(layout_named(name), table, style, output)
				  : PERUN_USAGE;
}
