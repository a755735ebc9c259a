/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of names and amounts as a table of a page. */
#include <config.h>

#include <math.h>

#include "views/common/grid.h"
#include "views/common/markup.h"

/* Columns for people: those of the terminal. */
static bool is_shown(const struct views_column *column)
{
	return views_column_is_shown(column, PERUN_FORM_HTML);
}

static const char *class_of(enum views_color color)
{
	switch (color) {
	case VIEWS_HOT:
		return "hot";
	case VIEWS_YELLOW:
		return "warm";
	case VIEWS_DIM:
		return "dim";
	default:
		return NULL;
	}
}

/* What changed is good or bad, not hot. */
static const char *class_in(const struct views_grid *grid, const struct views_column *column,
			    const struct views_row *row)
{
	enum views_color color = views_grid_color(grid, column, row);

	if (column->cell == VIEWS_DELTA || column->cell == VIEWS_RELATIVE ||
	    column->cell == VIEWS_BALANCE)
		return color == VIEWS_RED ? "bad" : color == VIEWS_GREEN ? "good" : NULL;
	return class_of(color);
}

/* A part of a bar, from `left` on; shares of its width. */
static void add_part(struct perun_buffer *out, const char *class, long double left,
		     long double width)
{
	perun_buffer_printf(out, "<rect%s%s%s x=\"%.2Lf%%\" width=\"%.2Lf%%\"/>",
			    class ? " class=\"" : "", class ? class : "", class ? "\"" : "",
			    100 * left, 100 * fminl(width, 1));
}

static void add_bar(const struct views_grid *grid, const struct views_column *column,
		    const struct views_row *row, struct perun_buffer *out)
{
	long double value = views_column_value(grid, column, row);
	long double other = column->other ? column->other(grid, row) : 0;

	perun_buffer_add_text(out, "<td class=\"bar\"><svg>");
	if (column->cell == VIEWS_BALANCE) {
		long double half = fminl(fabsl(value), 1) / 2;

		if (value != 0 && !isnan(value))
			add_part(out, class_in(grid, column, row), value < 0 ? 0.5L - half : 0.5L,
				 half);
	} else {
		if (other > 0)
			add_part(out, "light", 0, other);
		if (value > 0)
			add_part(out, NULL, 0, value);
	}
	perun_buffer_add_text(out, "</svg></td>");
}

static void add_name(const struct views_row *row, struct perun_buffer *out)
{
	perun_buffer_printf(out, "<td class=\"name%s\"", row->aside ? " aside" : "");
	if (row->file && *row->file) {
		perun_buffer_add_text(out, " title=\"");
		views_add_markup(out, row->file);
		if (row->line)
			perun_buffer_printf(out, ":%lld", (long long)row->line);
		perun_buffer_add_char(out, '"');
	}
	perun_buffer_add_char(out, '>');
	views_add_markup(out, row->name);
	if (row->inlined)
		perun_buffer_add_text(out, " <small>(inlined)</small>");
	if (row->note) {
		perun_buffer_add_text(out, "<br><small>");
		views_add_markup(out, row->note);
		perun_buffer_add_text(out, "</small>");
	}
	perun_buffer_add_text(out, "</td>");
}

static void add_number(const struct views_grid *grid, const struct views_column *column,
		       const struct views_row *row, struct perun_buffer *out)
{
	const char *class = class_in(grid, column, row);
	long double value = views_column_value(grid, column, row);
	struct perun_buffer text = {0};

	perun_buffer_printf(out, "<td class=\"n%s%s\"", class ? " " : "", class ? class : "");
	if (!isnan(value))
		perun_buffer_printf(out, " data-value=\"%.17Lg\"",
				    isinf(value) ? copysignl(1e300L, value) : value);
	perun_buffer_add_char(out, '>');
	views_grid_add_cell(grid, column, row, &text);
	views_add_markup(out, text.length ? text.data : "");
	perun_buffer_free(&text);
	perun_buffer_add_text(out, "</td>");
}

static void add_row(const struct views_grid *grid, const struct views_row *row, bool tree,
		    struct perun_buffer *out)
{
	if (tree)
		perun_buffer_printf(out, "<tr data-depth=\"%u\">", row->depth);
	else
		perun_buffer_add_text(out, "<tr>");
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = &grid->columns[c];

		if (!is_shown(column) || column->cell == VIEWS_NOTE)
			continue;
		if (views_column_is_bar(column)) {
			add_bar(grid, column, row, out);
		} else if (column->cell == VIEWS_NAME) {
			add_name(row, out);
		} else if (views_column_is_text(column)) {
			perun_buffer_add_text(out, "<td>");
			views_add_markup(out, views_column_text(column, row));
			perun_buffer_add_text(out, "</td>");
		} else {
			add_number(grid, column, row, out);
		}
	}
	perun_buffer_add_text(out, "</tr>\n");
}

void views_grid_add_html(const struct views_grid *grid, bool tree, struct perun_buffer *out)
{
	perun_buffer_add_text(out, "<table>\n<thead>\n<tr>");
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = &grid->columns[c];

		if (!is_shown(column) || column->cell == VIEWS_NOTE)
			continue;
		perun_buffer_add_text(
			out, views_column_is_text(column)   ? "<th>"
			     : !views_column_is_bar(column) ? "<th class=\"n\">"
			     : column->cell == VIEWS_BALANCE
				     ? "<th class=\"bar\"><span class=\"unseen\">change</span>"
				     : "<th class=\"bar\"><span class=\"unseen\">share</span>");
		views_add_markup(out, column->title);
		perun_buffer_add_text(out, "</th>");
	}
	perun_buffer_add_text(out, "</tr>\n</thead>\n<tbody>\n");
	for (size_t r = 0; r < grid->row_count; r++)
		add_row(grid, &grid->rows[r], tree, out);
	perun_buffer_add_text(out, "</tbody>\n</table>\n");
}
