/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows in order of several keys. */
#include <math.h>
#include <stdlib.h>

#include "core/query/cell.h"

/* ---- keys as ranks ----------------------------------------------------------------------------- */

struct id_text {
	uint32_t id;
	struct perun_cell cell;
	struct perun_buffer text;
};

static int compare_texts(const void *left, const void *right)
{
	const struct id_text *a = left, *b = right;
	int order = perun_cell_order(&a->cell, &b->cell);

	return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

/*
 * The ranks of the ids that occur in a column, from 1 in their order; equal texts have equal ranks.
 * Sorting the ids once spares comparing texts for each pair of rows.
 */
static uint32_t *rank_ids(const struct perun_column *column)
{
	const struct perun_profile *profile = perun_table_profile(perun_column_table(column));
	size_t ids = perun_pool_size(profile, perun_column_info(column)->type), count = 0;
	uint32_t *ranks = perun_alloc_zero(ids + 1, sizeof *ranks);
	struct id_text *texts = NULL;
	size_t capacity = 0;
	struct perun_span span;

	for (size_t row = 0; perun_column_span(column, row, &span); row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			struct id_text *text;

			if (perun_bit(span.absent, i) || ranks[span.ids[i]])
				continue;
			ranks[span.ids[i]] = 1;
			PERUN_GROW(texts, count, capacity);
			text = &texts[count++];
			*text = (struct id_text){.id = span.ids[i]};
			perun_cell_read(column, span.first + i, &text->text, &text->cell);
		}
	}
	if (count > 0)
		qsort(texts, count, sizeof *texts, compare_texts);
	for (size_t i = 0; i < count; i++) {
		uint32_t before = i ? ranks[texts[i - 1].id] : 0;
		bool same = i && perun_cell_order(&texts[i - 1].cell, &texts[i].cell) == 0;

		ranks[texts[i].id] = same ? before : before + 1;
	}
	for (size_t i = 0; i < count; i++)
		perun_buffer_free(&texts[i].text);
	perun_free(texts);
	return ranks;
}

/* A number whose unsigned order is that of the doubles; NaN last; above 0. */
static uint64_t double_rank(double value)
{
	uint64_t bits;

	if (isnan(value))
		return UINT64_MAX;
	value += 0.0;
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/*
 * For each row a number in whose order the rows are; the bitmap says which are absent of the
 * column. The caller frees it.
 */
static uint64_t *rank_rows(const struct perun_column *column)
{
	enum perun_type type = perun_column_info(column)->type;
	size_t rows = perun_table_rows(perun_column_table(column));
	uint64_t *ranks = perun_alloc(rows * sizeof *ranks + 1);
	uint32_t *of_id = perun_type_is_pooled(type) ? rank_ids(column) : NULL;
	struct perun_span span;

	for (size_t row = 0; perun_column_span(column, row, &span); row = span.first + span.count) {
		uint64_t *to = ranks + span.first;

		for (size_t i = 0; i < span.count; i++) {
			if (perun_bit(span.absent, i))
				to[i] = 0;
			else if (of_id)
				to[i] = of_id[span.ids[i]];
			else if (type == PERUN_TYPE_ROW)
				to[i] = span.ids[i];
			else if (type == PERUN_TYPE_DOUBLE)
				to[i] = double_rank(span.doubles[i]);
			else if (type == PERUN_TYPE_BOOL)
				to[i] = span.bools[i] != 0;
			else if (type == PERUN_TYPE_INT64)
				to[i] = (uint64_t)span.int64s[i] ^ (uint64_t)1 << 63;
			else
				to[i] = span.uint64s[i];
		}
	}
	perun_free(of_id);
	return ranks;
}

/* ---- sorting ----------------------------------------------------------------------------------- */

struct order {
	const struct perun_sort_key *key;
	const uint64_t *ranks;
	bool has_absent;
};

static bool has_absent(const struct perun_column *column)
{
	struct perun_span span;

	for (size_t row = 0; perun_column_span(column, row, &span); row = span.first + span.count) {
		if (span.absent)
			return true;
	}
	return false;
}

/* Whether a must come after b. */
static bool is_after(const struct order *order, uint32_t a, uint32_t b)
{
	uint64_t left = order->ranks[a], right = order->ranks[b];

	if (order->has_absent && (left == 0 || right == 0)) {
		bool left_absent = perun_column_absent(order->key->column, a);
		bool right_absent = perun_column_absent(order->key->column, b);

		if (left_absent != right_absent)
			return order->key->descending ? left_absent : right_absent;
	}
	return order->key->descending ? left < right : left > right;
}

/* Merge sort, stable, from runs of one row. */
static void sort_rows(const struct order *order, uint32_t *rows, uint32_t *spare, size_t count)
{
	size_t middle = count / 2, i = 0, j = middle, n = 0;

	if (count < 2)
		return;
	sort_rows(order, rows, spare, middle);
	sort_rows(order, rows + middle, spare, count - middle);
	if (!is_after(order, rows[middle - 1], rows[middle]))
		return;
	memcpy(spare, rows, middle * sizeof *rows);
	while (i < middle && j < count)
		rows[n++] = is_after(order, spare[i], rows[j]) ? rows[j++] : spare[i++];
	memcpy(rows + n, spare + i, (middle - i) * sizeof *rows);
}

int perun_sort(struct perun_ctx *ctx, const struct perun_table *table,
	       const struct perun_sort_key *keys, size_t key_count, const uint64_t *selection,
	       uint32_t **rows, size_t *count)
{
	size_t total = perun_table_rows(table), selected = perun_selection_count(selection, total);
	uint32_t *spare;
	int status = perun_query_rows(ctx, table);

	*rows = NULL;
	*count = 0;
	for (size_t i = 0; i < key_count && status == PERUN_OK; i++) {
		if (perun_column_table(keys[i].column) != table)
			status = perun_fail(
				ctx, PERUN_USAGE, "column %s does not belong to table %s",
				perun_column_info(keys[i].column)->name, perun_table_name(table));
	}
	if (status != PERUN_OK)
		return status;
	*rows = perun_alloc(selected * sizeof **rows + 1);
	for (size_t row = 0; row < total; row++) {
		if (!selection || perun_bit(selection, row))
			(*rows)[(*count)++] = (uint32_t)row;
	}
	/* A stable sort by the last key first leaves the rows in the order of all. */
	spare = perun_alloc(selected * sizeof *spare / 2 + 1);
	for (size_t i = key_count; i-- > 0;) {
		uint64_t *ranks = rank_rows(keys[i].column);
		struct order order = {&keys[i], ranks, has_absent(keys[i].column)};

		sort_rows(&order, *rows, spare, selected);
		perun_free(ranks);
	}
	perun_free(spare);
	return PERUN_OK;
}
