/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows and columns of a profile are in the table, and in what order. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "rows.h"

static int compare_names(const void *a, const void *b)
{
	const struct perun_column *const *first = a, *const *second = b;

	return strcmp(perun_column_info(*first)->name, perun_column_info(*second)->name);
}

static void all_columns(struct rows *rows)
{
	rows->column_count = perun_table_columns(rows->table);
	rows->columns = perun_alloc_zero(rows->column_count + 1, sizeof(void *));
	for (size_t i = 0; i < rows->column_count; i++)
		rows->columns[i] = perun_table_column_at(rows->table, i);
	/* Another name of "snapshots". */
	for (size_t i = 0; i < rows->column_count && perun_table_column(rows->table, "snapshots");
	     i++)
		if (strcmp(perun_column_info(rows->columns[i])->name, "snapshot") == 0)
			rows->columns[i] = rows->columns[--rows->column_count];
	qsort(rows->columns, rows->column_count, sizeof(void *), compare_names);
}

/* A column by the user's word; else a failure that names all that there are. */
static int find_column(struct perun_ctx *ctx, const struct perun_table *table, const char *name,
		       const struct perun_column **column)
{
	struct rows all = {.table = table};
	struct perun_buffer names = {0};

	*column = perun_table_column(table, name);
	if (*column)
		return PERUN_OK;
	all_columns(&all);
	for (size_t i = 0; i < all.column_count; i++)
		perun_buffer_printf(&names, "%s%s", i ? ", " : "",
				    perun_column_info(all.columns[i])->name);
	perun_fail(ctx, PERUN_USAGE, "the profile's %s have no %s, only: %s",
		   perun_table_name(table), name, names.length ? names.data : "(nothing)");
	perun_buffer_free(&names);
	perun_free(all.columns);
	return PERUN_USAGE;
}

static int choose_columns(struct perun_ctx *ctx, const struct perun_options *options,
			  struct rows *rows)
{
	size_t count = perun_option_count(options, "headers");
	int status = PERUN_OK;

	if (count == 0) {
		all_columns(rows);
		return PERUN_OK;
	}
	rows->columns = perun_alloc_zero(count, sizeof(void *));
	for (size_t i = 0; i < count && !status; i++)
		status =
			find_column(ctx, rows->table, perun_option_string_at(options, "headers", i),
				    &rows->columns[rows->column_count++]);
	return status;
}

/* Rows with one of the values that --filter-by names with the key of its pair `first`. */
static int select_key(struct perun_ctx *ctx, const struct perun_options *options, size_t first,
		      const struct perun_table *table, uint64_t *selection)
{
	const char *key = perun_option_string_at(options, "filter-by", first);
	size_t count = perun_option_count(options, "filter-by"), rows = perun_table_rows(table);
	uint64_t *any = perun_selection_new(rows, false), *one;
	const struct perun_column *column;
	int status = find_column(ctx, table, key, &column);

	for (size_t i = first; i + 1 < count && !status; i += 2) {
		if (strcmp(perun_option_string_at(options, "filter-by", i), key) != 0)
			continue;
		status = perun_select(ctx, column, PERUN_PREDICATE_EQUAL,
				      perun_option_string_at(options, "filter-by", i + 1), &one);
		if (!status) {
			perun_selection_or(any, one, rows);
			perun_free(one);
		}
	}
	if (!status)
		perun_selection_and(selection, any, rows);
	perun_free(any);
	return status;
}

/* Whether the key of pair `i` was in an earlier pair. */
static bool is_repeated(const struct perun_options *options, size_t i)
{
	const char *key = perun_option_string_at(options, "filter-by", i);

	for (size_t j = 0; j < i; j += 2)
		if (strcmp(perun_option_string_at(options, "filter-by", j), key) == 0)
			return true;
	return false;
}

static int choose_rows(struct perun_ctx *ctx, const struct perun_options *options,
		       const struct perun_table *table, uint64_t *selection)
{
	size_t pairs = perun_option_count(options, "filter-by");
	size_t conditions = perun_option_count(options, "where");
	int status = PERUN_OK;

	for (size_t i = 0; i + 1 < pairs && !status; i += 2)
		if (!is_repeated(options, i))
			status = select_key(ctx, options, i, table, selection);
	for (size_t i = 0; i < conditions && !status; i++) {
		uint64_t *one;

		status = perun_select_where(ctx, table, perun_option_string_at(options, "where", i),
					    &one);
		if (!status) {
			perun_selection_and(selection, one, perun_table_rows(table));
			perun_free(one);
		}
	}
	return status;
}

/* "amount", "amount:desc", "amount:asc"; a column that is really called so goes first. */
static int read_sort_key(struct perun_ctx *ctx, const struct perun_table *table, const char *word,
			 struct perun_sort_key *key)
{
	const char *end = strrchr(word, ':');
	const bool down = end && strcmp(end, ":desc") == 0;
	char *name;
	int status;

	if (perun_table_column(table, word) || !end || (!down && strcmp(end, ":asc") != 0))
		return find_column(ctx, table, word, &key->column);
	name = perun_strndup(word, (size_t)(end - word));
	key->descending = down;
	status = find_column(ctx, table, name, &key->column);
	perun_free(name);
	return status;
}

static int sort_rows(struct perun_ctx *ctx, const struct perun_options *options,
		     const uint64_t *selection, struct rows *rows)
{
	size_t count = perun_option_count(options, "sort-by");
	struct perun_sort_key *keys = perun_alloc_zero(count + 1, sizeof *keys);
	bool reverse = perun_option_flag(options, "reverse");
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++) {
		status = read_sort_key(ctx, rows->table,
				       perun_option_string_at(options, "sort-by", i), &keys[i]);
		keys[i].descending ^= reverse;
	}
	if (!status)
		status = perun_sort(ctx, rows->table, keys, count, selection, &rows->numbers,
				    &rows->count);
	perun_free(keys);
	return status;
}

int rows_choose(struct perun_ctx *ctx, struct perun_profile *profile, bool models,
		const struct perun_options *options, struct rows *rows)
{
	int status = models ? models_as_columns(ctx, profile, &rows->flat)
			    : perun_resources_as_columns(ctx, profile, &rows->flat);
	uint64_t *selection;
	size_t limit = (size_t)perun_option_integer(options, "limit");

	if (status)
		return status;
	rows->table =
		models ? perun_profile_table(rows->flat, "models") : perun_resources(rows->flat);
	if (perun_table_rows(rows->table) == 0)
		return PERUN_OK; /* and no columns: nothing that a word could be wrong about */
	status = choose_columns(ctx, options, rows);
	if (status)
		return status;
	selection = perun_selection_new(perun_table_rows(rows->table), true);
	status = choose_rows(ctx, options, rows->table, selection);
	if (!status)
		status = sort_rows(ctx, options, selection, rows);
	perun_free(selection);
	if (limit && rows->count > limit)
		rows->count = limit;
	return status;
}

void rows_free(struct rows *rows)
{
	perun_free(rows->columns);
	perun_free(rows->numbers);
	perun_profile_unref(rows->flat);
}
