/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists in columns: as wide as their values, without those that have none, cut where the screen is too narrow. */
#ifndef PERUN_COMMANDS_COMMON_COLUMNS_H
#define PERUN_COMMANDS_COMMON_COLUMNS_H

#include "commands/common/change-line.h"

struct commands_column {
	const char *name; /* its heading */
	bool cut;         /* its values may be shortened */
	bool cut_first;   /* and are, before those of others */
};

/* Freed with commands_columns_free(); the columns are borrowed, and end with one without a name. */
struct commands_columns;
struct commands_columns *commands_columns_new(const struct commands_column *columns);
void commands_columns_free(struct commands_columns *list);
/* Append the next value, row by row; NULL is "". Control characters are taken out when it is printed. */
void commands_columns_add(struct commands_columns *list, const char *text, enum views_color color);
/* Append lines that follow the row so far, as they are. */
void commands_columns_add_lines(struct commands_columns *list, const char *lines);
/* Append all rows, each indented by `indent`, with their headings; nothing where there are no rows. */
void commands_columns_print(const struct commands_columns *list,
			    const struct commands_screen *screen, size_t indent,
			    struct perun_buffer *text);

#endif
