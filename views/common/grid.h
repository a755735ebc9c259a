/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of names and amounts in columns that are described as data, in every form. */
#ifndef PERUN_VIEWS_COMMON_GRID_H
#define PERUN_VIEWS_COMMON_GRID_H

#include <perun/json.h>
#include <perun/view.h>

#include "views/common/bars.h"
#include "views/common/quantity.h"

/* A line of a view. With one profile the first of each pair of amounts counts: base, then new. */
struct views_row {
	char *name; /* as it is in the profile */
	char *file; /* "" = unknown; with `line` (0 = unknown) only for some granularities */
	int64_t line;
	uint64_t address;
	const char *section; /* terminal: a title before this row; borrowed; NULL = none */
	char *note;          /* terminal: a line of its own below the name; NULL = none */
	char *prefix;        /* terminal: what leads to it in a tree; NULL = nothing */
	unsigned depth;
	bool aside; /* not a function, but what represents several: `merged` */
	unsigned merged;
	bool inlined;  /* into what calls it */
	size_t parent; /* in a tree: number of the row, SIZE_MAX = none */
	long double self[2], total[2];
	size_t source[2]; /* where it came from: a node of a graph or tree; SIZE_MAX = not there */
};

struct views_grid;
/* The value of a cell, or NaN. */
typedef long double views_value(const struct views_grid *grid, const struct views_row *row);

enum views_cell {
	VIEWS_NAME,        /* the row's name; takes the room that is left; is last */
	VIEWS_FILE,        /* text */
	VIEWS_LINE_NUMBER, /* number, nothing for 0 */
	VIEWS_ADDRESS,     /* hexadecimal, nothing for 0 */
	VIEWS_DEPTH,       /* number */
	VIEWS_AMOUNT,      /* in the grid's unit */
	VIEWS_SHARE,       /* percent */
	VIEWS_DELTA,       /* a signed amount, coloured as better or worse */
	VIEWS_RELATIVE,    /* a signed share, "new" for positive and "gone" for negative infinity */
	VIEWS_NOTE,        /* text: the row's note, where it is not a line of its own */
	VIEWS_BAR,         /* terminal: `value` dark, `other` light */
	VIEWS_BALANCE      /* terminal: a bar to the left or the right of the middle */
};

struct views_column {
	const char *key;   /* in JSON, CSV */
	const char *title; /* for people */
	enum views_cell cell;
	unsigned forms;     /* bits of enum perun_form where it is shown; 0 = all */
	unsigned expensive; /* terminal: what goes first when room is scarce; 0 = never */
	views_value *value;
	views_value *other; /* BAR: the light part; AMOUNT, SHARE: a share that gives the colour */
};

struct views_grid {
	const struct views_column *columns;
	size_t column_count;
	const struct views_row *rows;
	size_t row_count;
	const struct perun_canvas *canvas;
	struct perun_unit unit;
	long double whole[2]; /* what shares are shares of: of base, new */
	long double scale;    /* what fills a bar */
	bool higher_is_better;
};

/* Append the rows in the canvas's form: terminal, CSV or Markdown. */
void views_grid_add(const struct views_grid *grid, struct perun_buffer *out);
/* CSV: the rows alone, for a table that goes on. */
void views_grid_add_more(const struct views_grid *grid, struct perun_buffer *out);
/*
 * The rows as a table of HTML, for views_table_page(); those of a tree (`tree`: depth and `parent` say
 * what lies below what) fold.
 */
void views_grid_add_html(const struct views_grid *grid, bool tree, struct perun_buffer *out);
/* Write a row's members "key": value into an open object. */
void views_grid_write_members(const struct views_grid *grid, const struct views_row *row,
			      struct perun_json_writer *writer);
/* Write the rows as an array of objects. */
void views_grid_write(const struct views_grid *grid, struct perun_json_writer *writer);
/* A number as JSON: null unless finite, all digits of whole ones. */
void views_write_number(struct perun_json_writer *writer, long double number);

/* Markdown: a name as code, of which nothing is interpreted, and which does not end a table's cell. */
void views_add_code(struct perun_buffer *out, const char *text);
/* Markdown: plain text, in which whatever Markdown would interpret is escaped. */
void views_add_escaped(struct perun_buffer *out, const char *text);

void views_row_clear(struct views_row *row);

/* Inside: parts of what the forms share. */
bool views_column_is_text(const struct views_column *column);
bool views_column_is_bar(const struct views_column *column);
bool views_column_is_shown(const struct views_column *column, enum perun_form form);
long double views_column_value(const struct views_grid *grid, const struct views_column *column,
			       const struct views_row *row);
const char *views_column_text(const struct views_column *column, const struct views_row *row);
void views_grid_add_cell(const struct views_grid *grid, const struct views_column *column,
			 const struct views_row *row, struct perun_buffer *out);
enum views_color views_grid_color(const struct views_grid *grid, const struct views_column *column,
				  const struct views_row *row);

/* Values that views share. Shares are of `whole`; NaN where that is 0. */
views_value views_self, views_total, views_self_share, views_total_share;
/* Of two profiles: the new values, the differences, and what they are to the old value. */
views_value views_new_self, views_new_total, views_self_delta, views_total_delta;
views_value views_self_relative;
/* As parts of `scale`, for bars. */
views_value views_self_bar, views_total_bar, views_delta_bar;

#endif
