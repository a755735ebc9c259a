/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell of any type as one value that can be compared; for the files of this folder. */
#ifndef PERUN_CORE_QUERY_CELL_H
#define PERUN_CORE_QUERY_CELL_H

#include "perun/query.h"

/* In the order in which cells are sorted; the three kinds of numbers compare as numbers. */
enum perun_cell_kind {
	PERUN_CELL_ABSENT,
	PERUN_CELL_BOOL, /* in int64 */
	PERUN_CELL_INT64,
	PERUN_CELL_UINT64, /* beyond the range of int64 */
	PERUN_CELL_DOUBLE,
	PERUN_CELL_TEXT
};

struct perun_cell {
	enum perun_cell_kind kind;
	union {
		int64_t int64;
		uint64_t uint64;
		double real;
	};
	const char *text;
	size_t length;
};

static inline bool perun_cell_is_number(const struct perun_cell *cell)
{
	return cell->kind >= PERUN_CELL_INT64 && cell->kind <= PERUN_CELL_DOUBLE;
}

/*
 * Read a cell. `text` is where a text is made that is not stored as such: the cell points into it
 * until it is used again. JSON numbers and truth values are such, other JSON is its flat text.
 */
void perun_cell_read(const struct perun_column *column, size_t row, struct perun_buffer *text,
		     struct perun_cell *cell);
/* The same of a JSON value. */
void perun_cell_from_json(const struct perun_json *value, struct perun_buffer *text,
			  struct perun_cell *cell);
/* A number from words; false when they are none. */
bool perun_cell_parse_number(const char *text, size_t length, struct perun_cell *cell);
/* The flat text of any cell that is not absent, in `text` unless the cell has it. */
void perun_cell_text(struct perun_cell *cell, struct perun_buffer *text);
int perun_cell_order(const struct perun_cell *a, const struct perun_cell *b);

/* Whether the cells of a type are ids into a pool: equal ids are equal values. */
static inline bool perun_type_is_pooled(enum perun_type type)
{
	return type == PERUN_TYPE_STRING || type == PERUN_TYPE_JSON || type == PERUN_TYPE_STACK ||
	       type == PERUN_TYPE_LABELS || type == PERUN_TYPE_POINT;
}
/* The number of ids that the cells of such a type can have. */
size_t perun_pool_size(const struct perun_profile *profile, enum perun_type type);

/* Row numbers must fit 32 bits. */
int perun_query_rows(struct perun_ctx *ctx, const struct perun_table *table);

/* perun_select() of what `path` leads to in the JSON cells; path NULL = the cells. */
int perun_select_path(struct perun_ctx *ctx, const struct perun_column *column, const char *path,
		      enum perun_predicate predicate, const char *value, uint64_t **selection);

#endif
