/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows and columns of a profile are in the table, and in what order. */
#ifndef PERUN_VIEWS_TABLEOF_ROWS_H
#define PERUN_VIEWS_TABLEOF_ROWS_H

#include <perun/query.h>

/* Begin with {0}; rows_free() after all. */
struct rows {
	struct perun_profile *flat; /* a reference: nested values spread over columns */
	const struct perun_table *table;
	const struct perun_column **columns; /* shown, from left to right */
	size_t column_count;
	uint32_t *numbers; /* shown, from top to bottom */
	size_t count;
};

/*
 * Choose by the options `headers`, `sort-by`, `reverse`, `filter-by`, `where` and `limit`. `models`: the
 * models of the profile and not its resources.
 */
int rows_choose(struct perun_ctx *ctx, struct perun_profile *profile, bool models,
		const struct perun_options *options, struct rows *rows);
void rows_free(struct rows *rows);

/* The table "models" with nested values spread over columns ("coeffs:b0"), as "models" of `*flat`. */
int models_as_columns(struct perun_ctx *ctx, struct perun_profile *profile,
		      struct perun_profile **flat);

#endif
