/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions (or files, lines ...) with their values as rows of a grid; sorting, limiting, joining. */
#ifndef PERUN_VIEWS_COMMON_ROWS_H
#define PERUN_VIEWS_COMMON_ROWS_H

#include "views/common/data.h"
#include "views/common/grid.h"

struct views_rows {
	struct views_row *items;
	size_t count, capacity;
};
void views_rows_free(struct views_rows *rows);

/* The call graph of what filters left; `edges` too. */
int views_graph(const struct views_data *data, bool edges, struct perun_callgraph **graph);
/* A row for each node, values in the metric's unit; row->source[0] is the node. */
void views_rows_of_graph(const struct views_data *data, const struct perun_callgraph *graph,
			 struct views_rows *rows);
/* All there is: of the graph, or where the profile has no stacks a row for each uid. */
int views_rows_of(const struct views_data *data, struct views_rows *rows);

/*
 * Rows of two profiles as one: those of the same name and file are one row. Values are multiplied by
 * the factor of their profile. Takes what both hold; they are empty afterwards.
 */
void views_rows_join(struct views_rows sides[2], const long double factors[2],
		     struct views_rows *joined);

/* The joined rows of both profiles of a pair. */
int views_rows_of_pair(struct perun_ctx *ctx, const struct views_pair *pair,
		       struct views_rows *joined);

enum views_order {
	VIEWS_BY_SELF,
	VIEWS_BY_TOTAL,
	VIEWS_BY_NAME,
	VIEWS_BY_DELTA, /* of own values, the largest change first */
	VIEWS_BY_TOTAL_DELTA,
	VIEWS_BY_RELATIVE, /* new ones, then the largest growth first, gone ones last */
	VIEWS_BY_BASE,
	VIEWS_BY_NEW
};
/* Sort; equal ones by name, so that the order is the same everywhere. */
void views_rows_sort(struct views_rows *rows, enum views_order order);

/* Rows that are not shown. */
struct views_hidden {
	size_t small, more; /* below the minimum; beyond the limit */
	long double small_self[2], more_self[2];
};
/*
 * Drop sorted rows where what they are sorted by (by name and growth: the largest of all values) is
 * below `minimum`, in the metric's unit, and those beyond `limit` (0 = no limit).
 */
void views_rows_limit(struct views_rows *rows, enum views_order order, long double minimum,
		      size_t limit, struct views_hidden *hidden);
/*
 * As views_rows_of() for rows that are then sorted and limited so: most of those below `minimum` are not made at all,
 * but counted in `hidden`, to which what views_rows_limit() counts is to be added.
 */
int views_rows_of_large(const struct views_data *data, enum views_order order, long double minimum,
			struct views_rows *rows, struct views_hidden *hidden);

#endif
