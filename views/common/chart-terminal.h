/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a chart in a terminal. */
#ifndef PERUN_VIEWS_COMMON_CHART_TERMINAL_H
#define PERUN_VIEWS_COMMON_CHART_TERMINAL_H

#include "views/common/bars.h"
#include "views/common/chart-draw.h"

enum { VIEWS_NO_COLOR = 0xffff };

/* One character of the plot: a glyph, or dots of a braille pattern. */
struct views_cell {
	const char *glyph; /* NULL = the letter, or the dots */
	char letter[8];    /* of a word, in UTF-8 */
	size_t letters;    /* its bytes; 0 = none */
	uint8_t dots;
	bool marked;            /* with the glyph of a line */
	uint16_t color, ground; /* of the 256 colours, or VIEWS_NO_COLOR */
};

struct views_raster {
	const struct views_chart *chart;
	const struct perun_canvas *canvas;
	struct views_scale x, y;
	size_t width, height; /* cells */
	struct views_cell *cells;
};

/* Draw the values of the chart into the cells. */
void views_raster_marks(struct views_raster *raster);
/* The glyph that represents a series, in plots and legends. */
const char *views_series_glyph(const struct views_series *series,
			       const struct perun_canvas *canvas);
/* Bars of categories: a line for each, the bars to the right. */
void views_terminal_bars(const struct views_chart *chart, size_t width,
			 const struct perun_canvas *canvas, struct perun_buffer *out);
/* Append a text of ours; where only ASCII can be shown, with '-' for a minus, 'u' for a micro sign ... */
void views_terminal_plain(struct perun_buffer *out, const char *text, bool ascii);
/* Append a text in as many lines as it takes, broken at blanks, each after `indent` blanks. */
void views_terminal_lines(const char *text, enum views_color color, size_t indent, size_t width,
			  const struct perun_canvas *canvas, struct perun_buffer *out);
void views_terminal_list(const struct views_list *list, size_t width,
			 const struct perun_canvas *canvas, struct perun_buffer *out);
/* Begin a colour of the palette; end it with VIEWS_NO_COLOR. */
void views_terminal_paint(struct perun_buffer *out, const struct perun_canvas *canvas,
			  unsigned color);

#endif
