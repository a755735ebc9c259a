/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of texts. */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"

void cli_grid_column(struct cli_grid *grid, const char *title, bool right, unsigned least)
{
	grid->columns[grid->column_count++] = (struct cli_grid_column){title, right, least, 0};
}

void cli_grid_row(struct cli_grid *grid)
{
	PERUN_GROW(grid->rows, grid->row_count, grid->room);
	memset(grid->rows[grid->row_count++], 0, sizeof *grid->rows);
}

void cli_grid_set(struct cli_grid *grid, size_t column, enum cli_color color, const char *format,
		  ...)
{
	struct cli_grid_cell *cell = &grid->rows[grid->row_count - 1][column];
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	perun_free(cell->text);
	*cell = (struct cli_grid_cell){perun_printable(text ? text : ""), color};
	free(text);
}

static const char *text_of(const struct cli_grid *grid, size_t row, size_t column)
{
	return grid->rows[row][column].text ? grid->rows[row][column].text : "";
}

/* ---- for the terminal ------------------------------------------------------------------------ */

/* Leave out the column that may go first, by a width of 0. False = none may. */
static bool drop_column(const struct cli_grid *grid, size_t widths[])
{
	size_t found = CLI_GRID_COLUMNS;

	for (size_t c = 0; c < grid->column_count; c++)
		if (widths[c] && grid->columns[c].drop &&
		    (found == CLI_GRID_COLUMNS ||
		     grid->columns[c].drop > grid->columns[found].drop))
			found = c;
	if (found < CLI_GRID_COLUMNS)
		widths[found] = 0;
	return found < CLI_GRID_COLUMNS;
}

/* Cut the widest of the columns that may be cut until all fit. */
static void fit_widths(const struct cli_grid *grid, size_t widths[], size_t limit)
{
	while (true) {
		size_t sum = 0, widest = CLI_GRID_COLUMNS;

		for (size_t c = 0; c < grid->column_count; c++) {
			unsigned least = grid->columns[c].least;

			sum += widths[c] ? widths[c] + 2 : 0;
			if (least && widths[c] > least &&
			    (widest == CLI_GRID_COLUMNS || widths[c] > widths[widest]))
				widest = c;
		}
		sum -= 2;
		if (sum <= limit)
			return;
		if (widest == CLI_GRID_COLUMNS) {
			if (!drop_column(grid, widths))
				return;
			continue;
		}
		widths[widest] -= sum - limit < widths[widest] - grid->columns[widest].least
					  ? sum - limit
					  : widths[widest] - grid->columns[widest].least;
	}
}

static void print_cut(const char *text, size_t width, const char *mark)
{
	size_t keep = width > cli_columns(mark) ? width - cli_columns(mark) : 0;

	for (; *text && (keep || ((unsigned char)*text & 0xc0) == 0x80); text++) {
		keep -= ((unsigned char)*text & 0xc0) != 0x80;
		putchar(*text);
	}
	fputs(mark, stdout);
}

static void print_cell(struct cli *cli, const struct cli_grid_column *column, const char *text,
		       size_t width, enum cli_color color, bool last)
{
	size_t columns = cli_columns(text);
	bool colored = color != CLI_PLAIN && *text;

	if (column->right && columns < width)
		cli_repeat(" ", width - columns);
	if (colored)
		fputs(cli_color(cli, color), stdout);
	if (columns > width)
		print_cut(text, width, cli_has_unicode() ? "\xe2\x80\xa6" : "..");
	else
		fputs(text, stdout);
	if (colored)
		fputs(cli_color_end(cli), stdout);
	if (!last && !column->right && columns < width)
		cli_repeat(" ", width - columns);
	if (!last)
		fputs("  ", stdout);
}

/* Whether nothing but blanks follows column `c` in a row. */
static bool is_last(const struct cli_grid *grid, const size_t widths[], size_t row, size_t c)
{
	while (++c < grid->column_count)
		if (widths[c] && *text_of(grid, row, c))
			return false;
	return true;
}

void cli_grid_print(struct cli *cli, const struct cli_grid *grid)
{
	size_t widths[CLI_GRID_COLUMNS] = {0}, n = grid->column_count;

	for (size_t c = 0; c < n; c++) {
		widths[c] = cli_columns(grid->columns[c].title);
		for (size_t row = 0; row < grid->row_count; row++) {
			size_t columns = cli_columns(text_of(grid, row, c));

			widths[c] = columns > widths[c] ? columns : widths[c];
		}
	}
	if (cli->terminal)
		fit_widths(grid, widths, cli->width);
	for (size_t c = 0; c < n; c++)
		if (widths[c])
			print_cell(cli, &grid->columns[c], grid->columns[c].title, widths[c],
				   CLI_BOLD, c + 1 == n);
	putchar('\n');
	for (size_t row = 0; row < grid->row_count; row++) {
		for (size_t c = 0; c < n; c++) {
			bool last = is_last(grid, widths, row, c);

			if (widths[c])
				print_cell(cli, &grid->columns[c], text_of(grid, row, c), widths[c],
					   grid->rows[row][c].color, last);
			if (last)
				break;
		}
		putchar('\n');
	}
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void print_markdown(const char *text, bool code)
{
	if (code && *text)
		putchar('`');
	for (; *text; text++) {
		if (*text == '|' || (!code && strchr("\\`*_[]<>", *text)))
			putchar('\\');
		putchar(code && *text == '`' ? '\'' : *text);
		if (code && text[1] == '\0')
			putchar('`');
	}
}

void cli_grid_markdown(const struct cli_grid *grid, unsigned code)
{
	for (size_t c = 0; c < grid->column_count; c++)
		printf("| %s ", grid->columns[c].title);
	puts("|");
	for (size_t c = 0; c < grid->column_count; c++)
		printf("|%s", grid->columns[c].right ? "---:" : "---");
	puts("|");
	for (size_t row = 0; row < grid->row_count; row++) {
		for (size_t c = 0; c < grid->column_count; c++) {
			printf("| ");
			print_markdown(text_of(grid, row, c), code >> c & 1);
			putchar(' ');
		}
		puts("|");
	}
}

void cli_grid_clear(struct cli_grid *grid)
{
	for (size_t row = 0; row < grid->row_count; row++)
		for (size_t c = 0; c < grid->column_count; c++)
			perun_free(grid->rows[row][c].text);
	perun_free(grid->rows);
}
