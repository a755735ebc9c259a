/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars of categories whose names are too long to be side by side: a row for each, as SVG. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-svg.h"

enum { ROW = 22, THIN_ROW = 15, ROW_GAP = 7, BELOW = 42, VALUE = 76, NAME_GAP = 8 };

static bool is_grouped(const struct views_chart *chart)
{
	for (size_t s = 1; s < chart->series_count; s++) {
		if (chart->series[s].left != chart->series[0].left)
			return true;
	}
	return false;
}

double views_svg_widest_name(const struct views_axis *axis)
{
	double width = 0;

	for (size_t i = 0; i < axis->category_count; i++)
		width = fmax(width, views_text_width(axis->categories[i]));
	return width;
}

bool views_svg_wants_rows(const struct views_chart *chart, double width)
{
	const double slot = (width - 60) / fmax((double)chart->x.category_count, VIEWS_FEW);
	bool bars = chart->series_count > 0 && chart->x.category_count > 0;

	for (size_t s = 0; s < chart->series_count && bars; s++) {
		bars = chart->series[s].mark == VIEWS_BARS;
		for (size_t i = 0; i < chart->series[s].count && bars; i++)
			bars = !(chart->series[s].y[i] < 0);
	}
	return bars && !chart->rule_count && views_svg_widest_name(&chart->x) + 8 > slot;
}

struct rows {
	struct views_plot plot;
	struct views_scale values;
	double row; /* the height of a category */
	bool grouped;
};

static double place_of(const struct rows *rows, double value)
{
	double place = views_scale_place(&rows->values, value);

	place = isnan(place) ? 0 : fmax(0, fmin(1, place));
	return rows->plot.left + place * rows->plot.width;
}

static void add_axis(const struct rows *rows)
{
	const struct views_plot *plot = &rows->plot;
	const double bottom = plot->top + plot->height;
	struct perun_buffer title = {0};
	struct views_ticks ticks;

	views_scale_ticks(&rows->values, (size_t)(plot->width / 80) + 1, &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		double x = place_of(rows, ticks.values[i]);

		perun_buffer_printf(plot->out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>",
				    ticks.minor[i] ? "minor" : "grid", x, plot->top, bottom);
		if (ticks.minor[i])
			continue;
		perun_buffer_printf(plot->out, "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">", x,
				    bottom + 17);
		views_add_markup(plot->out, ticks.texts[i]);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
	views_axis_add_title(&plot->chart->y, &rows->values, &title);
	if (title.length) {
		perun_buffer_printf(plot->out, "<text class=\"mid axis\" x=\"%.1f\" y=\"%.1f\">",
				    plot->left + plot->width / 2, bottom + BELOW - 5);
		views_add_fitted_markup(plot->out, title.data, plot->width);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
	perun_buffer_free(&title);
}

static void add_value(const struct rows *rows, double value, double y)
{
	struct perun_buffer text = {0};

	views_scale_add_value(&rows->values, value, &text);
	perun_buffer_printf(rows->plot.out, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\">",
			    place_of(rows, value) + 5, y);
	views_add_markup(rows->plot.out, text.data);
	perun_buffer_add_text(rows->plot.out, "</text>\n");
	perun_buffer_free(&text);
}

/* The bars of a category that lie one after another, or below each other. */
static void add_bars(const struct rows *rows, size_t category)
{
	const struct views_chart *chart = rows->plot.chart;
	struct perun_buffer *out = rows->plot.out;
	const double top = rows->plot.top + rows->row * (double)category + ROW_GAP / 2.0;
	const double height = rows->grouped ? THIN_ROW : rows->row - ROW_GAP;
	double most = -INFINITY;

	for (size_t s = 0; s < chart->series_count; s++) {
		const struct views_series *series = &chart->series[s];
		double y = top + (rows->grouped ? height * (double)s : 0);

		for (size_t i = 0; i < series->count; i++) {
			double left, right;

			if (series->x[i] != (double)category || !isfinite(series->y[i]))
				continue;
			left = place_of(rows, series->low[i]);
			right = place_of(rows, series->y[i]);
			perun_buffer_printf(out,
					    "<rect class=\"bar f%u\" x=\"%.1f\" y=\"%.1f\" "
					    "width=\"%.1f\" height=\"%.1f\"><title>",
					    series->color % VIEWS_PALETTE, left, y, right - left,
					    height - rows->grouped);
			views_add_markup(out, chart->x.categories[category]);
			perun_buffer_add_text(out, *series->name ? ", " : "");
			views_add_markup(out, series->name);
			perun_buffer_add_text(out, ": ");
			views_scale_add_value(&rows->values, series->y[i] - series->low[i], out);
			perun_buffer_add_text(out, "</title></rect>\n");
			most = fmax(most, series->y[i]);
			if (rows->grouped)
				add_value(rows, series->y[i], y + height / 2 + 4);
		}
	}
	if (!rows->grouped && isfinite(most))
		add_value(rows, most, top + height / 2 + 4);
}

double views_svg_rows(const struct views_chart *chart, double left, double top, double width,
		      struct perun_buffer *out)
{
	const double names = fmin(views_svg_widest_name(&chart->x), width * 0.42);
	struct rows rows = {.plot = {.chart = chart,
				     .out = out,
				     .left = left + names + NAME_GAP,
				     .top = top,
				     .width = width - names - NAME_GAP - VALUE},
			    .grouped = is_grouped(chart)};
	struct views_scale across;

	views_chart_scales(chart, &across, &rows.values);
	rows.row = rows.grouped ? THIN_ROW * (double)chart->series_count + ROW_GAP : ROW;
	rows.plot.height = rows.row * (double)chart->x.category_count;
	add_axis(&rows);
	for (size_t i = 0; i < chart->x.category_count; i++) {
		double y = top + rows.row * ((double)i + 0.5) + 4;

		perun_buffer_printf(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">",
				    rows.plot.left - NAME_GAP, y);
		views_add_fitted_markup(out, chart->x.categories[i], names + 1);
		perun_buffer_add_text(out, "</text>\n");
		add_bars(&rows, i);
	}
	perun_buffer_printf(out, "<path class=\"frame\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n",
			    rows.plot.left, top, top + rows.plot.height,
			    rows.plot.left + rows.plot.width);
	return rows.plot.height + BELOW;
}
