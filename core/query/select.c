/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections of rows: bitmaps, and the rows whose cells fulfil a predicate. */
#include "core/profile/flatten.h"
#include "core/query/match.h"

/* ---- bitmaps ---------------------------------------------------------------------------------- */

static size_t words_of(size_t rows)
{
	return (rows + 63) / 64;
}

static void clear_tail(uint64_t *selection, size_t rows)
{
	if (rows % 64)
		selection[rows / 64] &= ((uint64_t)1 << (rows % 64)) - 1;
}

uint64_t *perun_selection_new(size_t rows, bool all)
{
	uint64_t *selection = perun_alloc_zero(words_of(rows) + 1, sizeof *selection);

	if (all) {
		memset(selection, 0xff, words_of(rows) * sizeof *selection);
		clear_tail(selection, rows);
	}
	return selection;
}

uint64_t *perun_selection_of_metric(const struct perun_metric *metric, size_t rows)
{
	uint64_t *selection = perun_selection_new(rows, false);

	for (size_t row = 0; row < rows; row++) {
		if (perun_metric_has_row(metric, row))
			selection[row / 64] |= UINT64_C(1) << row % 64;
	}
	return selection;
}

size_t perun_selection_count(const uint64_t *selection, size_t rows)
{
	size_t count = 0;

	if (!selection)
		return rows;
	for (size_t i = 0; i < words_of(rows); i++)
		count += (size_t)__builtin_popcountll(selection[i]);
	return count;
}

void perun_selection_and(uint64_t *selection, const uint64_t *other, size_t rows)
{
	for (size_t i = 0; other && i < words_of(rows); i++)
		selection[i] &= other[i];
}

void perun_selection_or(uint64_t *selection, const uint64_t *other, size_t rows)
{
	for (size_t i = 0; i < words_of(rows); i++)
		selection[i] |= other ? other[i] : UINT64_MAX;
	clear_tail(selection, rows);
}

void perun_selection_not(uint64_t *selection, size_t rows)
{
	for (size_t i = 0; i < words_of(rows); i++)
		selection[i] = ~selection[i];
	clear_tail(selection, rows);
}

/* ---- predicates ------------------------------------------------------------------------------- */

struct work {
	const struct perun_column *column;
	const char *path; /* into JSON cells, or NULL */
	struct perun_matcher matcher;
	struct perun_buffer text;
	uint8_t *known; /* of each id: 0 not yet, 1 no, 2 yes; the last is that of absent cells */
	size_t ids;
	uint64_t *selection;
};

/* The cell, or what the path leads to in it. */
static int test_cell(struct perun_ctx *ctx, struct work *work, size_t row, bool *fulfilled)
{
	struct perun_cell cell = {.kind = PERUN_CELL_ABSENT};
	struct perun_items items = {.budget = PERUN_ITEMS_BUDGET};
	struct perun_json *value = NULL;
	int status;

	if (!work->path) {
		perun_cell_read(work->column, row, &work->text, &cell);
	} else if (!perun_column_absent(work->column, row)) {
		struct perun_buffer json = {0};

		perun_column_print_json(work->column, row, &json);
		if (perun_json_parse(NULL, json.data, json.length, NULL, &value) == PERUN_OK &&
		    perun_items_is_object(value))
			perun_items_add_members(&items, value);
		perun_buffer_free(&json);
		for (size_t i = 0; i < items.count; i++) {
			struct perun_item *item = &items.items[i];

			if (strcmp(item->path, work->path) != 0)
				continue;
			cell.kind = PERUN_CELL_TEXT;
			cell.text = item->text;
			cell.length = strlen(item->text);
			if (item->scalar)
				perun_cell_from_json(item->scalar, &work->text, &cell);
			break;
		}
	}
	status = perun_matcher_test(ctx, &work->matcher, &cell, &work->text, fulfilled);
	perun_items_free(&items);
	perun_json_free(value);
	return status;
}

static int test_span(struct perun_ctx *ctx, struct work *work, const struct perun_span *span)
{
	bool pooled = work->known != NULL, fulfilled = false;

	for (size_t i = 0; i < span->count; i++) {
		size_t row = span->first + i;
		uint8_t *known = NULL;
		int status;

		if (pooled)
			known = &work->known[perun_bit(span->absent, i) ? work->ids : span->ids[i]];
		if (!known || !*known) {
			status = test_cell(ctx, work, row, &fulfilled);
			if (status != PERUN_OK)
				return status;
			if (known)
				*known = fulfilled ? 2 : 1;
		}
		if (known ? *known == 2 : fulfilled)
			work->selection[row / 64] |= (uint64_t)1 << (row % 64);
	}
	return perun_cancelled(ctx) ? PERUN_CANCELLED : PERUN_OK;
}

static int select_rows(struct perun_ctx *ctx, struct work *work, uint64_t **selection)
{
	const struct perun_table *table = perun_column_table(work->column);
	enum perun_type type = perun_column_info(work->column)->type;
	struct perun_span span;
	int status = PERUN_OK;

	work->selection = perun_selection_new(perun_table_rows(table), false);
	if (perun_type_is_pooled(type)) {
		work->ids = perun_pool_size(perun_table_profile(table), type);
		work->known = perun_alloc_zero(work->ids + 1, 1);
	}
	for (size_t row = 0; status == PERUN_OK && perun_column_span(work->column, row, &span);
	     row = span.first + span.count)
		status = test_span(ctx, work, &span);
	perun_free(work->known);
	perun_buffer_free(&work->text);
	perun_matcher_clear(&work->matcher);
	if (status != PERUN_OK) {
		perun_free(work->selection);
		work->selection = NULL;
	}
	*selection = work->selection;
	return status;
}

int perun_select_path(struct perun_ctx *ctx, const struct perun_column *column, const char *path,
		      enum perun_predicate predicate, const char *value, uint64_t **selection)
{
	struct work work = {.column = column, .path = path};
	int status = perun_matcher_init(ctx, &work.matcher, predicate, value);

	*selection = NULL;
	return status == PERUN_OK ? select_rows(ctx, &work, selection) : status;
}

int perun_select(struct perun_ctx *ctx, const struct perun_column *column,
		 enum perun_predicate predicate, const char *value, uint64_t **selection)
{
	return perun_select_path(ctx, column, NULL, predicate, value, selection);
}
