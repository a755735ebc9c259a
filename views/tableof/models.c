/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as a flat table: a column for each value that a model has. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "rows.h"

static void set_value(struct perun_builder *builder, struct perun_column_builder *column,
		      const struct perun_json *value)
{
	int64_t number;
	uint64_t large;
	double real;
	bool truth;
	size_t length;
	const char *text;

	if (perun_json_as_int64(value, &number))
		perun_column_set_int64(column, number);
	else if (perun_json_as_uint64(value, &large))
		perun_column_set_uint64(column, large);
	else if (perun_json_as_double(value, &real))
		perun_column_set_double(column, real);
	else if (perun_json_as_bool(value, &truth))
		perun_column_set_bool(column, truth);
	else if ((text = perun_json_as_string(value, &length)))
		perun_column_set_id(column, PERUN_TYPE_STRING,
				    perun_builder_string(builder, text, length));
}

static struct perun_column_builder *column_of(struct perun_builder *builder, const char *name)
{
	const struct perun_column_info info = {
		.name = name, .type = PERUN_TYPE_STRING, .growing = true};

	return perun_table_add_column(perun_builder_table(builder, "models"), &info);
}

/*
 * A value of a row. Where the format keeps the text of a model as a whole (column "json"), the values
 * in it are columns like those beside it.
 */
static int add_item(void *data, const char *path, const struct perun_json *value)
{
	static const char whole[] = "json";
	struct perun_builder *builder = data;

	if (strcmp(path, whole) == 0)
		return 0;
	if (strncmp(path, "json:", sizeof whole) == 0)
		path += sizeof whole;
	set_value(builder, column_of(builder, path), value);
	return 0;
}

/* Coefficients may be in a table of their own. */
static void add_coefficients(struct perun_profile *profile, size_t row,
			     struct perun_builder *builder)
{
	struct perun_model model;

	perun_model_read(profile, row, &model);
	for (size_t i = 0; i < model.coefficient_count; i++) {
		char *name = perun_format("coeffs:b%zu", i);

		if (!isnan(model.coefficients[i]))
			perun_column_set_double(column_of(builder, name), model.coefficients[i]);
		perun_free(name);
	}
	perun_model_clear(&model);
}

int models_as_columns(struct perun_ctx *ctx, struct perun_profile *profile,
		      struct perun_profile **flat)
{
	const struct perun_table *models = perun_profile_table(profile, "models");
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "models");

	for (size_t row = 0; models && row < perun_table_rows(models); row++) {
		perun_all_items_of(models, row, add_item, builder);
		if (!perun_table_column(models, "json"))
			add_coefficients(profile, row, builder);
		perun_table_end_row(table);
	}
	return perun_builder_finish(ctx, builder, flat);
}
