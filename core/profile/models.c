/* SPDX-License-Identifier: BSD-3-Clause */
/* Models in a builder: their text as it is, and as columns what views and checks ask for. */
#include <string.h>

#include "perun/json.h"
#include "perun/profile.h"

#include "core/profile/model.h"

struct models {
	struct perun_builder *builder;
	struct perun_table_builder *table;
};

/* Keys of models that the table's own columns have, or that make no column. */
static bool is_plain_key(const char *key, size_t length)
{
	return strlen(key) == length && strcmp(key, "json") != 0 && strcmp(key, "snapshot") != 0;
}

static struct perun_column_builder *model_column(const struct models *models, const char *name)
{
	struct perun_column_info info = {.name = name, .type = PERUN_TYPE_INT64, .growing = true};

	if (strcmp(name, "uid") == 0 || strcmp(name, "model") == 0)
		info.role = PERUN_ROLE_KEY;
	return perun_table_add_column(models->table, &info);
}

static void set_json(struct perun_builder *builder, struct perun_column_builder *column,
		     const struct perun_json *value)
{
	struct perun_buffer text = {0};

	perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	perun_column_set_id(column, PERUN_TYPE_JSON,
			    perun_builder_string(builder, text.data, text.length));
	perun_buffer_free(&text);
}

static void set_value(struct perun_builder *builder, struct perun_column_builder *column,
		      const struct perun_json *value)
{
	const char *text;
	int64_t integer;
	uint64_t large;
	double real;
	bool boolean;
	size_t length;

	if ((text = perun_json_as_string(value, &length)))
		perun_column_set_id(column, PERUN_TYPE_STRING,
				    perun_builder_string(builder, text, length));
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
		set_json(builder, column, value);
}

/* The table model_terms or model_values, with the row of the model that is added. */
struct list {
	struct perun_builder *builder;
	struct perun_table_builder *table;
	struct perun_column_builder *model, *name, *value;
	perun_id row;
};

static struct list open_list(const struct models *models, const char *name_of_table)
{
	struct perun_column_info model = {
		.name = "model", .type = PERUN_TYPE_ROW, .refers = "models"};
	struct perun_column_info name = {
		.name = "name", .type = PERUN_TYPE_STRING, .growing = true};
	struct perun_column_info value = {
		.name = "value", .type = PERUN_TYPE_DOUBLE, .growing = true};
	struct list list = {.builder = models->builder,
			    .table = perun_builder_table(models->builder, name_of_table),
			    .row = (perun_id)perun_table_builder_rows(models->table)};

	list.model = perun_table_add_column(list.table, &model);
	list.name = perun_table_add_column(list.table, &name);
	list.value = perun_table_add_column(list.table, &value);
	perun_column_save_memory(list.model);
	perun_column_save_memory(list.name);
	perun_column_save_memory(list.value);
	return list;
}

static void add_to_list(const struct list *list, const struct perun_json *name,
			const struct perun_json *value)
{
	perun_column_set_id(list->model, PERUN_TYPE_ROW, list->row);
	if (name)
		set_value(list->builder, list->name, name);
	if (value)
		set_value(list->builder, list->value, value);
	perun_table_end_row(list->table);
}

static void add_terms(const struct models *models, const struct perun_json *terms)
{
	struct list list;

	if (!perun_json_count(terms))
		return;
	list = open_list(models, "model_terms");
	for (size_t i = 0; i < perun_json_count(terms); i++) {
		const struct perun_json *term = perun_json_pass(terms, i, NULL);

		add_to_list(&list, perun_json_get(term, "name"), perun_json_get(term, "value"));
	}
}

/* A list of numbers, as windows and buckets have them. */
static void add_values(const struct models *models, const char *key,
		       const struct perun_json *values)
{
	struct perun_json *name;
	struct list list;

	if (!perun_json_count(values))
		return;
	name = perun_json_text(key);
	list = open_list(models, "model_values");
	for (size_t i = 0; i < perun_json_count(values); i++)
		add_to_list(&list, name, perun_json_pass(values, i, NULL));
	perun_json_free(name);
}

static void add_columns(const struct models *models, const struct perun_json *model)
{
	size_t length;

	for (size_t i = 0; i < perun_json_count(model); i++) {
		const char *key = perun_json_key_at(model, i, &length);
		const struct perun_json *value = perun_json_pass(model, i, NULL);
		enum perun_json_type type = perun_json_type(value);

		if (type == PERUN_JSON_TYPE_ARRAY && strcmp(key, "coeffs") == 0)
			add_terms(models, value);
		else if (type == PERUN_JSON_TYPE_ARRAY)
			add_values(models, key, value);
		else if (is_plain_key(key, length) && type != PERUN_JSON_TYPE_NULL &&
			 (type != PERUN_JSON_TYPE_OBJECT || strcmp(key, "uid") == 0) &&
			 perun_table_builder_columns(models->table) < 256)
			set_value(models->builder, model_column(models, key), value);
	}
}

static void add_model(struct perun_builder *builder, perun_id text, const struct perun_json *model,
		      int64_t snapshot)
{
	const struct perun_column_info info = {.name = "json", .type = PERUN_TYPE_JSON};
	struct models models = {builder, perun_builder_table(builder, "models")};
	struct perun_column_builder *column = perun_table_add_column(models.table, &info);

	if (text == PERUN_NO_ID)
		set_json(builder, column, model);
	else
		perun_column_set_id(column, PERUN_TYPE_JSON, text);
	add_columns(&models, model);
	if (snapshot >= 0)
		perun_column_set_int64(model_column(&models, "snapshot"), snapshot);
	perun_table_end_row(models.table);
}

void perun_builder_add_model(struct perun_builder *builder, const struct perun_json *model,
			     int64_t snapshot)
{
	add_model(builder, PERUN_NO_ID, model, snapshot);
}

/* perun_json_parse(), whose reader is kept. */
static int parse_model(struct perun_ctx *ctx, struct perun_builder *builder, const char *text,
		       size_t length, struct perun_json **model)
{
	int status;

	if (builder->models && builder->models_ctx == ctx) {
		perun_json_reader_set_text(builder->models, text, length);
	} else {
		perun_json_reader_free(builder->models);
		builder->models = perun_json_reader_new_text(ctx, text, length, NULL);
		builder->models_ctx = ctx;
	}
	status = perun_json_read_value(builder->models, model);
	if (!status)
		status = perun_json_expect(builder->models, PERUN_JSON_END, NULL);
	if (status) {
		perun_json_free(*model);
		*model = NULL;
	}
	return status;
}

int perun_builder_add_model_text(struct perun_ctx *ctx, struct perun_builder *builder,
				 perun_id text, int64_t snapshot)
{
	size_t length;
	const char *bytes = perun_builder_string_at(builder, text, &length);
	struct perun_json *model;
	int status = parse_model(ctx, builder, bytes, length, &model);

	if (!status)
		add_model(builder, text, model, snapshot);
	perun_json_free(model);
	return status;
}
