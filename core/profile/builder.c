/* SPDX-License-Identifier: BSD-3-Clause */
/* A builder from nothing or from a profile, its tables, and the profile that it becomes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/profile/model.h"

static struct perun_document *document_new(struct perun_json *value)
{
	struct perun_document *document = perun_alloc_zero(1, sizeof *document);

	atomic_init(&document->refs, 1);
	document->value = value;
	return document;
}

void perun_document_unref(struct perun_document *document)
{
	if (!document || atomic_fetch_sub(&document->refs, 1) != 1)
		return;
	perun_json_free(document->value);
	perun_free(document);
}

struct perun_builder *perun_builder_new(void)
{
	struct perun_builder *builder = perun_alloc_zero(1, sizeof *builder);

	perun_pools_init(&builder->pools);
	builder->document = document_new(perun_json_object());
	return builder;
}

static void copy_info(struct perun_column_info *to, const struct perun_column_info *from)
{
	*to = *from;
	to->name = perun_strdup(from->name);
	to->unit = perun_strdup(from->unit ? from->unit : "");
	to->refers = perun_strdup(from->refers);
	to->statistic = perun_strdup(from->statistic);
}

void perun_column_info_free(struct perun_column_info *info)
{
	perun_free((char *)info->name);
	perun_free((char *)info->unit);
	perun_free((char *)info->refers);
	perun_free((char *)info->statistic);
}

struct perun_builder *perun_builder_from(struct perun_profile *profile)
{
	struct perun_builder *builder = perun_alloc_zero(1, sizeof *builder);

	perun_pools_share(&builder->pools, &profile->pools);
	builder->document = profile->document;
	atomic_fetch_add(&builder->document->refs, 1);
	for (size_t i = 0; i < profile->table_count; i++) {
		const struct perun_table *from = &profile->tables[i];
		struct perun_table_builder *table = perun_builder_table(builder, from->name);

		table->rows = from->rows;
		for (size_t c = 0; c < from->column_count; c++) {
			struct perun_column_builder *column =
				perun_table_add_column(table, &from->columns[c].info);

			perun_cells_share(&column->cells, &from->columns[c].cells);
		}
	}
	return builder;
}

static void column_free(struct perun_column_builder *column)
{
	perun_column_info_free(&column->info);
	perun_cells_free(&column->cells);
	perun_free(column);
}

static void table_free(struct perun_table_builder *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		column_free(table->columns[i]);
	perun_free(table->columns);
	perun_pool_unref(table->names);
	perun_free(table->name);
	perun_free(table);
}

void perun_builder_free(struct perun_builder *builder)
{
	if (!builder)
		return;
	for (size_t i = 0; i < builder->table_count; i++)
		table_free(builder->tables[i]);
	for (size_t i = 0; i < builder->appended_count; i++)
		perun_profile_unref(builder->appended[i].other);
	perun_free(builder->tables);
	perun_free(builder->appended);
	perun_described_free(builder->described);
	perun_free(builder->failure);
	perun_json_reader_free(builder->models);
	perun_pools_free(&builder->pools);
	perun_document_unref(builder->document);
	perun_free(builder);
}

void perun_builder_broken(struct perun_builder *builder, const char *format, ...)
{
	va_list args;

	if (builder->failure)
		return;
	va_start(args, format);
	builder->failure = perun_vformat(format, args);
	va_end(args);
}

struct perun_json *perun_builder_document(struct perun_builder *builder)
{
	struct perun_document *document = builder->document;

	if (atomic_load(&document->refs) > 1) {
		builder->document = document_new(perun_json_clone(document->value));
		perun_document_unref(document);
	}
	return builder->document->value;
}

struct perun_table_builder *perun_builder_find_table(const struct perun_builder *builder,
						     const char *name)
{
	for (size_t i = 0; i < builder->table_count; i++) {
		if (strcmp(builder->tables[i]->name, name) == 0)
			return builder->tables[i];
	}
	return NULL;
}

struct perun_table_builder *perun_builder_table(struct perun_builder *builder, const char *name)
{
	struct perun_table_builder *table = perun_builder_find_table(builder, name);

	if (table)
		return table;
	table = perun_alloc_zero(1, sizeof *table);
	table->name = perun_strdup(name);
	table->builder = builder;
	PERUN_GROW(builder->tables, builder->table_count, builder->table_capacity);
	builder->tables[builder->table_count++] = table;
	return table;
}

static void remove_column_at(struct perun_table_builder *table, size_t i)
{
	column_free(table->columns[i]);
	perun_pool_unref(table->names);
	table->names = NULL;
	table->column_count--;
	memmove(&table->columns[i], &table->columns[i + 1],
		(table->column_count - i) * sizeof *table->columns);
}

static void remove_references(struct perun_table_builder *table, const char *name)
{
	for (size_t i = table->column_count; i-- > 0;) {
		const struct perun_column_builder *column = table->columns[i];

		if (column->cells.type == PERUN_TYPE_ROW && column->info.refers &&
		    strcmp(column->info.refers, name) == 0)
			remove_column_at(table, i);
	}
}

void perun_builder_remove_table(struct perun_builder *builder, const char *name)
{
	struct perun_table_builder *table = perun_builder_find_table(builder, name);
	size_t kept = 0;

	if (!table)
		return;
	for (size_t i = 0; i < builder->table_count; i++) {
		if (builder->tables[i] == table)
			continue;
		remove_references(builder->tables[i], table->name);
		builder->tables[kept++] = builder->tables[i];
	}
	builder->table_count = kept;
	table_free(table);
}

/* Some files have thousands of keys; few columns are found faster by looking at each. */
enum { MANY_COLUMNS = 16 };

static void index_column(struct perun_table_builder *table, size_t i)
{
	const char *name = table->columns[i]->info.name;

	perun_pool_add(&table->names, name, strlen(name));
}

static void index_columns(struct perun_table_builder *table)
{
	if (table->names || table->column_count < MANY_COLUMNS)
		return;
	table->names = perun_pool_new(true);
	for (size_t c = 0; c < table->column_count; c++)
		index_column(table, c);
}

static struct perun_column_builder *find_by_index(struct perun_table_builder *table,
						  const char *name)
{
	perun_id i;

	index_columns(table);
	i = perun_pool_find(table->names, name, strlen(name));
	return i == PERUN_NO_ID ? NULL : table->columns[i];
}

/* Each has cells that wait for more; a few of them are no more than what else a file takes. */
static void crowd_columns(struct perun_table_builder *table)
{
	size_t first = table->column_count == MANY_COLUMNS ? 0 : table->column_count - 1;

	for (size_t c = first; c < table->column_count && table->column_count >= MANY_COLUMNS; c++)
		table->columns[c]->cells.crowded = true;
}

struct perun_column_builder *perun_table_add_column(struct perun_table_builder *table,
						    const struct perun_column_info *info)
{
	struct perun_column_builder *column = perun_table_find_column(table, info->name);

	if (column)
		return column;
	column = perun_alloc_zero(1, sizeof *column);
	copy_info(&column->info, info);
	column->table = table;
	perun_cells_init(&column->cells, info->type);
	PERUN_GROW(table->columns, table->column_count, table->column_capacity);
	table->columns[table->column_count++] = column;
	crowd_columns(table);
	if (table->names)
		index_column(table, table->column_count - 1);
	return column;
}

struct perun_column_builder *perun_table_find_column(struct perun_table_builder *table,
						     const char *name)
{
	if (table->column_count >= MANY_COLUMNS)
		return find_by_index(table, name);
	for (size_t i = 0; i < table->column_count; i++) {
		if (strcmp(table->columns[i]->info.name, name) == 0)
			return table->columns[i];
	}
	return NULL;
}

size_t perun_table_builder_columns(const struct perun_table_builder *table)
{
	return table->column_count;
}

struct perun_column_builder *perun_table_builder_column(struct perun_table_builder *table, size_t i)
{
	return i < table->column_count ? table->columns[i] : NULL;
}

void perun_table_remove_column(struct perun_table_builder *table, const char *name)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (strcmp(table->columns[i]->info.name, name) == 0) {
			remove_column_at(table, i);
			return;
		}
	}
}

void perun_table_end_row(struct perun_table_builder *table)
{
	table->rows++;
}

void perun_table_end_rows(struct perun_table_builder *table, size_t count)
{
	const size_t end = table->rows + count;

	for (size_t c = 0; c < table->column_count; c++) {
		const struct perun_column_builder *column = table->columns[c];
		const size_t cells = column->bulk_end;

		if (cells > table->rows && cells < end)
			perun_builder_broken(table->builder,
					     "columns are uneven: %s of table %s has %zu of %zu "
					     "cells",
					     column->info.name, table->name, cells, end);
	}
	table->rows = end;
}

size_t perun_table_builder_rows(const struct perun_table_builder *table)
{
	return table->rows;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void finish_table(struct perun_table *table, struct perun_table_builder *from)
{
	table->name = from->name;
	from->name = NULL;
	table->rows = from->rows;
	index_columns(from);
	table->names = from->names;
	from->names = NULL;
	table->column_count = from->column_count;
	table->columns = perun_alloc_zero(from->column_count, sizeof *table->columns);
	for (size_t i = 0; i < from->column_count; i++) {
		struct perun_column_builder *source = from->columns[i];
		struct perun_column *column = &table->columns[i];

		perun_cells_finish(&source->cells);
		column->table = table;
		column->index = i;
		column->info = source->info;
		column->info.type = source->cells.type;
		column->cells = source->cells;
		table->has_parameters |= column->info.role == PERUN_ROLE_PARAMETER;
		perun_free(source);
	}
	from->column_count = 0;
}

int perun_builder_finish(struct perun_ctx *ctx, struct perun_builder *builder,
			 struct perun_profile **result)
{
	struct perun_profile *profile;
	int status;

	*result = NULL;
	perun_builder_write_described(builder);
	status = perun_builder_validate(ctx, builder);
	if (status != PERUN_OK) {
		perun_builder_free(builder);
		return status;
	}
	profile = perun_alloc_zero(1, sizeof *profile);
	atomic_init(&profile->refs, 1);
	pthread_mutex_init(&profile->lock, NULL);
	profile->no_resources.name = (char *)"resources";
	profile->no_resources.profile = profile;
	/* Nobody asks whether there is a stack or a place: who adds one makes the table again. */
	for (int kind = PERUN_POOL_FUNCTIONS; kind <= PERUN_POOL_STACKS; kind++)
		perun_pool_forget(builder->pools.pool[kind]);
	for (int kind = 0; kind < PERUN_POOL_COUNT; kind++)
		perun_pool_finish(builder->pools.pool[kind]);
	if (builder->pools.tree)
		perun_stack_tree_finish(builder->pools.tree);
	profile->pools = builder->pools;
	profile->document = builder->document;
	memset(&builder->pools, 0, sizeof builder->pools);
	builder->document = NULL;
	profile->table_count = builder->table_count;
	profile->tables = perun_alloc_zero(builder->table_count, sizeof *profile->tables);
	for (size_t i = 0; i < builder->table_count; i++) {
		finish_table(&profile->tables[i], builder->tables[i]);
		profile->tables[i].profile = profile;
	}
	perun_builder_free(builder);
	*result = profile;
	return PERUN_OK;
}
