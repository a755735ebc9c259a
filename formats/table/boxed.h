/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables as they are drawn: Markdown, psql and MySQL, boxes of Unicode such as console.table of JavaScript. */
#ifndef PERUN_FORMATS_TABLE_BOXED_H
#define PERUN_FORMATS_TABLE_BOXED_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/common/csv.h"

/* Whether a line is drawn only, between rows or around them. */
bool boxed_is_rule(const char *line);
/* Whether such a line is the top of a box. */
bool boxed_is_top(const char *line);
/* Whether it is a row; its cells, in the line, are without blanks, quotes and backticks around them. */
bool boxed_split(struct csv_line *cells, char *line);
/* Where the line of headings of the first such table begins: a row before a rule; SIZE_MAX = there is none. */
size_t boxed_headings(const char *text, size_t size);

#endif
