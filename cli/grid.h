/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of texts, printed for the terminal, as wide as that is, or in Markdown. */
#ifndef PERUN_CLI_GRID_H
#define PERUN_CLI_GRID_H

#include "cli/cli.h"

struct cli_grid_column {
	const char *title;
	bool right;     /* numbers */
	unsigned least; /* not 0: may be cut down to so many columns where the terminal is narrow */
	unsigned drop;  /* not 0: may be left out where that does not suffice, the highest first */
};

struct cli_grid_cell {
	char *text; /* NULL = empty */
	enum cli_color color;
};

enum { CLI_GRID_COLUMNS = 12 };
struct cli_grid {
	struct cli_grid_column columns[CLI_GRID_COLUMNS];
	size_t column_count, row_count, room;
	struct cli_grid_cell (*rows)[CLI_GRID_COLUMNS];
};

void cli_grid_column(struct cli_grid *grid, const char *title, bool right, unsigned least);
void cli_grid_row(struct cli_grid *grid);
/* Fill the cell of the last row; what could drive a terminal is replaced. */
void cli_grid_set(struct cli_grid *grid, size_t column, enum cli_color color, const char *format,
		  ...) PERUN_PRINTF(4, 5);
void cli_grid_print(struct cli *cli, const struct cli_grid *grid);
/* `code`: bits of the columns whose cells are set as code. */
void cli_grid_markdown(const struct cli_grid *grid, unsigned code);
void cli_grid_clear(struct cli_grid *grid);

#endif
