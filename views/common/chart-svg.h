/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a chart as SVG. */
#ifndef PERUN_VIEWS_COMMON_CHART_SVG_H
#define PERUN_VIEWS_COMMON_CHART_SVG_H

#include "views/common/chart-draw.h"

/* Where a chart's values are drawn. */
struct views_plot {
	const struct views_chart *chart;
	struct views_scale x, y;
	double left, top, width, height;
	struct perun_buffer *out;
};

double views_plot_x(const struct views_plot *plot, double value);
double views_plot_y(const struct views_plot *plot, double value);
/* Columns of a text times the width of an average letter of 12 pixels. */
double views_text_width(const char *text);
/* Markup of a text not wider than `width` pixels. Appended. */
void views_add_fitted_markup(struct perun_buffer *out, const char *text, double width);

/* A text in as many lines as it takes, below `y`. Returns where they end. */
double views_svg_lines(const char *text, const char *style, double x, double y, double width,
		       struct perun_buffer *out);
enum { SVG_LINE = 20 };

/*
 * The values: heat, bands, bars, lines, points, in this order; then rules. Clipped to the plot. Returns how
 * many points are after one that is drawn, in the series where these are most.
 */
double views_svg_marks(const struct views_plot *plot);
/* A swatch of a legend, 18 pixels wide, in the middle of `y`. */
void views_svg_swatch(const struct views_chart *chart, const char *name, double x, double y,
		      struct perun_buffer *out);
/* Rules of style for everything, and the element with them. */
void views_svg_rules(struct perun_buffer *out);
void views_svg_style(struct perun_buffer *out);
/* The scale of colours beside a heat map. */
void views_svg_color_bar(const struct views_plot *plot, double x);
/* The width of the widest name of a category. */
double views_svg_widest_name(const struct views_axis *axis);
/* Whether the names of bars would not fit side by side; then these are rows. */
bool views_svg_wants_rows(const struct views_chart *chart, double width);
/* A row for each category, with its name, bars and value, and an axis below. Returns the height. */
double views_svg_rows(const struct views_chart *chart, double left, double top, double width,
		      struct perun_buffer *out);
/* The rows of a list. Returns its height. */
double views_svg_list(const struct views_list *list, double top, double width,
		      struct perun_buffer *out);

#endif
