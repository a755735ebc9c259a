/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars of categories and lists in a terminal: a line for each. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/bars.h"
#include "views/common/chart-terminal.h"
#include "views/common/text.h"

enum { LIST_WORD = 10 }; /* columns for a last text that is short */
enum { LAST = VIEWS_LIST_COLUMNS };

/* Bars of one line: those of a category that lie one after another. */
struct segment {
	const struct views_series *series;
	double low, high;
};

static int by_low(const struct segment *a, const struct segment *b)
{
	return a->low < b->low ? -1 : a->low > b->low;
}

static void sort_segments(struct segment *segments, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct segment one = segments[i];
		size_t k = i;

		for (; k > 0 && by_low(&one, &segments[k - 1]) < 0; k--)
			segments[k] = segments[k - 1];
		segments[k] = one;
	}
}

/* Segments of a category; `left`: only the series that lies there, NaN = all (stacked). */
static size_t find_segments(const struct views_chart *chart, size_t category, size_t series,
			    struct segment *segments)
{
	size_t count = 0;

	for (size_t s = 0; s < chart->series_count; s++) {
		const struct views_series *one = &chart->series[s];

		if (series != SIZE_MAX && s != series)
			continue;
		for (size_t i = 0; i < one->count; i++) {
			if (one->x[i] == (double)category && isfinite(one->y[i]))
				segments[count++] = (struct segment){one, one->low[i], one->y[i]};
		}
	}
	sort_segments(segments, count);
	return count;
}

static void add_segments(const struct segment *segments, size_t count, double most, size_t width,
			 const struct perun_canvas *canvas, struct perun_buffer *out)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		double end = most > 0 ? segments[i].high / most * (double)width : 0;
		size_t column = end > 0 ? (size_t)lround(fmin(end, (double)width)) : 0;
		const char *glyph = views_series_glyph(segments[i].series, canvas);

		if (column <= used)
			continue;
		views_terminal_paint(
			out, canvas,
			views_terminal_color(views_palette(segments[i].series->color, true)));
		views_add_repeated(out, glyph, column - used);
		views_terminal_paint(out, canvas, VIEWS_NO_COLOR);
		used = column;
	}
}

static void add_total(const struct views_chart *chart, const struct segment *segments, size_t count,
		      const struct perun_canvas *canvas, struct perun_buffer *out)
{
	struct perun_buffer text = {0};
	struct views_scale x, y;
	double high = 0;

	views_chart_scales(chart, &x, &y);
	for (size_t i = 0; i < count; i++)
		high = fmax(high, segments[i].high);
	if (count && segments[0].high < 0)
		high = segments[0].high;
	perun_buffer_add_char(&text, ' ');
	views_scale_add_value(&y, high, &text);
	views_terminal_plain(out, text.data, canvas->ascii);
	perun_buffer_add_char(out, '\n');
	perun_buffer_free(&text);
}

static bool is_stacked(const struct views_chart *chart)
{
	for (size_t s = 1; s < chart->series_count; s++) {
		if (chart->series[s].left != chart->series[0].left)
			return false;
	}
	return true;
}

void views_terminal_bars(const struct views_chart *chart, size_t width,
			 const struct perun_canvas *canvas, struct perun_buffer *out)
{
	const bool stacked = is_stacked(chart);
	const size_t lines = stacked ? 1 : chart->series_count;
	size_t label = 4, bars, all = 0;
	struct segment *segments;
	double most = 0;

	for (size_t i = 0; i < chart->x.category_count; i++) {
		size_t name = views_width(chart->x.categories[i]);

		label = name > label ? name : label;
	}
	label = label > width * 2 / 5 ? width * 2 / 5 : label;
	bars = width > label + 14 ? width - label - 14 : 4;
	for (size_t s = 0; s < chart->series_count; s++) {
		all += chart->series[s].count;
		for (size_t i = 0; i < chart->series[s].count; i++)
			most = isfinite(chart->series[s].y[i]) ? fmax(most, chart->series[s].y[i])
							       : most;
	}
	segments = perun_alloc_zero(all + 1, sizeof *segments);
	for (size_t i = 0; i < chart->x.category_count; i++) {
		bool first = true;

		for (size_t k = 0; k < lines; k++) {
			size_t used,
				count = find_segments(chart, i, stacked ? SIZE_MAX : k, segments);

			if (!count)
				continue;
			used = first ? views_add_fitted(out, chart->x.categories[i], label,
							canvas->ascii)
				     : 0;
			first = false;
			views_add_repeated(out, " ", label - used + 1);
			perun_buffer_add_text(out, canvas->ascii ? "|" : "│");
			add_segments(segments, count, most, bars, canvas, out);
			add_total(chart, segments, count, canvas, out);
		}
	}
	perun_free(segments);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void add_list_cell(const char *text, size_t width, bool right,
			  const struct perun_canvas *canvas, struct perun_buffer *out)
{
	struct perun_buffer plain = {0}, cell = {0};
	size_t used;

	views_terminal_plain(&plain, text, canvas->ascii);
	used = views_add_clipped(&cell, plain.length ? plain.data : "", width, canvas->ascii);
	perun_buffer_add_text(out, "  ");
	if (right)
		views_add_repeated(out, " ", width - used);
	perun_buffer_add_text(out, cell.data ? cell.data : "");
	if (!right)
		views_add_repeated(out, " ", width - used);
	perun_buffer_free(&plain);
	perun_buffer_free(&cell);
}

static void strip(struct perun_buffer *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	perun_buffer_add_char(out, '\n');
}

/* A line of words, which has the width of all columns. */
static bool has_only_name(const struct views_list_row *row)
{
	for (int k = 0; k < VIEWS_LIST_COLUMNS; k++)
		if (row->columns[k])
			return false;
	return true;
}

/*
 * Where the columns lie: that of names, then the others; 0 = is not there. Whether the last one is too
 * narrow for some texts, which get lines of their own below the others then.
 */
static bool lay_out_list(const struct views_list *list, size_t width,
			 size_t widths[1 + VIEWS_LIST_COLUMNS])
{
	size_t rest = 2, last;

	for (int k = 0; k <= LAST; k++)
		widths[k] = list->titles[k] ? views_width(list->titles[k]) : 0;
	widths[0] += 2;
	for (size_t i = 0; i < list->count; i++) {
		const struct views_list_row *row = &list->rows[i];
		size_t wanted = views_width(row->name) + 2 * row->depth + 2;

		if (!has_only_name(row))
			widths[0] = wanted > widths[0] ? wanted : widths[0];
		for (int k = 1; k <= LAST; k++) {
			wanted = row->columns[k - 1] ? views_width(row->columns[k - 1]) : 0;
			widths[k] = widths[k] && wanted > widths[k] ? wanted : widths[k];
		}
	}
	last = widths[LAST];
	for (int k = 1; k <= LAST; k++) {
		size_t most = width * 2 / 5;

		/* The last one may have what the names leave. */
		if (k == LAST && widths[0] + rest + most < width)
			most = width - widths[0] - rest;
		widths[k] = widths[k] > most ? most : widths[k];
		rest += widths[k] ? widths[k] + 2 : 0;
	}
	rest -= 2;
	/* Where there is no room: the last column goes first. */
	for (int k = LAST; k > 0 && rest + 12 > width; k--) {
		rest -= widths[k] ? widths[k] + 2 : 0;
		widths[k] = 0;
	}
	if (widths[LAST] && widths[0] + rest > width && widths[0] > width / 4) {
		rest -= widths[LAST] + 2;
		widths[LAST] = 0;
	}
	if (widths[0] + rest > width)
		widths[0] = width > rest + 12 ? width - rest : 12;
	if (widths[LAST] == last)
		return false;
	/* Short words have a place beside the others still. */
	if (last && !widths[LAST] && width > rest + 2 + LIST_WORD + width / 4) {
		widths[LAST] = LIST_WORD;
		if (widths[0] > width - rest - 2 - LIST_WORD)
			widths[0] = width - rest - 2 - LIST_WORD;
	}
	return true;
}

/* A name after its square of colour; of the line of titles the first one. */
static void add_list_name(const struct views_list *list, const struct views_list_row *row,
			  size_t width, const struct perun_canvas *canvas, struct perun_buffer *out)
{
	const bool square = row && !isnan(row->share);
	size_t indent = row ? 2 * (size_t)row->depth : 0, used;

	indent = indent > width / 2 ? width / 2 : indent;
	views_add_repeated(out, " ", indent);
	if (square)
		views_terminal_paint(out, canvas,
				     views_terminal_color(views_share_color(row->share)));
	perun_buffer_add_text(out, !square ? "  " : canvas->ascii ? "# " : "■ ");
	if (square)
		views_terminal_paint(out, canvas, VIEWS_NO_COLOR);
	used = indent + 2 +
	       views_add_fitted(out, row ? row->name : list->titles[0], width - indent - 2,
				canvas->ascii);
	views_add_repeated(out, " ", width - used);
}

void views_terminal_list(const struct views_list *list, size_t width,
			 const struct perun_canvas *canvas, struct perun_buffer *out)
{
	size_t widths[1 + VIEWS_LIST_COLUMNS];
	const bool below = lay_out_list(list, width, widths);

	for (size_t i = 0; i <= list->count; i++) {
		const struct views_list_row *row = i ? &list->rows[i - 1] : NULL;
		const char *under = NULL;

		if (!row)
			views_add_color(out, canvas, VIEWS_DIM);
		add_list_name(list, row, row && has_only_name(row) ? width : widths[0], canvas,
			      out);
		for (int k = 1; k <= LAST && !(row && has_only_name(row)); k++) {
			const char *text = row ? row->columns[k - 1] : list->titles[k];

			if (k == LAST && row && text && below && views_width(text) > widths[LAST])
				under = text;
			else if (widths[k])
				add_list_cell(text ? text : "", widths[k], k < LAST, canvas, out);
		}
		strip(out);
		if (!row)
			views_add_color(out, canvas, VIEWS_PLAIN);
		else if (under)
			views_terminal_lines(under, VIEWS_DIM,
					     6 + 2 * (size_t)(row->depth < 8 ? row->depth : 8),
					     width, canvas, out);
	}
}
