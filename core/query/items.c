/* SPDX-License-Identifier: BSD-3-Clause */
/* Items: the values of resources and models with their paths. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/profile/flatten.h"
#include "core/profile/pool.h"
#include "core/query/paths.h"

static int visit_items(const struct perun_items *items, perun_item_visit *visit, void *data)
{
	int result = 0;

	for (size_t i = 0; i < items->count && !result; i++) {
		const struct perun_item *item = &items->items[i];
		struct perun_json *text = item->scalar ? NULL : perun_json_text(item->text);

		result = visit(data, item->path, text ? text : item->scalar);
		perun_json_free(text);
	}
	return result;
}

int perun_all_items_of_value(const struct perun_json *object, perun_item_visit *visit, void *data)
{
	struct perun_items items = {.budget = PERUN_ITEMS_BUDGET};
	int result = 0;

	if (perun_items_is_object(object)) {
		perun_items_add_members(&items, object);
		result = visit_items(&items, visit, data);
	}
	perun_items_free(&items);
	return result;
}

static int visit_cell(const struct perun_column *column, size_t row, perun_item_visit *visit,
		      void *data)
{
	struct perun_items items = {.budget = PERUN_ITEMS_BUDGET};
	struct perun_json *value = perun_cell_value(column, row);
	int result = 0;

	if (value) {
		perun_items_add(&items, perun_column_info(column)->name, value);
		result = visit_items(&items, visit, data);
	}
	perun_items_free(&items);
	perun_json_free(value);
	return result;
}

int perun_all_items_of(const struct perun_table *table, size_t row, perun_item_visit *visit,
		       void *data)
{
	int result = 0;

	for (size_t i = 0; i < perun_table_columns(table) && !result; i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (perun_column_is_item(column))
			result = visit_cell(column, row, visit, data);
	}
	return result;
}

/* ---- fields that are numbers ------------------------------------------------------------------ */

/* A set of texts; with each, whether all values of that path so far were numbers. */
struct fields {
	struct perun_pool *paths;
	bool *numeric;
	size_t capacity;
};

static void note_field(struct fields *fields, const char *path, bool numeric)
{
	size_t count = fields->paths->count;
	perun_id id = perun_pool_add(&fields->paths, path, strlen(path));

	if (id == PERUN_NO_ID)
		return;
	if (id < count) {
		fields->numeric[id] &= numeric;
		return;
	}
	PERUN_GROW(fields->numeric, count, fields->capacity);
	fields->numeric[id] = numeric;
}

static int note_item(void *data, const char *path, const struct perun_json *value)
{
	double number;

	note_field(data, path, perun_json_as_double(value, &number));
	return 0;
}

static bool has_values(const struct perun_column *column)
{
	size_t rows = perun_table_rows(perun_column_table(column));

	for (size_t row = 0; row < rows; row++) {
		if (!perun_column_absent(column, row))
			return true;
	}
	return false;
}

static void note_column(struct fields *fields, const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);
	size_t count;
	uint32_t *rows;

	if (!perun_type_nests(info->type)) {
		if (has_values(column))
			note_field(fields, info->name, info->type <= PERUN_TYPE_DOUBLE);
		return;
	}
	rows = perun_distinct_cells(column, &count);
	for (size_t i = 0; i < count; i++)
		visit_cell(column, rows[i], note_item, fields);
	perun_free(rows);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct perun_json *perun_all_numerical_resource_fields_of(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	struct fields fields = {.paths = perun_pool_new(true)};
	struct perun_json *result = perun_json_array();
	const char **names;
	size_t count = 0;

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		if (perun_column_is_item(perun_table_column_at(table, i)))
			note_column(&fields, perun_table_column_at(table, i));
	}
	names = perun_alloc_zero(fields.paths->count + 1, sizeof *names);
	for (perun_id id = 0; id < fields.paths->count; id++) {
		if (fields.numeric[id])
			names[count++] = perun_pool_at(fields.paths, id, NULL);
	}
	if (count > 0)
		qsort(names, count, sizeof *names, compare_texts);
	for (size_t i = 0; i < count; i++)
		perun_json_append(result, perun_json_text(names[i]));
	perun_free(names);
	perun_free(fields.numeric);
	perun_pool_unref(fields.paths);
	return result;
}
