/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts described once: series, axes, legend, marks; drawn in a terminal, as SVG and as a page. */
#ifndef PERUN_VIEWS_COMMON_CHART_H
#define PERUN_VIEWS_COMMON_CHART_H

#include <perun/option.h>
#include <perun/view.h>

#include "views/common/quantity.h"

/*
 * A figure is a title and one chart or several. Views fill the structs with the functions below, which
 * copy what they are given, and hand the figure to views_figure_write(). Values are in the units of the
 * axes; NaN is a gap. On a logarithmic axis values that are not positive are gaps, too.
 */

struct views_axis {
	char *title; /* "" = none */
	char *unit;  /* as profiles write it: "ns", "B", ""; amounts get a fitting multiple of it */
	unsigned log_base; /* 0 = linear; 2 or 10: what ticks are powers of */
	bool whole;        /* linear: values are whole numbers, and so are ticks */
	bool from_zero;    /* linear: zero belongs to it */
	double low, high;  /* NaN = as the values are */
	double margin;     /* share of the range that is left free beside them; NaN = as usual */
	char **categories; /* names of the values 0, 1, 2 ... instead of numbers */
	size_t category_count;
};

enum views_mark {
	VIEWS_POINTS,
	VIEWS_LINE, /* through the points, in their order */
	VIEWS_BAND, /* from `low` to `y` */
	VIEWS_BARS, /* from `low` to `y`, [x + left, x + right] wide */
	VIEWS_FACES /* convex quadrangles, four points each; later series are in front of earlier ones */
};

struct views_series {
	char *name; /* series of the same name are one in the legend; "" = not there */
	enum views_mark mark;
	unsigned color; /* number in the palette, views_palette() */
	bool dashed;    /* LINE */
	bool frame;     /* LINE: thin and grey, as that of an axis; below FACES */
	bool solid;     /* BAND: opaque, as a part of a whole */
	double left, right;
	size_t count, capacity;
	double *x, *y, *low; /* `low` is NULL where the mark has none */
	size_t among;        /* points that these represent, when the view thinned them itself */
	char **hints;        /* POINTS in SVG: what each says under the pointer; NULL = nothing */
};

enum views_tone {
	VIEWS_NEUTRAL, /* dashed */
	VIEWS_CHANGE,  /* drawn through, as the next ones, which are red and green */
	VIEWS_WORSE,
	VIEWS_BETTER
};

/* A line across the chart at a value, with a word to it, which is left out where the word before leaves no room. */
struct views_rule {
	bool horizontal;
	double at;
	char *text;
	enum views_tone tone;
	char *hint; /* in SVG: what it says under the pointer; NULL = nothing */
};

/* A text at a place, its middle or its end there; only in charts without axes. */
struct views_word {
	double x, y;
	bool end;
	char *text;
};

/* Colours for a grid of values: cell (column, row) is values[row * columns + column]. */
struct views_heat {
	size_t columns, rows;
	double *x, *y; /* edges, one more than columns and rows, in ascending order */
	double *values;
	bool logarithmic; /* colours by the logarithm */
	bool contours;    /* SVG and page: with lines of equal value */
	char *title, *unit;
};

struct views_chart {
	char *title; /* "" = none */
	char *note;  /* a line below the title; "" = none */
	struct views_axis x, y;
	struct views_series *series;
	size_t series_count, series_capacity;
	struct views_rule *rules;
	size_t rule_count, rule_capacity;
	struct views_heat *heat; /* NULL = none */
	bool projected; /* a picture of space: no axes of its own, but lines and words that are */
	struct views_word *words;
	size_t word_count, word_capacity;
};

struct views_figure {
	char *title, *subtitle; /* "" = none */
	const char
		*file; /* where a page is written that is opened in a browser; NULL = chart.html */
	struct views_chart **charts;
	size_t chart_count, chart_capacity;
	size_t number; /* SVG: of the first chart, where several figures are parts of one page */
	/* Of the page: what comes before the charts and after them, a JSON text for its script, and the script. Borrowed. */
	const struct perun_buffer *page_intro, *page_body, *page_data;
	const unsigned char *page_script;
	size_t page_script_size;
	/* Terminal and SVG: rows below the charts, such as a coloured tree. Borrowed; NULL = none. */
	const struct views_list *list;
};

/* Lines of text in columns, the first with a square of colour and an indent, the last of words, the others of numbers. */
enum { VIEWS_LIST_WORDS = 3, VIEWS_LIST_COLUMNS };
struct views_list_row {
	char *name; /* as it is in the profile */
	char *columns[VIEWS_LIST_COLUMNS];
	unsigned depth;
	double share; /* what the colour and the bar say; NaN = none */
};
struct views_list {
	/* Of the name and the columns; NULL = no such column. */
	const char *titles[1 + VIEWS_LIST_COLUMNS];
	struct views_list_row *rows;
	size_t count, capacity;
};

struct views_figure *views_figure_new(const char *title, const char *subtitle);
void views_figure_free(struct views_figure *figure); /* NULL is fine */
struct views_chart *views_figure_add(struct views_figure *figure, const char *title,
				     const char *note);
/* Of a chart that was taken out of its figure. */
void views_chart_free(struct views_chart *chart);
void views_axis_set(struct views_axis *axis, const char *title, const char *unit);
/* The number of the new category. */
size_t views_axis_add_category(struct views_axis *axis, const char *name);
/* The series is valid until the next one is added. */
struct views_series *views_chart_add(struct views_chart *chart, const char *name,
				     enum views_mark mark, unsigned color);
/* `low` is ignored where the mark has none. */
void views_series_add(struct views_series *series, double x, double y, double low);
/* Of the point that was added last; all points of a series have hints, or none has. */
void views_series_hint(struct views_series *series, const char *hint);
/* The rule is valid until the next one is added. */
struct views_rule *views_chart_add_rule(struct views_chart *chart, bool horizontal, double at,
					const char *text);
void views_chart_add_word(struct views_chart *chart, double x, double y, bool end,
			  const char *text);
/* Edges and values are to be filled. */
struct views_heat *views_chart_add_heat(struct views_chart *chart, size_t columns, size_t rows,
					const char *title, const char *unit);
struct views_list_row *views_list_add(struct views_list *list, const char *name, unsigned depth);
void views_list_clear(struct views_list *list);

/* Options of the views that draw charts: elements of a table. */
#define VIEWS_FIGURE_OPTIONS                                                                       \
	{.name = "title",                                                                          \
	 .aliases = "-gt --graph-title",                                                           \
	 .metavar = "TEXT",                                                                        \
	 .type = PERUN_OPTION_STRING,                                                              \
	 .help = "the heading"},                                                                   \
		{.name = "x-title",                                                                \
		 .aliases = "-xl --x-axis-label --x-axis-title",                                   \
		 .metavar = "TEXT",                                                                \
		 .type = PERUN_OPTION_STRING,                                                      \
		 .help = "the title of the horizontal axis"},                                      \
		{.name = "y-title",                                                                \
		 .aliases = "-yl --y-axis-label --y-axis-title",                                   \
		 .metavar = "TEXT",                                                                \
		 .type = PERUN_OPTION_STRING,                                                      \
		 .help = "the title of the vertical axis"},                                        \
		{.name = "width",                                                                  \
		 .metavar = "N",                                                                   \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .ranged = true,                                                                   \
		 .minimum = 20,                                                                    \
		 .maximum = 20000,                                                                 \
		 .help = "SVG: pixels (800); terminal: columns (as wide as it is)"},               \
		{.name = "height",                                                                 \
		 .metavar = "N",                                                                   \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .ranged = true,                                                                   \
		 .minimum = 5,                                                                     \
		 .maximum = 20000,                                                                 \
		 .help = "SVG: pixels of a chart (450); terminal: lines (20)"},                    \
		{.name = "view-in-browser",                                                        \
		 .aliases = "-v",                                                                  \
		 .help = "write a page and open it in a browser: that of BROWSER, or xdg-open"},   \
	{                                                                                          \
		.name = "filename", .aliases = "-f", .metavar = "FILE", .type = PERUN_OPTION_PATH, \
                                                                                                   \
		.help = "write there: HTML, or SVG when it ends in .svg"                           \
	}

/* The form that views_figure_write() draws in. */
enum perun_form views_figure_form(const struct perun_options *options,
				  const struct perun_canvas *canvas);
/*
 * Draw what the options ask for: into their file, else on the canvas in its form (terminal, SVG or
 * HTML; JSON gives the figure as data). Titles of the options take the place of the figure's.
 */
int views_figure_write(struct perun_ctx *ctx, struct views_figure *figure,
		       const struct perun_options *options, const struct perun_canvas *canvas);

#endif
