/* SPDX-License-Identifier: BSD-3-Clause */
/* What the three ways to draw a chart share: ranges, ticks, thinning, colours, escaping. */
#ifndef PERUN_VIEWS_COMMON_CHART_DRAW_H
#define PERUN_VIEWS_COMMON_CHART_DRAW_H

#include "views/common/chart.h"
#include "views/common/markup.h"

struct views_size {
	unsigned width, height; /* 0 = as usual */
};

void views_figure_terminal(const struct views_figure *figure, const struct views_size *size,
			   const struct perun_canvas *canvas, struct perun_buffer *out);
void views_figure_svg(const struct views_figure *figure, const struct views_size *size,
		      struct perun_buffer *out);
void views_figure_html(const struct views_figure *figure, struct perun_buffer *out);
void views_figure_json(const struct views_figure *figure, struct perun_buffer *out);

/* Room on a horizontal axis for this many categories, when there are fewer. */
enum { VIEWS_FEW = 5 };

/* ---- scales ---------------------------------------------------------------------------------- */

/* An axis with its range settled. low < high; both positive when it is logarithmic. */
struct views_scale {
	double low, high;
	unsigned log_base;
	size_t categories; /* 0 = numbers */
	bool whole;
	struct perun_unit unit;
	long double factor; /* linear: values divided by it are what ticks say, in `shown` */
	char shown[32];     /* unit of the ticks; "" = none, or each tick has its own */
};
/* The scales of both axes, from what the chart holds; ranges end at sensible values. */
void views_chart_scales(const struct views_chart *chart, struct views_scale *x,
			struct views_scale *y);
/* Where a value lies, 0 to 1 from low to high (beyond for values outside); NaN where it cannot. */
double views_scale_place(const struct views_scale *scale, double value);
/* The value at a place. */
double views_scale_value(const struct views_scale *scale, double place);
bool views_scale_is_outside(const struct views_scale *scale, double value);

enum { VIEWS_MAX_TICKS = 64 };
struct views_ticks {
	size_t count;
	double values[VIEWS_MAX_TICKS];
	char texts[VIEWS_MAX_TICKS][24];
	bool minor[VIEWS_MAX_TICKS]; /* no text: a line only */
};
/*
 * Ticks at 1, 2 or 5 times powers of ten, about `wanted` of them and not many more; logarithmic: at
 * powers of the base, with 2 and 5 between them when there are few. Of categories each, or each n-th.
 */
void views_scale_ticks(const struct views_scale *scale, size_t wanted, struct views_ticks *ticks);
/* Title of an axis with the unit of its ticks: "time [ms]". Appended. */
void views_axis_add_title(const struct views_axis *axis, const struct views_scale *scale,
			  struct perun_buffer *out);
/* A value as one reads it, in its own unit: "3.2 ms". Appended. */
void views_scale_add_value(const struct views_scale *scale, double value, struct perun_buffer *out);

/* ---- thinning -------------------------------------------------------------------------------- */

/*
 * Of a line in ascending order of x, what `columns` columns of pixels show of it: in each the first, the
 * lowest, the highest and the last point, in their order. Returns how many; `kept` has room for 4 *
 * columns + 4 numbers (or `count`, if less). Lines that are not in order are kept as they are when
 * they fit; else points are left out evenly.
 */
size_t views_thin_line(const struct views_series *series, const struct views_scale *x,
		       size_t columns, size_t *kept);
/* Of points those that differ in a grid of columns times rows cells: the first of each cell. */
size_t views_thin_points(const struct views_series *series, const struct views_scale *x,
			 const struct views_scale *y, size_t columns, size_t rows, size_t *kept);

/* How many points of the series are after one of the `kept` that are drawn. */
double views_thinned(const struct views_series *series, size_t kept);
/* "thinned 1:12"; nothing where hardly any is left out. Appended. */
void views_add_thinned(struct perun_buffer *out, double thinned);

/* ---- colours --------------------------------------------------------------------------------- */

struct views_rgb {
	uint8_t red, green, blue;
};
enum { VIEWS_PALETTE = 8 };
/* Okabe and Ito's colours ("Color Universal Design", 2008), for a light or a dark ground. */
struct views_rgb views_palette(unsigned number, bool dark);
/* A ramp from dark blue to yellow that all can read, after Nunez, Anderton, Renslow's cividis (2018). */
struct views_rgb views_ramp(double share);
/* The number of the nearest colour of a terminal's 6 * 6 * 6. */
unsigned views_terminal_color(struct views_rgb rgb);
/* The colours of a heat map as a scale. */
struct views_scale views_heat_scale(const struct views_heat *heat);
/* From dark blue (0) over green and orange to red (1): shares of a whole. */
struct views_rgb views_share_color(double share);

/* ---- legend ---------------------------------------------------------------------------------- */

/* The series that are in the legend: the first of each name. Returns their count. */
size_t views_legend(const struct views_chart *chart, size_t *numbers, size_t room);

#endif
