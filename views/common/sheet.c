/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of texts. */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/grid.h"
#include "views/common/sheet.h"
#include "views/common/text.h"

void views_sheet_column(struct views_sheet *sheet, const char *title, bool right, unsigned minimum)
{
	sheet->columns[sheet->column_count++] =
		(struct views_sheet_column){title, right, minimum, 0};
}

void views_sheet_row(struct views_sheet *sheet)
{
	PERUN_GROW(sheet->rows, sheet->row_count, sheet->room);
	memset(sheet->rows[sheet->row_count++], 0, sizeof *sheet->rows);
}

void views_sheet_set(struct views_sheet *sheet, size_t column, enum views_color color,
		     const char *format, ...)
{
	struct views_sheet_cell *cell = &sheet->rows[sheet->row_count - 1][column];
	va_list args;
	char *text;

	va_start(args, format);
	text = perun_vformat(format, args);
	va_end(args);
	perun_free(cell->text);
	*cell = (struct views_sheet_cell){perun_printable(text), color};
	perun_free(text);
}

static const char *text_of(const struct views_sheet *sheet, size_t row, size_t column)
{
	return sheet->rows[row][column].text ? sheet->rows[row][column].text : "";
}

/* ---- for the terminal ------------------------------------------------------------------------ */

/* Leave out the column that may go first, by a width of 0. False = none may. */
static bool drop_column(const struct views_sheet *sheet, size_t widths[])
{
	size_t found = VIEWS_SHEET_COLUMNS;

	for (size_t c = 0; c < sheet->column_count; c++)
		if (widths[c] && sheet->columns[c].drop &&
		    (found == VIEWS_SHEET_COLUMNS ||
		     sheet->columns[c].drop > sheet->columns[found].drop))
			found = c;
	if (found < VIEWS_SHEET_COLUMNS)
		widths[found] = 0;
	return found < VIEWS_SHEET_COLUMNS;
}

/* Cut the widest of the columns that may be cut until all fit. */
static void fit_widths(const struct views_sheet *sheet, size_t widths[], size_t limit)
{
	while (true) {
		size_t sum = 0, widest = VIEWS_SHEET_COLUMNS;

		for (size_t c = 0; c < sheet->column_count; c++) {
			unsigned minimum = sheet->columns[c].minimum;

			sum += widths[c] ? widths[c] + 2 : 0;
			if (minimum && widths[c] > minimum &&
			    (widest == VIEWS_SHEET_COLUMNS || widths[c] > widths[widest]))
				widest = c;
		}
		sum -= 2;
		if (sum <= limit)
			return;
		if (widest == VIEWS_SHEET_COLUMNS) {
			if (!drop_column(sheet, widths))
				return;
			continue;
		}
		widths[widest] -= sum - limit < widths[widest] - sheet->columns[widest].minimum
					  ? sum - limit
					  : widths[widest] - sheet->columns[widest].minimum;
	}
}

static void add_cell(const struct perun_canvas *canvas, const struct views_sheet_column *column,
		     const char *text, size_t width, enum views_color color, bool last,
		     struct perun_buffer *out)
{
	size_t columns = views_width(text);
	bool colored = color != VIEWS_PLAIN && *text;

	if (column->right && columns < width)
		views_add_repeated(out, " ", width - columns);
	if (colored)
		views_add_color(out, canvas, color);
	if (columns > width)
		views_add_clipped(out, text, width, canvas->ascii);
	else
		perun_buffer_add_text(out, text);
	if (colored)
		views_add_color(out, canvas, VIEWS_PLAIN);
	if (!last && !column->right && columns < width)
		views_add_repeated(out, " ", width - columns);
	if (!last)
		perun_buffer_add_text(out, "  ");
}

/* Whether nothing but blanks follows column `c` in a row. */
static bool is_last(const struct views_sheet *sheet, const size_t widths[], size_t row, size_t c)
{
	while (++c < sheet->column_count)
		if (widths[c] && *text_of(sheet, row, c))
			return false;
	return true;
}

static void find_widths(const struct views_sheet *sheet, size_t widths[])
{
	for (size_t c = 0; c < sheet->column_count; c++) {
		widths[c] = views_width(sheet->columns[c].title);
		for (size_t row = 0; row < sheet->row_count; row++) {
			size_t columns = views_width(text_of(sheet, row, c));

			widths[c] = columns > widths[c] ? columns : widths[c];
		}
	}
}

static void add_rows(const struct views_sheet *sheet, const struct perun_canvas *canvas,
		     struct perun_buffer *out)
{
	size_t widths[VIEWS_SHEET_COLUMNS] = {0}, n = sheet->column_count;

	find_widths(sheet, widths);
	if (canvas->screen)
		fit_widths(sheet, widths, canvas->width);
	for (size_t c = 0; c < n; c++)
		if (widths[c])
			add_cell(canvas, &sheet->columns[c], sheet->columns[c].title, widths[c],
				 VIEWS_BOLD, c + 1 == n, out);
	perun_buffer_add_char(out, '\n');
	for (size_t row = 0; row < sheet->row_count; row++) {
		for (size_t c = 0; c < n; c++) {
			bool last = is_last(sheet, widths, row, c);

			if (widths[c])
				add_cell(canvas, &sheet->columns[c], text_of(sheet, row, c),
					 widths[c], sheet->rows[row][c].color, last, out);
			if (last)
				break;
		}
		perun_buffer_add_char(out, '\n');
	}
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void add_markdown(const struct views_sheet *sheet, unsigned code, struct perun_buffer *out)
{
	for (size_t c = 0; c < sheet->column_count; c++)
		perun_buffer_printf(out, "| %s ", sheet->columns[c].title);
	perun_buffer_add_text(out, "|\n");
	for (size_t c = 0; c < sheet->column_count; c++)
		perun_buffer_add_text(out, sheet->columns[c].right ? "|---:" : "|---");
	perun_buffer_add_text(out, "|\n");
	for (size_t row = 0; row < sheet->row_count; row++) {
		for (size_t c = 0; c < sheet->column_count; c++) {
			const char *text = text_of(sheet, row, c);

			perun_buffer_add_text(out, "| ");
			if (*text && code >> c & 1)
				views_add_code(out, text);
			else
				views_add_escaped(out, text);
			perun_buffer_add_char(out, ' ');
		}
		perun_buffer_add_text(out, "|\n");
	}
}

void views_sheet_write(const struct views_sheet *sheet, const struct perun_canvas *canvas,
		       unsigned code)
{
	struct perun_buffer out = {0};

	if (canvas->form == PERUN_FORM_MARKDOWN)
		add_markdown(sheet, code, &out);
	else
		add_rows(sheet, canvas, &out);
	perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
}

void views_sheet_clear(struct views_sheet *sheet)
{
	for (size_t row = 0; row < sheet->row_count; row++)
		for (size_t c = 0; c < sheet->column_count; c++)
			perun_free(sheet->rows[row][c].text);
	perun_free(sheet->rows);
}
