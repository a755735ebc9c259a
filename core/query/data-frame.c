/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources as one flat table: objects spread over columns named by their paths. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/profile/pool.h"
#include "core/query/cell.h"
#include "core/query/paths.h"

/* Objects that would make more columns, cells or bytes of text than these are refused. */
#define MAX_COLUMNS 4096
#define MAX_CELLS   ((uint64_t)1 << 28)
#define MAX_BYTES   ((size_t)1 << 30)

/* A value as a column takes it. */
struct value {
	enum perun_type type; /* PERUN_TYPE_ROW: there is none */
	union {
		int64_t int64;
		uint64_t uint64;
		double real;
		bool truth;
		perun_id id;
	};
};

/* One value of one of the different cells of a column. */
struct item {
	uint32_t path, cell;
	struct value value;
};

struct spread {
	struct perun_builder *builder;
	const struct perun_column *column;
	struct perun_pool *paths;
	uint32_t *rows; /* the first row of each different cell */
	size_t count;
	uint32_t *cell_of_id;
	struct item *items;
	size_t item_count, item_capacity, bytes;
	uint32_t cell;         /* whose items are being added */
	struct value *current; /* of each cell, for the path that is being written */
};

static struct value make_value(struct perun_builder *builder, const struct perun_json *json)
{
	struct value value = {.type = PERUN_TYPE_JSON};
	struct perun_buffer buffer = {0};
	size_t length;
	const char *text = perun_json_as_string(json, &length);

	if (text) {
		value.type = PERUN_TYPE_STRING;
		value.id = perun_builder_string(builder, text, length);
	} else if (perun_json_as_int64(json, &value.int64)) {
		value.type = PERUN_TYPE_INT64;
	} else if (perun_json_as_uint64(json, &value.uint64)) {
		value.type = PERUN_TYPE_UINT64;
	} else if (perun_json_as_bool(json, &value.truth)) {
		value.type = PERUN_TYPE_BOOL;
	} else if (perun_json_type(json) == PERUN_JSON_TYPE_DOUBLE) {
		value.type = PERUN_TYPE_DOUBLE;
		perun_json_as_double(json, &value.real);
	} else {
		perun_json_print(json, &buffer, PERUN_JSON_PYTHON, 0);
		value.id = perun_builder_string(builder, buffer.data, buffer.length);
		perun_buffer_free(&buffer);
	}
	return value;
}

static void set_value(struct perun_column_builder *column, const struct value *value)
{
	switch (value->type) {
	case PERUN_TYPE_INT64:
		perun_column_set_int64(column, value->int64);
		break;
	case PERUN_TYPE_UINT64:
		perun_column_set_uint64(column, value->uint64);
		break;
	case PERUN_TYPE_DOUBLE:
		perun_column_set_double(column, value->real);
		break;
	case PERUN_TYPE_BOOL:
		perun_column_set_bool(column, value->truth);
		break;
	case PERUN_TYPE_STRING:
	case PERUN_TYPE_JSON:
		perun_column_set_id(column, value->type, value->id);
		break;
	default:
		break;
	}
}

/* ---- reading the objects ---------------------------------------------------------------------- */

static int add_item(void *data, const char *path, const struct perun_json *value)
{
	struct spread *spread = data;
	perun_id id = perun_pool_add(&spread->paths, path, strlen(path));
	size_t length = 0;

	perun_json_as_string(value, &length);
	spread->bytes += length + sizeof(struct item);
	if (id == PERUN_NO_ID || spread->paths->count > MAX_COLUMNS || spread->bytes > MAX_BYTES)
		return PERUN_INPUT;
	PERUN_GROW(spread->items, spread->item_count, spread->item_capacity);
	spread->items[spread->item_count++] =
		(struct item){id, spread->cell, make_value(spread->builder, value)};
	return 0;
}

static int add_cell(struct spread *spread)
{
	struct perun_json *value = perun_cell_value(spread->column, spread->rows[spread->cell]);
	struct perun_json *object = perun_json_object();
	int status;

	perun_json_set(object, perun_column_info(spread->column)->name, value);
	status = perun_all_items_of_value(object, add_item, spread);
	perun_json_free(object);
	return status;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* Find all paths and values of the different cells of a column. */
static int open_spread(struct perun_ctx *ctx, struct spread *spread)
{
	const struct perun_column *column = spread->column;
	const char *name = perun_column_info(column)->name;
	size_t ids = perun_pool_size(perun_table_profile(perun_column_table(column)),
				     perun_column_info(column)->type);

	spread->paths = perun_pool_new(true);
	spread->rows = perun_distinct_cells(column, &spread->count);
	spread->current = perun_alloc_zero(spread->count + 1, sizeof *spread->current);
	spread->cell_of_id = perun_alloc_zero(ids + 1, sizeof *spread->cell_of_id);
	for (size_t i = 0; i < spread->count; i++) {
		spread->cell = (uint32_t)i;
		spread->cell_of_id[perun_column_id(column, spread->rows[i])] = spread->cell;
		if (add_cell(spread))
			return perun_fail(ctx, PERUN_INPUT,
					  "objects in column \"%s\" have more than %d different "
					  "keys, or too much text, for a table",
					  name, MAX_COLUMNS);
	}
	if (spread->item_count > 0)
		qsort(spread->items, spread->item_count, sizeof *spread->items, compare_items);
	return PERUN_OK;
}

static void close_spread(struct spread *spread)
{
	perun_free(spread->items);
	perun_free(spread->rows);
	perun_free(spread->current);
	perun_free(spread->cell_of_id);
	perun_pool_unref(spread->paths);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void write_cells(struct spread *spread, struct perun_table_builder *table,
			struct perun_column_builder *column)
{
	struct perun_span span;

	for (size_t row = 0; perun_column_span(spread->column, row, &span);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			if (!perun_bit(span.absent, i))
				set_value(column,
					  &spread->current[spread->cell_of_id[span.ids[i]]]);
			perun_table_end_row(table);
		}
	}
}

/* The column of one path, from its items; returns how many these are. */
static size_t write_path(struct spread *spread, const struct item *items, size_t count)
{
	struct perun_table_builder *table = perun_builder_table(spread->builder, "resources");
	struct perun_column_info info = {.name = perun_pool_at(spread->paths, items->path, NULL),
					 .type = PERUN_TYPE_INT64,
					 .role = perun_column_info(spread->column)->role,
					 .growing = true};
	size_t used = 0;

	for (size_t i = 0; i < spread->count; i++)
		spread->current[i].type = PERUN_TYPE_ROW;
	for (; used < count && items[used].path == items->path; used++)
		spread->current[items[used].cell] = items[used].value;
	if (perun_table_find_column(table, info.name))
		return used; /* the resources have a key of that very name */
	perun_table_rewind(table, 0);
	write_cells(spread, table, perun_table_add_column(table, &info));
	return used;
}

static int spread_column(struct perun_ctx *ctx, struct perun_builder *builder,
			 const struct perun_column *column)
{
	const char *name = perun_column_info(column)->name;
	size_t rows = perun_table_rows(perun_column_table(column));
	struct spread spread = {.builder = builder, .column = column};
	int status = open_spread(ctx, &spread);

	if (!status && (uint64_t)rows * spread.paths->count > MAX_CELLS)
		status = perun_fail(ctx, PERUN_INPUT,
				    "column \"%s\" would become %u columns of %zu rows: more than "
				    "the limit of %llu cells",
				    name, (unsigned)spread.paths->count, rows,
				    (unsigned long long)MAX_CELLS);
	if (!status) {
		/* It makes room for a column of flat texts. */
		perun_table_remove_column(perun_builder_table(builder, "resources"), name);
		for (size_t i = 0; i < spread.item_count;)
			i += write_path(&spread, &spread.items[i], spread.item_count - i);
	}
	close_spread(&spread);
	return status;
}

static int add_snapshot_number(void *data, int64_t snapshot, size_t row)
{
	(void)row;
	perun_column_append_int64(data, &snapshot, 1);
	return 0;
}

static void add_snapshots(struct perun_profile *profile, struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {
		.name = "snapshots", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME};
	size_t rows = perun_table_builder_rows(table);

	if (perun_table_find_column(table, "snapshots"))
		return;
	perun_table_rewind(table, 0);
	perun_all_resources(profile, add_snapshot_number, perun_table_add_column(table, &info));
	perun_table_rewind(table, rows);
}

/* Nothing but the resources stays, and of these what the format calls a resource. */
static void drop_the_rest(struct perun_profile *profile, struct perun_builder *builder)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t i = 0; i < perun_profile_tables(profile); i++) {
		const char *name = perun_table_name(perun_profile_table_at(profile, i));

		if (strcmp(name, "resources") != 0)
			perun_builder_remove_table(builder, name);
	}
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (!perun_column_is_item(column))
			perun_table_remove_column(perun_builder_table(builder, "resources"),
						  perun_column_info(column)->name);
	}
}

int perun_resources_as_columns(struct perun_ctx *ctx, struct perun_profile *profile,
			       struct perun_profile **columns)
{
	const struct perun_table *table = perun_resources(profile);
	struct perun_builder *builder = perun_builder_from(profile);
	int status = PERUN_OK;

	*columns = NULL;
	drop_the_rest(profile, builder);
	for (size_t i = 0; i < perun_table_columns(table) && !status; i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (perun_type_nests(perun_column_info(column)->type))
			status = spread_column(ctx, builder, column);
	}
	if (status) {
		perun_builder_free(builder);
		return perun_fail(ctx, PERUN_OK, "cannot spread the resources over columns");
	}
	add_snapshots(profile, builder);
	return perun_builder_finish(ctx, builder, columns);
}
