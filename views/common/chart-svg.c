/* SPDX-License-Identifier: BSD-3-Clause */
/* A figure as SVG: titles, legend, axes; no script, dark where the reader is. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/chart-svg.h"
#include "views/common/text.h"

enum { SVG_WIDTH = 800, SVG_HEIGHT = 450, SVG_MARGIN = 16, SVG_LEGEND = 12, MANY_NAMES = 8 };

double views_plot_x(const struct views_plot *plot, double value)
{
	return plot->left + views_scale_place(&plot->x, value) * plot->width;
}

double views_plot_y(const struct views_plot *plot, double value)
{
	return plot->top + (1 - views_scale_place(&plot->y, value)) * plot->height;
}

double views_text_width(const char *text)
{
	return 6.7 * (double)views_width(text);
}

void views_add_fitted_markup(struct perun_buffer *out, const char *text, double width)
{
	struct perun_buffer fitted = {0};

	if (views_text_width(text) <= width) {
		views_add_markup(out, text);
		return;
	}
	views_add_fitted(&fitted, text, width < 14 ? 2 : (size_t)(width / 6.7 + 0.1), false);
	views_add_markup(out, fitted.data ? fitted.data : "");
	perun_buffer_free(&fitted);
}

/* ---- axes ------------------------------------------------------------------------------------ */

struct axes {
	struct views_ticks x, y;
	double left, bottom;
	double slot; /* room of a name below the plot */
};

static const char *tick_text(const struct views_axis *axis, const struct views_ticks *ticks,
			     size_t i)
{
	return axis->category_count ? axis->categories[(size_t)ticks->values[i]] : ticks->texts[i];
}

static double widest(const struct views_axis *axis, const struct views_ticks *ticks)
{
	double width = 0;

	for (size_t i = 0; i < ticks->count; i++)
		width = fmax(width, views_text_width(tick_text(axis, ticks, i)));
	return width;
}

static bool has_bars(const struct views_chart *chart)
{
	for (size_t s = 0; s < chart->series_count; s++) {
		if (chart->series[s].mark == VIEWS_BARS)
			return true;
	}
	return false;
}

/* Room for the numbers and the titles; the size of the plot follows. */
static void lay_out_axes(struct views_plot *plot, double width, double height, struct axes *axes)
{
	const struct views_chart *chart = plot->chart;
	struct perun_buffer title = {0};
	double text;

	views_scale_ticks(&plot->y, chart->y.category_count ? 40 : (size_t)(height / 55) + 1,
			  &axes->y);
	text = fmin(widest(&chart->y, &axes->y), width / 4);
	views_axis_add_title(&chart->y, &plot->y, &title);
	axes->left = text + 12 + (title.length ? 20 : 0);
	perun_buffer_clear(&title);
	plot->width = width - axes->left - (chart->heat ? 96 : 12);
	/* Bars have their names; of others, such as dates, there are as many as fit. */
	text = has_bars(chart) ? 18 : views_svg_widest_name(&chart->x) + 16;
	views_scale_ticks(&plot->x,
			  chart->x.category_count ? (size_t)(plot->width / text)
						  : (size_t)(plot->width / 80) + 1,
			  &axes->x);
	/* Names of bars that do not nearly fit become rows: see chart-svg-rows.c. */
	axes->slot = plot->width / fmax((double)axes->x.count, VIEWS_FEW);
	views_axis_add_title(&chart->x, &plot->x, &title);
	axes->bottom = 22 + (title.length ? 20 : 0);
	plot->height = height - axes->bottom;
	perun_buffer_free(&title);
}

static void add_x_axis(const struct views_plot *plot, const struct axes *axes)
{
	const double bottom = plot->top + plot->height;
	struct perun_buffer title = {0};

	for (size_t i = 0; i < axes->x.count; i++) {
		double x = views_plot_x(plot, axes->x.values[i]);
		const char *text = tick_text(&plot->chart->x, &axes->x, i);

		if (!plot->x.categories)
			perun_buffer_printf(plot->out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>",
					    axes->x.minor[i] ? "minor" : "grid", x, plot->top,
					    bottom);
		if (!*text)
			continue;
		perun_buffer_printf(plot->out, "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">", x,
				    bottom + 17);
		views_add_fitted_markup(plot->out, text,
					plot->chart->x.category_count ? fmax(axes->slot - 8, 20)
								      : 160);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
	views_axis_add_title(&plot->chart->x, &plot->x, &title);
	if (title.length) {
		perun_buffer_printf(plot->out, "<text class=\"mid axis\" x=\"%.1f\" y=\"%.1f\">",
				    plot->left + plot->width / 2, bottom + axes->bottom - 4);
		views_add_fitted_markup(plot->out, title.data, plot->width);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
	perun_buffer_free(&title);
}

static void add_y_axis(const struct views_plot *plot, const struct axes *axes)
{
	struct perun_buffer title = {0};

	for (size_t i = 0; i < axes->y.count; i++) {
		double y = views_plot_y(plot, axes->y.values[i]);
		const char *text = tick_text(&plot->chart->y, &axes->y, i);

		if (!plot->y.categories)
			perun_buffer_printf(plot->out, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>",
					    axes->y.minor[i] ? "minor" : "grid", plot->left, y,
					    plot->left + plot->width);
		if (!*text)
			continue;
		perun_buffer_printf(plot->out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">",
				    plot->left - 7, y + 4);
		views_add_fitted_markup(plot->out, text, axes->left - 10);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
	views_axis_add_title(&plot->chart->y, &plot->y, &title);
	if (title.length) {
		perun_buffer_printf(
			plot->out,
			"<text class=\"mid axis\" transform=\"translate(%.1f %.1f) rotate(-90)\">",
			plot->left - axes->left + 10, plot->top + plot->height / 2);
		views_add_fitted_markup(plot->out, title.data, plot->height);
		perun_buffer_add_text(plot->out, "</text>\n");
	}
	perun_buffer_free(&title);
}

/* ---- charts ---------------------------------------------------------------------------------- */

/* Words of the legend side by side, in as many lines as it takes. Returns their height. */
static double add_legend(const struct views_chart *chart, double left, double top, double width,
			 struct perun_buffer *out)
{
	size_t numbers[64], count = views_legend(chart, numbers, 64);
	double x = left, y = top + SVG_LEGEND;

	if (count < 2)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const char *name = chart->series[numbers[i]].name;
		double room =
			fmin(views_text_width(name) + 46, count > MANY_NAMES ? width / 2 : width);

		if (x > left && x + room > left + width) {
			x = left;
			y += 20;
		}
		views_svg_swatch(chart, name, x, y - 4, out);
		perun_buffer_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 24, y);
		views_add_fitted_markup(out, name, room - 30);
		perun_buffer_add_text(out, "</text>\n");
		x += room;
	}
	return y - top + 12;
}

static double add_line(const char *text, const char *style, double y, double width,
		       struct perun_buffer *out)
{
	if (!*text)
		return y;
	perun_buffer_printf(out, "<text class=\"%s\" x=\"%d\" y=\"%.1f\">", style, SVG_MARGIN,
			    y + 16);
	views_add_fitted_markup(out, text, width * (style[1] == '1' ? 0.72 : 0.86));
	perun_buffer_add_text(out, "</text>\n");
	return y + 24;
}

double views_svg_lines(const char *text, const char *style, double x, double y, double width,
		       struct perun_buffer *out)
{
	const double letter = views_text_width("n");
	const size_t letters = width > 14 * letter ? (size_t)(width / letter) : 14;
	char *line;

	for (const char *next; text && *text; text = next) {
		line = perun_format("%.*s", (int)views_line_of(text, letters, &next), text);
		perun_buffer_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style, x,
				    y + 16);
		views_add_markup(out, line);
		perun_buffer_add_text(out, "</text>\n");
		perun_free(line);
		y += SVG_LINE;
	}
	return y;
}

static double add_chart(const struct views_chart *chart, size_t number, double top,
			const struct views_size *size, struct perun_buffer *out)
{
	const double width = size->width - 2 * SVG_MARGIN;
	struct views_plot plot = {.chart = chart, .out = out};
	struct perun_buffer text = {0};
	struct axes axes;
	double thinned;

	views_chart_scales(chart, &plot.x, &plot.y);
	top = add_line(chart->title, "h2", top, width, out);
	top = views_svg_lines(chart->note, "note", SVG_MARGIN, top, width, out);
	top += add_legend(chart, SVG_MARGIN, top, width, out) + 8;
	if (views_svg_wants_rows(chart, width))
		return top + views_svg_rows(chart, SVG_MARGIN, top, width, out);
	lay_out_axes(&plot, width, size->height, &axes);
	if (chart->projected) {
		axes.left = 0;
		plot.width = width;
		plot.height = size->height;
	}
	plot.left = SVG_MARGIN + axes.left;
	plot.top = top;
	if (!chart->projected) {
		add_x_axis(&plot, &axes);
		add_y_axis(&plot, &axes);
	}
	perun_buffer_printf(out,
			    "<clipPath id=\"plot%zu\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			    "height=\"%.1f\"/></clipPath><g clip-path=\"url(#plot%zu)\">\n",
			    number, plot.left, plot.top, plot.width, plot.height, number);
	thinned = views_svg_marks(&plot);
	perun_buffer_add_text(out, "</g>");
	if (!chart->projected)
		perun_buffer_printf(out, "<path class=\"frame\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n",
				    plot.left, plot.top, plot.top + plot.height,
				    plot.left + plot.width);
	if (chart->heat)
		views_svg_color_bar(&plot, plot.left + plot.width + 14);
	views_add_thinned(&text, thinned);
	if (text.length)
		perun_buffer_printf(out,
				    "<text class=\"note\" text-anchor=\"end\" x=\"%.1f\" "
				    "y=\"%.1f\">%s</text>\n",
				    plot.left + plot.width, top + size->height + 12, text.data);
	perun_buffer_free(&text);
	return top + size->height + 24;
}

void views_figure_svg(const struct views_figure *figure, const struct views_size *given,
		      struct perun_buffer *out)
{
	const struct views_size size = {given->width ? given->width : SVG_WIDTH,
					given->height ? given->height : SVG_HEIGHT};
	struct perun_buffer body = {0};
	double y = 10;

	y = add_line(figure->title, "h1", y, size.width - 2 * SVG_MARGIN, &body);
	y = views_svg_lines(figure->subtitle, "note", SVG_MARGIN, y, size.width - 2 * SVG_MARGIN,
			    &body);
	for (size_t i = 0; i < figure->chart_count; i++)
		y = add_chart(figure->charts[i], figure->number + i, y + 4, &size, &body);
	if (figure->list)
		y += views_svg_list(figure->list, y, size.width, &body);
	perun_buffer_printf(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\" "
		"viewBox=\"0 0 %u %.0f\" role=\"img\">\n<title>",
		size.width, y, size.width, y);
	views_add_markup(out, *figure->title || !figure->chart_count ? figure->title
								     : figure->charts[0]->title);
	perun_buffer_add_text(out, "</title>\n");
	views_svg_style(out);
	perun_buffer_printf(out, "<rect class=\"paper\" width=\"%u\" height=\"%.0f\"/>\n",
			    size.width, y);
	perun_buffer_add(out, body.data ? body.data : "", body.length);
	perun_buffer_add_text(out, "</svg>\n");
	perun_buffer_free(&body);
}
