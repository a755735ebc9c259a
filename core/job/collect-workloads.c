/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured with many workloads, in one profile. */
#include <config.h>

#include <string.h>

#include "core/job/generator.h"

static void set_cell(struct perun_builder *builder, struct perun_column_builder *column,
		     const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	int64_t number;
	double real;

	if (text)
		perun_column_set_id(column, PERUN_TYPE_STRING, perun_builder_text(builder, text));
	else if (perun_json_as_int64(value, &number))
		perun_column_set_int64(column, number);
	else if (perun_json_as_double(value, &real))
		perun_column_set_double(column, real);
}

/* A key as a column of a table, the same value in each row. What the collector measured stays. */
static void add_key(struct perun_builder *builder, struct perun_table_builder *table,
		    const char *key, const struct perun_json *value)
{
	size_t rows = perun_table_builder_rows(table);
	struct perun_column_info info = {
		.name = key, .role = PERUN_ROLE_PARAMETER, .growing = true};
	struct perun_column_builder *column;

	if (perun_table_find_column(table, key))
		return;
	if (perun_json_as_string(value, NULL)) {
		info.type = PERUN_TYPE_STRING;
		info.role = PERUN_ROLE_KEY;
	}
	column = perun_table_add_column(table, &info);
	perun_table_rewind(table, 0);
	for (size_t row = 0; row < rows; row++) {
		set_cell(builder, column, value);
		perun_table_end_row(table);
	}
}

static int add_keys(struct perun_ctx *ctx, const struct perun_generated *workload,
		    struct perun_profile *profile, struct perun_profile **with_keys)
{
	struct perun_builder *builder = perun_builder_from(profile);

	for (size_t i = 0; i < perun_profile_tables(profile); i++) {
		const char *name = perun_table_name(perun_profile_table_at(profile, i));

		/* Models are distinguished by their uid; all else is a measurement. */
		if (strncmp(name, "model", 5) == 0)
			continue;
		for (size_t j = 0; j < perun_json_count(workload->keys); j++)
			add_key(builder, perun_builder_table(builder, name),
				perun_json_key_at(workload->keys, j, NULL),
				perun_json_at(workload->keys, j));
	}
	return perun_builder_finish(ctx, builder, with_keys);
}

int perun_workload_collect(struct perun_ctx *ctx, const struct perun_generated *workload,
			   struct perun_profile *profile, struct perun_profile **all)
{
	struct perun_profile *part, *whole = NULL;
	struct perun_builder *builder;
	int status = add_keys(ctx, workload, profile, &part);

	if (status || !*all) {
		*all = status ? *all : part;
		return status;
	}
	builder = perun_builder_from(*all);
	for (size_t i = 0; i < perun_profile_tables(part); i++)
		perun_builder_append_table(builder, part,
					   perun_table_name(perun_profile_table_at(part, i)));
	status = perun_builder_finish(ctx, builder, &whole);
	perun_profile_unref(part);
	if (!status) {
		perun_profile_unref(*all);
		*all = whole;
	}
	return status;
}
