/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows in columns for a terminal, as CSV, Markdown and JSON. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/grid.h"
#include "views/common/text.h"

enum { GAP = 2, NAME_MIN = 16, BAR_MIN = 8, BAR_MAX = 24, COLUMNS_MAX = 24 };

bool views_column_is_text(const struct views_column *column)
{
	return column->cell == VIEWS_NAME || column->cell == VIEWS_FILE ||
	       column->cell == VIEWS_NOTE;
}

bool views_column_is_bar(const struct views_column *column)
{
	return column->cell == VIEWS_BAR || column->cell == VIEWS_BALANCE;
}

bool views_column_is_shown(const struct views_column *column, enum perun_form form)
{
	if (views_column_is_bar(column) && form != PERUN_FORM_TERMINAL && form != PERUN_FORM_HTML)
		return false;
	if (column->cell == VIEWS_NOTE && form == PERUN_FORM_TERMINAL)
		return false;
	return !column->forms || (column->forms & form);
}

/* Columns in the order of a form: programs and their users find the name, which is last, first. */
static const struct views_column *column_at(const struct views_grid *grid, size_t i)
{
	return &grid->columns[i == 0 ? grid->column_count - 1 : i - 1];
}

const char *views_column_text(const struct views_column *column, const struct views_row *row)
{
	const char *text = column->cell == VIEWS_NAME   ? row->name
			   : column->cell == VIEWS_FILE ? row->file
							: row->note;

	return text ? text : "";
}

long double views_column_value(const struct views_grid *grid, const struct views_column *column,
			       const struct views_row *row)
{
	return column->value ? column->value(grid, row) : (long double)NAN;
}

void views_row_clear(struct views_row *row)
{
	perun_free(row->name);
	perun_free(row->file);
	perun_free(row->note);
	perun_free(row->prefix);
	*row = (struct views_row){0};
}

/* ---- cells for people ------------------------------------------------------------------------ */

static void add_relative(struct perun_buffer *out, long double value)
{
	if (isinf(value))
		perun_buffer_add_text(out, value > 0 ? "new" : "gone");
	else
		views_add_share(out, value, true);
}

void views_grid_add_cell(const struct views_grid *grid, const struct views_column *column,
			 const struct views_row *row, struct perun_buffer *out)
{
	long double value = views_column_value(grid, column, row);

	switch (column->cell) {
	case VIEWS_LINE_NUMBER:
		if (row->line)
			perun_buffer_printf(out, "%lld", (long long)row->line);
		break;
	case VIEWS_ADDRESS:
		if (row->address)
			perun_buffer_printf(out, "%#llx", (unsigned long long)row->address);
		break;
	case VIEWS_DEPTH:
		perun_buffer_printf(out, "%u", row->depth);
		break;
	case VIEWS_AMOUNT:
	case VIEWS_DELTA:
		views_add_amount(out, value, &grid->unit, column->cell == VIEWS_DELTA,
				 grid->canvas->ascii);
		break;
	case VIEWS_SHARE:
		views_add_share(out, value, false);
		break;
	case VIEWS_RELATIVE:
		add_relative(out, value);
		break;
	case VIEWS_NAME:
	case VIEWS_FILE:
	case VIEWS_NOTE:
	case VIEWS_BAR:
	case VIEWS_BALANCE:
		break;
	}
}

static enum views_color change_color(const struct views_grid *grid, long double value)
{
	if (value == 0 || isnan(value))
		return VIEWS_PLAIN;
	return (value > 0) == grid->higher_is_better ? VIEWS_GREEN : VIEWS_RED;
}

enum views_color views_grid_color(const struct views_grid *grid, const struct views_column *column,
				  const struct views_row *row)
{
	if (column->cell == VIEWS_DELTA || column->cell == VIEWS_RELATIVE ||
	    column->cell == VIEWS_BALANCE)
		return change_color(grid, views_column_value(grid, column, row));
	if (column->cell == VIEWS_BAR)
		return VIEWS_CYAN;
	if (row->aside)
		return VIEWS_DIM;
	if (column->other)
		return views_heat(column->other(grid, row));
	return VIEWS_PLAIN;
}

/* ---- terminal -------------------------------------------------------------------------------- */

struct layout {
	size_t widths[COLUMNS_MAX];
	bool shown[COLUMNS_MAX];
	size_t longest; /* name */
};

static void measure(const struct views_grid *grid, struct layout *layout)
{
	struct perun_buffer text = {0};

	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = &grid->columns[c];

		layout->shown[c] = views_column_is_shown(column, PERUN_FORM_TERMINAL);
		layout->widths[c] = views_width(column->title);
		for (size_t r = 0; r < grid->row_count && !views_column_is_text(column); r++) {
			size_t width;

			perun_buffer_clear(&text);
			views_grid_add_cell(grid, column, &grid->rows[r], &text);
			width = text.length ? views_width(text.data) : 0;
			if (width > layout->widths[c])
				layout->widths[c] = width;
		}
	}
	for (size_t r = 0; r < grid->row_count; r++) {
		const struct views_row *row = &grid->rows[r];
		size_t width =
			views_width(row->name) + (row->prefix ? views_width(row->prefix) : 0);

		if (row->note && views_width(row->note) > width)
			width = views_width(row->note);
		if (width > layout->longest)
			layout->longest = width;
	}
	perun_buffer_free(&text);
}

/* The columns that all but bars and the name take, with the gaps; `*bar` becomes the bar, or -1. */
static size_t fixed_width(const struct views_grid *grid, const struct layout *layout, int *bar)
{
	size_t sum = 0;

	*bar = -1;
	for (size_t c = 0; c < grid->column_count; c++) {
		if (!layout->shown[c] || grid->columns[c].cell == VIEWS_NAME)
			continue;
		if (views_column_is_bar(&grid->columns[c]))
			*bar = (int)c;
		else
			sum += layout->widths[c];
		sum += GAP;
	}
	return sum;
}

/* The most expensive column that is still shown, or -1. */
static int most_expensive(const struct views_grid *grid, const struct layout *layout)
{
	int worst = -1;

	for (size_t c = 0; c < grid->column_count; c++) {
		if (layout->shown[c] && grid->columns[c].expensive &&
		    (worst < 0 || grid->columns[c].expensive > grid->columns[worst].expensive))
			worst = (int)c;
	}
	return worst;
}

/* Leave out columns until a name has room; then divide what is left between bar and name. */
static void lay_out(const struct views_grid *grid, struct layout *layout)
{
	size_t width = grid->canvas->width, least = layout->longest, fixed, rest, room = BAR_MIN;
	int bar, worst;

	/* Names that need it get two fifths of the terminal. */
	if (least > NAME_MIN && least > width * 2 / 5)
		least = width * 2 / 5 > NAME_MIN ? width * 2 / 5 : NAME_MIN;
	for (;;) {
		fixed = fixed_width(grid, layout, &bar);
		if (fixed + least + (bar >= 0 ? BAR_MIN : 0) <= width)
			break;
		worst = most_expensive(grid, layout);
		if (worst < 0)
			break;
		layout->shown[worst] = false;
	}
	rest = width > fixed + 8 ? width - fixed : 8;
	if (bar >= 0) {
		if (rest / 6 > room)
			room = rest / 6;
		if (rest > layout->longest + room)
			room = rest - layout->longest;
		if (room > BAR_MAX)
			room = BAR_MAX;
		layout->widths[bar] = room;
		rest -= room;
	}
	for (size_t c = 0; c < grid->column_count; c++) {
		if (grid->columns[c].cell == VIEWS_NAME)
			layout->widths[c] = rest;
	}
}

/* End the line, without blanks before. */
static void end_line(struct perun_buffer *out)
{
	while (out->length > 0 && out->data[out->length - 1] == ' ')
		out->length--;
	perun_buffer_add_char(out, '\n');
}

static void add_titles(const struct views_grid *grid, const struct layout *layout,
		       struct perun_buffer *out)
{
	views_add_color(out, grid->canvas, VIEWS_BOLD);
	for (size_t c = 0; c < grid->column_count; c++) {
		const char *title = grid->columns[c].title;
		size_t pad = layout->widths[c], width = views_width(title);

		if (!layout->shown[c])
			continue;
		pad = pad > width ? pad - width : 0;
		if (!views_column_is_text(&grid->columns[c]) &&
		    !views_column_is_bar(&grid->columns[c]))
			views_add_repeated(out, " ", pad);
		perun_buffer_add_text(out, title);
		if (views_column_is_bar(&grid->columns[c]) || grid->columns[c].cell == VIEWS_FILE)
			views_add_repeated(out, " ", pad);
		if (grid->columns[c].cell != VIEWS_NAME)
			views_add_repeated(out, " ", GAP);
	}
	views_add_color(out, grid->canvas, VIEWS_PLAIN);
	end_line(out);
}

static void add_name(const struct views_grid *grid, const struct views_row *row, size_t width,
		     struct perun_buffer *out)
{
	static const char inlined[] = " (inlined)";
	size_t used;

	if (row->prefix && *row->prefix) {
		used = views_width(row->prefix);
		views_add_color(out, grid->canvas, VIEWS_DIM);
		perun_buffer_add_text(out, row->prefix);
		views_add_color(out, grid->canvas, VIEWS_PLAIN);
		width = width > used + 8 ? width - used : 8;
	}
	if (row->aside)
		views_add_color(out, grid->canvas, VIEWS_DIM);
	used = views_add_fitted(out, row->name, width, grid->canvas->ascii);
	if (row->inlined && used + strlen(inlined) <= width) {
		views_add_color(out, grid->canvas, VIEWS_DIM);
		perun_buffer_add_text(out, inlined);
	}
	if (row->aside || row->inlined)
		views_add_color(out, grid->canvas, VIEWS_PLAIN);
}

static void add_line(const struct views_grid *grid, const struct layout *layout,
		     const struct views_row *row, struct perun_buffer *out)
{
	struct perun_buffer text = {0};

	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = &grid->columns[c];
		enum views_color color = views_grid_color(grid, column, row);
		size_t width = layout->widths[c], used;

		if (!layout->shown[c])
			continue;
		if (column->cell == VIEWS_NAME) {
			add_name(grid, row, width, out);
			continue;
		}
		perun_buffer_clear(&text);
		perun_buffer_add(&text, "", 0);
		views_grid_add_cell(grid, column, row, &text);
		used = text.length ? views_width(text.data) : 0;
		if (!views_column_is_bar(column))
			views_add_repeated(out, " ", width > used ? width - used : 0);
		if (color != VIEWS_PLAIN)
			views_add_color(out, grid->canvas, color);
		if (column->cell == VIEWS_BAR)
			views_add_bar(out, views_column_value(grid, column, row),
				      column->other ? column->other(grid, row) : 0, width,
				      grid->canvas);
		else if (column->cell == VIEWS_BALANCE)
			views_add_balance(out, views_column_value(grid, column, row), width,
					  grid->canvas);
		else
			perun_buffer_add(out, text.data ? text.data : "", text.length);
		if (color != VIEWS_PLAIN)
			views_add_color(out, grid->canvas, VIEWS_PLAIN);
		views_add_repeated(out, " ", GAP);
	}
	end_line(out);
	perun_buffer_free(&text);
}

/* The note is below the name. */
static void add_note(const struct views_grid *grid, const struct layout *layout,
		     const struct views_row *row, struct perun_buffer *out)
{
	size_t before = 0, width = 0;

	for (size_t c = 0; c < grid->column_count; c++) {
		if (grid->columns[c].cell == VIEWS_NAME)
			width = layout->widths[c];
		else if (layout->shown[c])
			before += layout->widths[c] + GAP;
	}
	views_add_repeated(out, " ", before);
	views_add_color(out, grid->canvas, VIEWS_DIM);
	views_add_clipped(out, row->note, width, grid->canvas->ascii);
	views_add_color(out, grid->canvas, VIEWS_PLAIN);
	perun_buffer_add_char(out, '\n');
}

static void add_terminal(const struct views_grid *grid, struct perun_buffer *out)
{
	struct layout layout = {0};

	measure(grid, &layout);
	lay_out(grid, &layout);
	add_titles(grid, &layout, out);
	for (size_t r = 0; r < grid->row_count; r++) {
		if (grid->rows[r].section) {
			perun_buffer_add_text(out, r > 0 ? "\n" : "");
			views_add_color(out, grid->canvas, VIEWS_BOLD);
			perun_buffer_add_text(out, grid->rows[r].section);
			views_add_color(out, grid->canvas, VIEWS_PLAIN);
			perun_buffer_add_char(out, '\n');
		}
		add_line(grid, &layout, &grid->rows[r], out);
		if (grid->rows[r].note)
			add_note(grid, &layout, &grid->rows[r], out);
	}
}

/* For programs: what is gone changed by -1, by how much what is new did grow nobody can say. */
static long double number_of(const struct views_grid *grid, const struct views_column *column,
			     const struct views_row *row)
{
	long double value = views_column_value(grid, column, row);

	return column->cell == VIEWS_RELATIVE && isinf(value) && value < 0 ? -1 : value;
}

/* ---- CSV and Markdown ------------------------------------------------------------------------ */

static void add_csv_text(struct perun_buffer *out, const char *text)
{
	char *clean = perun_printable(text);

	if (clean[strcspn(clean, ",\"\r\n")]) {
		perun_buffer_add_char(out, '"');
		for (const char *c = clean; *c; c++) {
			if (*c == '"')
				perun_buffer_add_char(out, '"');
			perun_buffer_add_char(out, *c);
		}
		perun_buffer_add_char(out, '"');
	} else {
		perun_buffer_add_text(out, clean);
	}
	perun_free(clean);
}

static void add_csv_cell(const struct views_grid *grid, const struct views_column *column,
			 const struct views_row *row, struct perun_buffer *out)
{
	long double value = number_of(grid, column, row);

	if (views_column_is_text(column))
		add_csv_text(out, views_column_text(column, row));
	else if (!column->value)
		views_grid_add_cell(grid, column, row, out);
	else if (isfinite(value))
		views_add_number(out, value);
}

static void add_csv_line(const struct views_grid *grid, const struct views_row *row,
			 struct perun_buffer *out)
{
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = column_at(grid, c);

		if (!views_column_is_shown(column, PERUN_FORM_CSV))
			continue;
		if (c > 0)
			perun_buffer_add_char(out, ',');
		if (row)
			add_csv_cell(grid, column, row, out);
		else
			perun_buffer_add_text(out, column->key);
	}
	perun_buffer_add_char(out, '\n');
}

void views_grid_add_more(const struct views_grid *grid, struct perun_buffer *out)
{
	for (size_t r = 0; r < grid->row_count; r++)
		add_csv_line(grid, &grid->rows[r], out);
}

static void add_csv(const struct views_grid *grid, struct perun_buffer *out)
{
	add_csv_line(grid, NULL, out);
	views_grid_add_more(grid, out);
}

void views_add_escaped(struct perun_buffer *out, const char *text)
{
	char *clean = perun_printable(text);

	for (const char *c = clean; *c; c++) {
		if (strchr("\\`*_{}[]<>|#~&", *c))
			perun_buffer_add_char(out, '\\');
		perun_buffer_add_char(out, *c);
	}
	perun_free(clean);
}

void views_add_code(struct perun_buffer *out, const char *text)
{
	char *clean = perun_printable(text);

	perun_buffer_add_char(out, '`');
	for (const char *c = clean; *c; c++) {
		if (*c == '|')
			perun_buffer_add_char(out, '\\');
		perun_buffer_add_char(out, *c == '`' ? '\'' : *c);
	}
	perun_buffer_add_char(out, '`');
	perun_free(clean);
}

static void add_markdown_line(const struct views_grid *grid, const struct views_row *row,
			      struct perun_buffer *out)
{
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = column_at(grid, c);

		if (!views_column_is_shown(column, PERUN_FORM_MARKDOWN))
			continue;
		perun_buffer_add_text(out, "| ");
		if (!row)
			perun_buffer_add_text(out, column->title);
		else if (column->cell == VIEWS_NOTE)
			views_add_escaped(out, views_column_text(column, row));
		else if (views_column_is_text(column))
			views_add_code(out, views_column_text(column, row));
		else
			views_grid_add_cell(grid, column, row, out);
		perun_buffer_add_char(out, ' ');
	}
	perun_buffer_add_text(out, "|\n");
}

static void add_markdown(const struct views_grid *grid, struct perun_buffer *out)
{
	add_markdown_line(grid, NULL, out);
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = column_at(grid, c);

		if (views_column_is_shown(column, PERUN_FORM_MARKDOWN))
			perun_buffer_add_text(out, views_column_is_text(column) ? "|:--" : "|--:");
	}
	perun_buffer_add_text(out, "|\n");
	for (size_t r = 0; r < grid->row_count; r++)
		add_markdown_line(grid, &grid->rows[r], out);
}

void views_grid_add(const struct views_grid *grid, struct perun_buffer *out)
{
	if (grid->canvas->form == PERUN_FORM_CSV)
		add_csv(grid, out);
	else if (grid->canvas->form == PERUN_FORM_MARKDOWN)
		add_markdown(grid, out);
	else
		add_terminal(grid, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void views_write_number(struct perun_json_writer *writer, long double number)
{
	struct perun_buffer text = {0};

	views_add_number(&text, number);
	perun_json_write_raw(writer, text.data, text.length);
	perun_buffer_free(&text);
}

void views_grid_write_members(const struct views_grid *grid, const struct views_row *row,
			      struct perun_json_writer *writer)
{
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct views_column *column = column_at(grid, c);

		if (!views_column_is_shown(column, PERUN_FORM_JSON))
			continue;
		perun_json_write_key_text(writer, column->key);
		if (column->cell == VIEWS_NAME)
			perun_json_write_text(writer, row->name);
		else if (views_column_is_text(column))
			perun_json_write_text(writer, views_column_text(column, row));
		else if (column->cell == VIEWS_LINE_NUMBER)
			perun_json_write_int64(writer, row->line);
		else if (column->cell == VIEWS_ADDRESS)
			perun_json_write_uint64(writer, row->address);
		else if (column->cell == VIEWS_DEPTH)
			perun_json_write_uint64(writer, row->depth);
		else
			views_write_number(writer, number_of(grid, column, row));
	}
}

void views_grid_write(const struct views_grid *grid, struct perun_json_writer *writer)
{
	perun_json_write_array_start(writer);
	for (size_t r = 0; r < grid->row_count; r++) {
		perun_json_write_object_start(writer);
		views_grid_write_members(grid, &grid->rows[r], writer);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}
