/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: their text is kept as it is; what views and checks ask for becomes columns. */
#include <string.h>

#include "reading.h"

int perunjson_read_models(struct reading *reading, uint32_t snapshot)
{
	enum perun_json_event event;
	perun_id text;
	int status;

	while ((event = perun_json_next(reading->json)) == PERUN_JSON_OBJECT_START) {
		perun_buffer_clear(&reading->text);
		status = perun_json_capture(reading->json, &reading->text);
		if (!status)
			status = perunjson_intern(reading, reading->text.data, reading->text.length,
						  &text);
		if (status)
			return status;
		PERUN_GROW(reading->models, reading->model_count, reading->model_capacity);
		reading->models[reading->model_count].text = text;
		reading->models[reading->model_count++].snapshot = snapshot;
	}
	if (event == PERUN_JSON_ARRAY_END)
		return PERUN_OK;
	if (event == PERUN_JSON_ERROR)
		return perun_json_error(reading->json)->status;
	return perun_json_fail(reading->json, "expected an object for each model, found %s",
			       perun_json_event_name(event));
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct models {
	struct reading *reading;
	struct perun_table_builder *table;
	struct list {
		const char *table;
		struct perun_table_builder *builder;
		struct perun_column_builder *model, *name, *value;
	} terms, values;
};

/* Keys of models that the table's own columns have, or that make no column. */
static bool is_plain_key(const char *key, size_t length)
{
	return strlen(key) == length && strcmp(key, "json") != 0 && strcmp(key, "snapshot") != 0;
}

static struct perun_column_builder *model_column(struct models *models, const char *name)
{
	struct perun_column_info info = {.name = name, .type = PERUN_INT64, .growing = true};

	if (strcmp(name, "uid") == 0 || strcmp(name, "model") == 0)
		info.role = PERUN_ROLE_KEY;
	return perun_table_add_column(models->table, &info);
}

static void set_json(struct reading *reading, struct perun_column_builder *column,
		     const struct perun_json *value)
{
	struct perun_buffer text = {0};

	perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	perun_column_set_id(column, PERUN_JSON,
			    perun_builder_string(reading->builder, text.data, text.length));
	perun_buffer_free(&text);
}

static void set_value(struct reading *reading, struct perun_column_builder *column,
		      const struct perun_json *value)
{
	const char *text;
	int64_t integer;
	uint64_t large;
	double real;
	bool boolean;
	size_t length;

	if ((text = perun_json_as_string(value, &length)))
		perun_column_set_id(column, PERUN_STRING,
				    perun_builder_string(reading->builder, text, length));
	else if (perun_json_as_int64(value, &integer))
		perun_column_set_int64(column, integer);
	else if (perun_json_as_uint64(value, &large))
		perun_column_set_uint64(column, large);
	else if (perun_json_type(value) == PERUN_JSON_TYPE_DOUBLE &&
		 perun_json_as_double(value, &real))
		perun_column_set_double(column, real);
	else if (perun_json_as_bool(value, &boolean))
		perun_column_set_bool(column, boolean);
	else
		set_json(reading, column, value);
}

/* A row of model_terms or model_values. */
static void add_to_list(struct models *models, struct list *list, const struct perun_json *name,
			const struct perun_json *value)
{
	struct perun_builder *builder = models->reading->builder;
	struct perun_column_info model = {.name = "model", .type = PERUN_ROW, .refers = "models"};
	struct perun_column_info label = {.name = "name", .type = PERUN_STRING, .growing = true};
	struct perun_column_info number = {.name = "value", .type = PERUN_DOUBLE, .growing = true};

	if (!list->builder) {
		list->builder = perun_builder_table(builder, list->table);
		list->model = perun_table_add_column(list->builder, &model);
		list->name = perun_table_add_column(list->builder, &label);
		list->value = perun_table_add_column(list->builder, &number);
	}
	perun_column_set_id(list->model, PERUN_ROW,
			    (perun_id)perun_table_builder_rows(models->table));
	if (name)
		set_value(models->reading, list->name, name);
	if (value)
		set_value(models->reading, list->value, value);
	perun_table_end_row(list->builder);
}

static void add_terms(struct models *models, const struct perun_json *terms)
{
	for (size_t i = 0; i < perun_json_count(terms); i++) {
		const struct perun_json *term = perun_json_at(terms, i);

		add_to_list(models, &models->terms, perun_json_get(term, "name"),
			    perun_json_get(term, "value"));
	}
}

/* A list of numbers, as windows and buckets have them. */
static void add_values(struct models *models, const char *key, const struct perun_json *values)
{
	struct perun_json *name = perun_json_text(key);

	for (size_t i = 0; i < perun_json_count(values); i++)
		add_to_list(models, &models->values, name, perun_json_at(values, i));
	perun_json_free(name);
}

static void add_model(struct models *models, const struct perun_json *model)
{
	size_t length;

	for (size_t i = 0; i < perun_json_count(model); i++) {
		const char *key = perun_json_key_at(model, i, &length);
		const struct perun_json *value = perun_json_at(model, i);
		enum perun_json_type type = perun_json_type(value);

		if (type == PERUN_JSON_TYPE_ARRAY && strcmp(key, "coeffs") == 0)
			add_terms(models, value);
		else if (type == PERUN_JSON_TYPE_ARRAY)
			add_values(models, key, value);
		else if (is_plain_key(key, length) && type != PERUN_JSON_TYPE_NULL &&
			 (type != PERUN_JSON_TYPE_OBJECT || strcmp(key, "uid") == 0) &&
			 perun_table_builder_columns(models->table) < 256)
			set_value(models->reading, model_column(models, key), value);
	}
}

int perunjson_finish_models(struct reading *reading)
{
	struct perun_column_info info = {.name = "json", .type = PERUN_JSON};
	struct models models = {
		.reading = reading, .terms.table = "model_terms", .values.table = "model_values"};
	struct perun_column_builder *column;
	struct perun_json *model;
	int status = PERUN_OK;

	if (reading->model_count == 0)
		return PERUN_OK;
	models.table = perun_builder_table(reading->builder, "models");
	column = perun_table_add_column(models.table, &info);
	for (size_t i = 0; i < reading->model_count && !status; i++) {
		size_t length;
		const char *text =
			perun_builder_string_at(reading->builder, reading->models[i].text, &length);

		status = perun_json_parse(reading->ctx, text, length, NULL, &model);
		if (status)
			break;
		perun_column_set_id(column, PERUN_JSON, reading->models[i].text);
		add_model(&models, model);
		if (reading->models[i].snapshot != UINT32_MAX)
			perun_column_set_int64(model_column(&models, "snapshot"),
					       reading->models[i].snapshot);
		perun_table_end_row(models.table);
		perun_json_free(model);
	}
	return status;
}
