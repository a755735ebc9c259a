/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of a wide table a terminal shows. */
#ifndef PERUN_VIEWS_TABLEOF_FIT_H
#define PERUN_VIEWS_TABLEOF_FIT_H

#include "layout.h"

/*
 * Make `narrow` a table of those columns of `table` that fit side by side, in their order; `headers` has
 * room for as many as there are and lives as long as it. Appends the names of the others to `left_out` and
 * returns how many these are.
 */
size_t fit_table(const struct table *table, const char *layout, const struct layout_style *style,
		 size_t width, const char **headers, struct table *narrow,
		 struct perun_buffer *left_out);

/* Make `ordered` the same table with the columns that say most first; `headers` as above. */
void fit_order(const struct table *table, const char **headers, struct table *ordered);

#endif
