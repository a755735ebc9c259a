/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a key in resources and models. */
#include <config.h>

#include <string.h>

#include "core/profile/pool.h"
#include "core/query/paths.h"

struct perun_json *perun_all_key_values_of(const struct perun_table *table, size_t row,
					   const char *path)
{
	struct perun_json *found = perun_json_array(), *value;
	const struct perun_column *column;
	const char *rest;

	column = perun_path_column(table, path, &rest);
	value = column ? perun_cell_value(column, row) : NULL;
	if (value)
		perun_walk_path(value, rest, found);
	perun_json_free(value);
	return found;
}

/* ---- different values ------------------------------------------------------------------------- */

struct unique {
	struct perun_pool *texts; /* as JSON */
	struct perun_json *values;
};

static void add_unique(struct unique *unique, const struct perun_json *found)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < perun_json_count(found); i++) {
		const struct perun_json *value = perun_json_at(found, i);
		uint32_t count = unique->texts->count;

		perun_buffer_clear(&text);
		perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
		perun_pool_add(&unique->texts, text.data, text.length);
		if (unique->texts->count > count)
			perun_json_append(unique->values, perun_json_clone(value));
	}
	perun_buffer_free(&text);
}

struct perun_json *perun_unique_resource_values_of(const struct perun_profile *profile,
						   const char *path)
{
	struct unique unique = {.texts = perun_pool_new(true), .values = perun_json_array()};
	const char *rest;
	const struct perun_column *column =
		perun_path_column(perun_resources(profile), path, &rest);
	size_t count = 0;
	uint32_t *rows = column ? perun_distinct_cells(column, &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		struct perun_json *found = perun_json_array();
		struct perun_json *value = perun_cell_value(column, rows[i]);

		perun_walk_path(value, rest, found);
		add_unique(&unique, found);
		perun_json_free(value);
		perun_json_free(found);
	}
	perun_free(rows);
	perun_pool_unref(unique.texts);
	return unique.values;
}

/* ---- models ----------------------------------------------------------------------------------- */

/* A model as one object: as its file had it (column "json"), else made of the cells of its row. */
static struct perun_json *model_object(const struct perun_table *models, size_t row)
{
	const struct perun_column *json = perun_table_column(models, "json");
	struct perun_json *object = json ? perun_cell_value(json, row) : NULL;

	if (object)
		return object;
	object = perun_json_object();
	for (size_t i = 0; i < perun_table_columns(models); i++) {
		const struct perun_column *column = perun_table_column_at(models, i);
		struct perun_json *value = perun_cell_value(column, row);

		if (value)
			perun_json_set(object, perun_column_info(column)->name, value);
	}
	return object;
}

struct perun_json *perun_unique_model_values_of(const struct perun_profile *profile,
						const char *path)
{
	const struct perun_table *models = perun_profile_table(profile, "models");
	struct unique unique = {.texts = perun_pool_new(true), .values = perun_json_array()};
	char *rest = perun_format(":%s", path);

	for (size_t row = 0; models && row < perun_table_rows(models); row++) {
		struct perun_json *found = perun_json_array();
		struct perun_json *object = model_object(models, row);

		perun_walk_path(object, rest, found);
		add_unique(&unique, found);
		perun_json_free(object);
		perun_json_free(found);
	}
	perun_free(rest);
	perun_pool_unref(unique.texts);
	return unique.values;
}
