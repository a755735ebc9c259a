/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbering distinct keys of rows and texts; for the files of this folder. */
#ifndef PERUN_CORE_QUERY_GROUPS_H
#define PERUN_CORE_QUERY_GROUPS_H

#include "core/query/cell.h"

/* Numbers for texts, in order of first appearance. {0} is an empty one. */
struct perun_texts {
	uint32_t *slots; /* number + 1; 0 = free */
	size_t slot_count;
	uint32_t count, capacity;
	struct perun_text {
		char *text;
		size_t length;
	} * texts;
};
void perun_texts_free(struct perun_texts *texts);
/* The number of a text; with `add` false PERUN_NO_ID when it has none. */
uint32_t perun_texts_number(struct perun_texts *texts, const char *text, size_t length, bool add);

/* Where a key of rows comes from: a column, or a code of each row. */
struct perun_key {
	const struct perun_column *column;
	const uint32_t *codes; /* PERUN_NO_ID = absent */
};

/*
 * Number the distinct keys of the selected rows by first appearance: one key of any kind, or two that
 * are codes or columns of ids. The same for any number of threads.
 */
struct perun_numbered {
	uint32_t *of_row; /* PERUN_NO_ID: not selected */
	uint32_t count;
	uint64_t *words; /* the key of each number; first key << 32 | second key */
	uint32_t *first_row, *size;
	uint32_t absent; /* the number of an absent cell that has no word, or PERUN_NO_ID */
};
int perun_number_rows(struct perun_ctx *ctx, size_t rows, const struct perun_key *keys,
		      size_t key_count, const uint64_t *selection, struct perun_numbered *numbered);
void perun_numbered_free(struct perun_numbered *numbered);

/* The bits of NaN among words. */
#define PERUN_NAN_WORD 0x7ff8000000000000u

/* Whether the cells of a column are 32-bit ids. */
static inline bool perun_key_is_narrow(const struct perun_key *key)
{
	enum perun_type type;

	if (key->codes)
		return true;
	type = perun_column_info(key->column)->type;
	return perun_type_is_pooled(type) || type == PERUN_TYPE_ROW;
}

/* Rows are worked on in parts: as many as `groups` accumulators for each make sense. */
size_t perun_row_parts(size_t rows, size_t groups);
/* The first row of part i of `parts`; a multiple of PERUN_SPAN_ROWS, or `rows`. */
size_t perun_part_start(size_t rows, size_t parts, size_t i);

/* Group by the flat text of any column. */
int perun_group_by_flat(struct perun_ctx *ctx, const struct perun_column *column,
			const uint64_t *selection, struct perun_groups **groups);

#endif
