/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of texts: for a terminal, as wide as that is, or in Markdown. */
#ifndef PERUN_VIEWS_COMMON_SHEET_H
#define PERUN_VIEWS_COMMON_SHEET_H

#include <perun/view.h>

#include "views/common/bars.h"

struct views_sheet_column {
	const char *title;
	bool right;       /* numbers */
	unsigned minimum; /* not 0: may be cut down to this width where the terminal is narrow */
	unsigned drop; /* not 0: may be left out where that does not suffice, the highest first */
};

struct views_sheet_cell {
	char *text; /* NULL = empty */
	enum views_color color;
};

enum { VIEWS_SHEET_COLUMNS = 12 };
/* {0} is an empty one. */
struct views_sheet {
	struct views_sheet_column columns[VIEWS_SHEET_COLUMNS];
	size_t column_count, row_count, room;
	struct views_sheet_cell (*rows)[VIEWS_SHEET_COLUMNS];
};

void views_sheet_column(struct views_sheet *sheet, const char *title, bool right, unsigned minimum);
void views_sheet_row(struct views_sheet *sheet);
/* Fill the cell of the last row; what could drive a terminal is replaced. */
void views_sheet_set(struct views_sheet *sheet, size_t column, enum views_color color,
		     const char *format, ...) PERUN_PRINTF(4, 5);
/* Write it in the canvas's form, terminal or Markdown. `code`: bits of the columns that Markdown sets as code. */
void views_sheet_write(const struct views_sheet *sheet, const struct perun_canvas *canvas,
		       unsigned code);
void views_sheet_clear(struct views_sheet *sheet);

#endif
