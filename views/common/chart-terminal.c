/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure in a terminal: titles, legend, axes around the characters of the plot. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/bars.h"
#include "views/common/chart-terminal.h"
#include "views/common/text.h"

enum { TERMINAL_WIDTH = 80, TERMINAL_HEIGHT = 20, TERMINAL_LABEL = 24 };

void views_terminal_paint(struct perun_buffer *out, const struct perun_canvas *canvas,
			  unsigned color)
{
	if (!canvas->color)
		return;
	if (color == VIEWS_NO_COLOR)
		perun_buffer_add_text(out, "\033[0m");
	else
		perun_buffer_printf(out, "\033[38;5;%um", color);
}

static void add_colored(const char *text, size_t length, enum views_color color,
			const struct perun_canvas *canvas, struct perun_buffer *out)
{
	views_add_color(out, canvas, color);
	perun_buffer_add(out, text, length);
	views_add_color(out, canvas, VIEWS_PLAIN);
	perun_buffer_add_char(out, '\n');
}

static void add_line(const char *text, enum views_color color, size_t width,
		     const struct perun_canvas *canvas, struct perun_buffer *out)
{
	struct perun_buffer plain = {0}, line = {0};

	if (!*text)
		return;
	views_terminal_plain(&plain, text, canvas->ascii);
	views_add_clipped(&line, plain.data, width, canvas->ascii);
	add_colored(line.data, line.length, color, canvas, out);
	perun_buffer_free(&plain);
	perun_buffer_free(&line);
}

void views_terminal_lines(const char *text, enum views_color color, size_t indent, size_t width,
			  const struct perun_canvas *canvas, struct perun_buffer *out)
{
	struct perun_buffer plain = {0}, clean = {0};
	const char *next;

	views_terminal_plain(&plain, text, canvas->ascii);
	if (plain.length)
		views_add_clipped(&clean, plain.data, SIZE_MAX, canvas->ascii);
	for (const char *line = clean.length ? clean.data : NULL; line; line = next) {
		size_t length = views_line_of(line, width > indent ? width - indent : 1, &next);

		views_add_repeated(out, " ", indent);
		add_colored(line, length, color, canvas, out);
	}
	perun_buffer_free(&plain);
	perun_buffer_free(&clean);
}

/* ---- legend ---------------------------------------------------------------------------------- */

/* Of the series of one name the one with points: its glyph distinguishes it from others without colour. */
static const struct views_series *shown_in_legend(const struct views_chart *chart, size_t number)
{
	for (size_t i = 0; i < chart->series_count; i++) {
		if (chart->series[i].mark == VIEWS_POINTS && chart->series[i].count &&
		    strcmp(chart->series[i].name, chart->series[number].name) == 0)
			return &chart->series[i];
	}
	return &chart->series[number];
}

static void add_legend(const struct views_chart *chart, size_t width,
		       const struct perun_canvas *canvas, struct perun_buffer *out)
{
	size_t numbers[64], count = views_legend(chart, numbers, 64), used = 0;

	if (count < 2)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct views_series *series = shown_in_legend(chart, numbers[i]);
		size_t wanted = views_width(series->name) + 2;

		if (used && used + 3 + wanted > width) {
			perun_buffer_add_char(out, '\n');
			used = 0;
		}
		perun_buffer_add_text(out, used ? "   " : "");
		used += used ? 3 : 0;
		views_terminal_paint(out, canvas,
				     views_terminal_color(views_palette(series->color, true)));
		perun_buffer_add_text(out, views_series_glyph(series, canvas));
		views_terminal_paint(out, canvas, VIEWS_NO_COLOR);
		perun_buffer_add_char(out, ' ');
		used += 2 + views_add_fitted(out, series->name, width > 4 ? width - 2 : 2,
					     canvas->ascii);
	}
	perun_buffer_add_char(out, '\n');
}

/* ---- axes ------------------------------------------------------------------------------------ */

static const char *tick_text(const struct views_axis *axis, const struct views_ticks *ticks,
			     size_t i)
{
	return axis->category_count ? axis->categories[(size_t)ticks->values[i]] : ticks->texts[i];
}

/* The number of a cell from the place of a value; SIZE_MAX outside. */
static size_t cell_at(double place, size_t cells)
{
	if (!(place >= -1e-9 && place <= 1 + 1e-9))
		return SIZE_MAX;
	return place >= 1 ? cells - 1 : place <= 0 ? 0 : (size_t)(place * (double)cells);
}

/* The tick of a row of the plot, counted from the top, or none. */
static const char *row_text(const struct views_raster *raster, const struct views_ticks *ticks,
			    size_t row)
{
	for (size_t i = 0; i < ticks->count; i++) {
		size_t cell =
			cell_at(views_scale_place(&raster->y, ticks->values[i]), raster->height);

		if (cell != SIZE_MAX && raster->height - 1 - cell == row && !ticks->minor[i])
			return tick_text(&raster->chart->y, ticks, i);
	}
	return "";
}

/* Characters of our own texts, and what represents them where only ASCII can be shown. */
void views_terminal_plain(struct perun_buffer *out, const char *text, bool ascii)
{
	static const char *const others[][2] = {
		{"\u2212", "-"}, {"\u00b5", "u"}, {"\u00b7", "-"}, {"\u00b2", "2"}};

	for (const char *c = text; *c; c++) {
		size_t length = 1;

		for (size_t i = 0; ascii && i < sizeof others / sizeof *others; i++) {
			if (strncmp(c, others[i][0], strlen(others[i][0])) == 0) {
				perun_buffer_add_text(out, others[i][1]);
				length = strlen(others[i][0]);
			}
		}
		if (length == 1)
			perun_buffer_add_char(out, *c);
		c += length - 1;
	}
}

static size_t add_number(struct perun_buffer *out, const char *text, size_t width, bool ascii)
{
	struct perun_buffer plain = {0};
	size_t used;

	views_terminal_plain(&plain, text, ascii);
	used = views_add_fitted(out, plain.length ? plain.data : "", width, ascii);
	perun_buffer_free(&plain);
	return used;
}

static void add_row(const struct views_raster *raster, const struct views_ticks *ticks, size_t row,
		    size_t left, struct perun_buffer *out)
{
	const struct perun_canvas *canvas = raster->canvas;
	const char *text = row_text(raster, ticks, row);
	struct perun_buffer label = {0};
	size_t used = add_number(&label, text, left, canvas->ascii), end = raster->width;
	uint16_t color = VIEWS_NO_COLOR, ground = VIEWS_NO_COLOR;

	views_add_repeated(out, " ", left - used);
	perun_buffer_add_text(out, label.data ? label.data : "");
	if (raster->chart->projected)
		perun_buffer_add_text(out, "  ");
	else
		perun_buffer_add_text(out, canvas->ascii ? (*text ? " +" : " |")
					   : *text       ? " ┤"
							 : " │");
	for (; end > 0; end--) {
		const struct views_cell *cell = &raster->cells[row * raster->width + end - 1];

		if (cell->glyph || cell->dots || cell->letters)
			break;
	}
	for (size_t i = 0; i < end; i++) {
		const struct views_cell *cell = &raster->cells[row * raster->width + i];
		const bool empty = !cell->glyph && !cell->dots && !cell->letters;

		if (canvas->color && !empty && (cell->color != color || cell->ground != ground)) {
			perun_buffer_add_text(out, "\033[0m");
			if (cell->color != VIEWS_NO_COLOR)
				perun_buffer_printf(out, "\033[38;5;%um", cell->color);
			if (cell->ground != VIEWS_NO_COLOR)
				perun_buffer_printf(out, "\033[48;5;%um", cell->ground);
			color = cell->color;
			ground = cell->ground;
		}
		if (cell->glyph)
			perun_buffer_add_text(out, cell->glyph);
		else if (cell->letters)
			perun_buffer_add(out, cell->letter, cell->letters);
		else if (empty)
			perun_buffer_add_char(out, ' ');
		else if (canvas->ascii)
			perun_buffer_add_char(out, cell->dots & 0xe4 ? '.' : '\'');
		else
			perun_buffer_printf(out, "\xe2%c%c", 0xa0 + (cell->dots >> 6),
					    0x80 + (cell->dots & 0x3f));
	}
	if (color != VIEWS_NO_COLOR || ground != VIEWS_NO_COLOR)
		perun_buffer_add_text(out, "\033[0m");
	perun_buffer_add_char(out, '\n');
	perun_buffer_free(&label);
}

/* The line below the plot with its ticks, and their texts where there is room. */
static void add_x_axis(const struct views_raster *raster, size_t left, struct perun_buffer *out)
{
	const bool ascii = raster->canvas->ascii;
	struct perun_buffer texts = {0};
	struct views_ticks ticks;
	bool *marked = perun_alloc_zero(raster->width, sizeof *marked);
	size_t used = 0;

	views_scale_ticks(&raster->x, raster->width / 12 + 1, &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		size_t cell =
			cell_at(views_scale_place(&raster->x, ticks.values[i]), raster->width);
		const char *text = tick_text(&raster->chart->x, &ticks, i);
		size_t width = views_width(text), first;

		if (cell == SIZE_MAX || ticks.minor[i])
			continue;
		marked[cell] = true;
		cell += left + 2;
		if (width > TERMINAL_LABEL)
			width = TERMINAL_LABEL;
		first = cell > width / 2 ? cell - width / 2 : 0;
		if (first + width > left + 2 + raster->width)
			first = left + 2 + raster->width - width;
		if (used && first < used + 2)
			continue;
		views_add_repeated(&texts, " ", first - used);
		used = first + add_number(&texts, text, width, ascii);
	}
	views_add_repeated(out, " ", left);
	perun_buffer_add_text(out, ascii ? " +" : " └");
	for (size_t i = 0; i < raster->width; i++)
		perun_buffer_add_text(out, ascii ? (marked[i] ? "+" : "-") : marked[i] ? "┬" : "─");
	perun_buffer_printf(out, "\n%s\n", texts.data ? texts.data : "");
	perun_buffer_free(&texts);
	perun_free(marked);
}

static void add_axis_title(const struct views_raster *raster, bool vertical, size_t left,
			   struct perun_buffer *out)
{
	const struct views_axis *axis = vertical ? &raster->chart->y : &raster->chart->x;
	const struct perun_canvas *canvas = raster->canvas;
	struct perun_buffer title = {0};
	size_t width, room = raster->width + left + 2;

	views_axis_add_title(axis, vertical ? &raster->y : &raster->x, &title);
	if (!title.length) {
		perun_buffer_free(&title);
		return;
	}
	width = views_width(title.data);
	if (!vertical && width < raster->width)
		views_add_repeated(out, " ", left + 2 + (raster->width - width) / 2);
	views_add_color(out, canvas, VIEWS_DIM);
	add_number(out, title.data, room, canvas->ascii);
	views_add_color(out, canvas, VIEWS_PLAIN);
	perun_buffer_add_char(out, '\n');
	perun_buffer_free(&title);
}

static void add_heat_scale(const struct views_heat *heat, const struct perun_canvas *canvas,
			   struct perun_buffer *out)
{
	static const char *const unicode[] = {"·", "░", "▒", "▓", "█"};
	static const char *const plain[] = {".", ":", "-", "+", "#"};
	const char *const *shades = canvas->ascii ? plain : unicode, *full = shades[4];
	struct views_scale scale = views_heat_scale(heat);
	struct perun_buffer text = {0};

	perun_buffer_printf(&text, "%s: ", *heat->title ? heat->title : "colour");
	views_scale_add_value(&scale, scale.low, &text);
	perun_buffer_add_char(&text, ' ');
	views_terminal_plain(out, text.data, canvas->ascii);
	perun_buffer_clear(&text);
	for (int i = 0; i < 20; i++) {
		views_terminal_paint(out, canvas, views_terminal_color(views_ramp(i / 19.0)));
		perun_buffer_add_text(out, canvas->color ? full : shades[i / 4]);
	}
	views_terminal_paint(out, canvas, VIEWS_NO_COLOR);
	perun_buffer_add_char(&text, ' ');
	views_scale_add_value(&scale, scale.high, &text);
	views_terminal_plain(out, text.data, canvas->ascii);
	perun_buffer_add_char(out, '\n');
	perun_buffer_free(&text);
}

/* ---- charts ---------------------------------------------------------------------------------- */

static void add_plot(const struct views_chart *chart, size_t width, size_t height,
		     const struct perun_canvas *canvas, struct perun_buffer *out)
{
	struct views_raster raster = {.chart = chart, .canvas = canvas, .height = height};
	struct views_ticks ticks;
	size_t left = 0;

	views_chart_scales(chart, &raster.x, &raster.y);
	if (chart->projected)
		ticks.count = 0;
	else
		views_scale_ticks(&raster.y, chart->y.category_count ? height : height / 4 + 1,
				  &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		size_t text = views_width(tick_text(&chart->y, &ticks, i));

		left = text > left ? text : left;
	}
	left = left > TERMINAL_LABEL ? TERMINAL_LABEL : left;
	raster.width = width > left + 12 ? width - left - 2 : 10;
	raster.cells = perun_alloc_zero(raster.width * raster.height, sizeof *raster.cells);
	for (size_t i = 0; i < raster.width * raster.height; i++)
		raster.cells[i].color = raster.cells[i].ground = VIEWS_NO_COLOR;
	views_raster_marks(&raster);
	if (!chart->projected)
		add_axis_title(&raster, true, left, out);
	for (size_t row = 0; row < raster.height; row++)
		add_row(&raster, &ticks, row, left, out);
	if (!chart->projected) {
		add_x_axis(&raster, left, out);
		add_axis_title(&raster, false, left, out);
	}
	if (chart->heat)
		add_heat_scale(chart->heat, canvas, out);
	perun_free(raster.cells);
}

static bool is_of_categories(const struct views_chart *chart)
{
	if (!chart->x.category_count || !chart->series_count)
		return false;
	for (size_t i = 0; i < chart->series_count; i++) {
		if (chart->series[i].mark != VIEWS_BARS)
			return false;
	}
	return true;
}

void views_figure_terminal(const struct views_figure *figure, const struct views_size *size,
			   const struct perun_canvas *canvas, struct perun_buffer *out)
{
	const size_t width = size->width     ? size->width
			     : canvas->width ? canvas->width
					     : TERMINAL_WIDTH;
	const size_t height = size->height ? size->height : TERMINAL_HEIGHT;

	add_line(figure->title, VIEWS_BOLD, width, canvas, out);
	views_terminal_lines(figure->subtitle, VIEWS_DIM, 0, width, canvas, out);
	for (size_t i = 0; i < figure->chart_count; i++) {
		const struct views_chart *chart = figure->charts[i];

		perun_buffer_add_char(out, '\n');
		add_line(chart->title, VIEWS_BOLD, width, canvas, out);
		views_terminal_lines(chart->note, VIEWS_DIM, 0, width, canvas, out);
		add_legend(chart, width, canvas, out);
		if (is_of_categories(chart))
			views_terminal_bars(chart, width, canvas, out);
		else
			add_plot(chart, width, height, canvas, out);
		for (size_t k = 0; k < chart->rule_count; k++) {
			struct perun_buffer line = {0};

			perun_buffer_printf(&line, "%s %s",
					    canvas->ascii                ? "|"
					    : chart->rules[k].horizontal ? "┈"
									 : "┊",
					    chart->rules[k].text);
			add_line(line.data, VIEWS_DIM, width, canvas, out);
			perun_buffer_free(&line);
		}
	}
	if (figure->list) {
		perun_buffer_add_char(out, '\n');
		views_terminal_list(figure->list, width, canvas, out);
	}
}
