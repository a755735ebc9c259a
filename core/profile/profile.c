/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a profile: its pools, tables and columns. */
#include <math.h>
#include <string.h>

#include "core/profile/model.h"

struct perun_profile *perun_profile_ref(struct perun_profile *profile)
{
	atomic_fetch_add_explicit(&profile->refs, 1, memory_order_relaxed);
	return profile;
}

static void free_tables(struct perun_profile *profile)
{
	for (size_t t = 0; t < profile->table_count; t++) {
		struct perun_table *table = &profile->tables[t];

		for (size_t c = 0; c < table->column_count; c++) {
			perun_column_info_free(&table->columns[c].info);
			perun_cells_free(&table->columns[c].cells);
		}
		perun_free(table->columns);
		perun_pool_unref(table->names);
		perun_free(table->name);
	}
	perun_free(profile->tables);
}

void perun_profile_unref(struct perun_profile *profile)
{
	if (!profile || atomic_fetch_sub_explicit(&profile->refs, 1, memory_order_acq_rel) != 1)
		return;
	while (profile->texts) {
		struct perun_lazy_text *text = profile->texts;

		profile->texts = text->next;
		perun_free(text->path);
		perun_free(text->text);
		perun_free(text);
	}
	perun_metric_list_free(profile->metrics);
	perun_json_free(profile->directions);
	perun_free(profile->values);
	free_tables(profile);
	perun_pools_free(&profile->pools);
	perun_document_unref(profile->document);
	pthread_mutex_destroy(&profile->lock);
	perun_free(profile);
}

const struct perun_json *perun_profile_document(const struct perun_profile *profile)
{
	return profile->document->value;
}

/* ---- pools ---------------------------------------------------------------------------------- */

size_t perun_profile_strings(const struct perun_profile *profile)
{
	return profile->pools.pool[PERUN_POOL_STRINGS]->count;
}

const char *perun_profile_string(const struct perun_profile *profile, perun_id id, size_t *length)
{
	return perun_pools_text(&profile->pools, id, length);
}

perun_id perun_profile_find_string(const struct perun_profile *profile, const char *text,
				   size_t length)
{
	return perun_pool_find(profile->pools.pool[PERUN_POOL_STRINGS], text, length);
}

size_t perun_profile_functions(const struct perun_profile *profile)
{
	return profile->pools.pool[PERUN_POOL_FUNCTIONS]->count;
}

const struct perun_function *perun_profile_function(const struct perun_profile *profile,
						    perun_id id)
{
	return perun_pools_function(&profile->pools, id);
}

size_t perun_profile_mappings(const struct perun_profile *profile)
{
	return profile->pools.pool[PERUN_POOL_MAPPINGS]->count;
}

const struct perun_mapping *perun_profile_mapping(const struct perun_profile *profile, perun_id id)
{
	return perun_pools_mapping(&profile->pools, id);
}

size_t perun_profile_locations(const struct perun_profile *profile)
{
	return profile->pools.pool[PERUN_POOL_LOCATIONS]->count;
}

const struct perun_location *perun_profile_location(const struct perun_profile *profile,
						    perun_id id)
{
	return perun_pools_location(&profile->pools, id);
}

const struct perun_location *perun_profile_location_in(const struct perun_profile *profile,
						       perun_id id,
						       struct perun_location_room *room)
{
	return perun_pools_location_in(&profile->pools, id, room);
}

/* An item that is an array of things of `size` bytes. */
static const void *array_at(const struct perun_profile *profile, enum perun_pool_kind kind,
			    perun_id id, size_t size, size_t *count)
{
	size_t bytes;
	const void *array = perun_pool_at(profile->pools.pool[kind], id, &bytes);

	*count = bytes / size;
	return array;
}

size_t perun_profile_stacks(const struct perun_profile *profile)
{
	return perun_pools_stack_count(&profile->pools);
}

const perun_id *perun_profile_stack(const struct perun_profile *profile, perun_id id, size_t *count)
{
	return perun_pools_stack(&profile->pools, id, count);
}

size_t perun_profile_stack_length(const struct perun_profile *profile, perun_id id)
{
	const struct perun_stack_tree *tree = profile->pools.tree;
	size_t count;

	if (tree)
		return id < tree->count ? perun_stack_tree_stack_length(tree, id) : 0;
	if (profile->pools.plain)
		return id < profile->pools.plain->count;
	perun_pools_stack(&profile->pools, id, &count);
	return count;
}

perun_id perun_profile_stack_leaf(const struct perun_profile *profile, perun_id id)
{
	const struct perun_stack_tree *tree = profile->pools.tree;
	const perun_id *stack;
	size_t count;

	if (tree)
		return perun_stack_tree_leaf(tree, id);
	if (profile->pools.plain)
		return id < profile->pools.plain->count ? id : PERUN_NO_ID;
	stack = perun_pools_stack(&profile->pools, id, &count);
	return count ? stack[0] : PERUN_NO_ID;
}

const struct perun_stack_path *perun_profile_paths(const struct perun_profile *profile,
						   size_t *count)
{
	const struct perun_stack_tree *tree = perun_profile_stack_tree(profile);

	*count = tree ? tree->node_count : 0;
	return tree ? tree->nodes : NULL;
}

perun_id perun_profile_stack_path(const struct perun_profile *profile, perun_id id)
{
	const struct perun_stack_tree *tree = perun_profile_stack_tree(profile);

	return tree && id < tree->count ? perun_stack_tree_node(tree, id) : PERUN_NO_ID;
}

const struct perun_stack_tree *perun_profile_stack_tree(const struct perun_profile *profile)
{
	const struct perun_stack_tree *tree = profile->pools.tree;

	return tree && !tree->from_leaf ? tree : NULL;
}

size_t perun_profile_label_sets(const struct perun_profile *profile)
{
	return profile->pools.pool[PERUN_POOL_LABELS]->count;
}

const struct perun_label *perun_profile_labels(const struct perun_profile *profile, perun_id id,
					       size_t *count)
{
	return perun_pools_labels(&profile->pools, id, count);
}

size_t perun_profile_parameters(const struct perun_profile *profile)
{
	return profile->pools.parameter_count;
}

const char *perun_profile_parameter(const struct perun_profile *profile, perun_id id,
				    const char **unit)
{
	const struct perun_parameter *parameter;

	if (id >= profile->pools.parameter_count) {
		if (unit)
			*unit = NULL;
		return NULL;
	}
	parameter = &profile->pools.parameters[id];
	if (unit)
		*unit = perun_pools_text(&profile->pools, parameter->unit, NULL);
	return perun_pools_text(&profile->pools, parameter->name, NULL);
}

size_t perun_profile_points(const struct perun_profile *profile)
{
	return profile->pools.pool[PERUN_POOL_POINTS]->count;
}

const double *perun_profile_point(const struct perun_profile *profile, perun_id id, size_t *count)
{
	return array_at(profile, PERUN_POOL_POINTS, id, sizeof(double), count);
}

/* ---- tables --------------------------------------------------------------------------------- */

size_t perun_profile_tables(const struct perun_profile *profile)
{
	return profile->table_count;
}

const struct perun_table *perun_profile_table_at(const struct perun_profile *profile, size_t i)
{
	return i < profile->table_count ? &profile->tables[i] : NULL;
}

const struct perun_table *perun_profile_table(const struct perun_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->table_count; i++) {
		if (strcmp(profile->tables[i].name, name) == 0)
			return &profile->tables[i];
	}
	return NULL;
}

const struct perun_table *perun_resources(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_profile_table(profile, "resources");

	return table ? table : &profile->no_resources;
}

const char *perun_table_name(const struct perun_table *table)
{
	return table->name;
}

const struct perun_profile *perun_table_profile(const struct perun_table *table)
{
	return table->profile;
}

size_t perun_table_rows(const struct perun_table *table)
{
	return table->rows;
}

size_t perun_table_columns(const struct perun_table *table)
{
	return table->column_count;
}

const struct perun_column *perun_table_column_at(const struct perun_table *table, size_t i)
{
	return i < table->column_count ? &table->columns[i] : NULL;
}

const struct perun_column *perun_table_column(const struct perun_table *table, const char *name)
{
	if (table->names)
		return perun_table_column_at(table,
					     perun_pool_find(table->names, name, strlen(name)));
	for (size_t i = 0; i < table->column_count; i++) {
		if (strcmp(table->columns[i].info.name, name) == 0)
			return &table->columns[i];
	}
	return NULL;
}

/* ---- columns -------------------------------------------------------------------------------- */

const struct perun_column_info *perun_column_info(const struct perun_column *column)
{
	return &column->info;
}

size_t perun_column_index(const struct perun_column *column)
{
	return column->index;
}

const struct perun_table *perun_column_table(const struct perun_column *column)
{
	return column->table;
}

bool perun_column_span(const struct perun_column *column, size_t row, struct perun_span *span)
{
	return perun_cells_span(&column->cells, row, span);
}

bool perun_column_span_copy(const struct perun_column *column, size_t row, struct perun_span *span,
			    int64_t *block)
{
	return perun_cells_span_copy(&column->cells, row, span, block);
}

bool perun_column_absent(const struct perun_column *column, size_t row)
{
	struct perun_one_cell one;

	return !perun_cells_one(&column->cells, row, &one);
}

static int64_t double_to_int64(double value)
{
	if (value != value)
		return 0;
	if (value >= 9223372036854775808.0)
		return INT64_MAX;
	return value < -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

/* A JSON text that is a number: what was too large for the other types. */
static double json_number(const struct perun_column *column, perun_id id)
{
	double value = NAN;
	size_t length;
	const char *text = perun_pools_text(&column->table->profile->pools, id, &length);

	perun_json_parse_double(text, length, &value);
	return value;
}

int64_t perun_column_int64(const struct perun_column *column, size_t row)
{
	struct perun_one_cell one;

	if (!perun_cells_one(&column->cells, row, &one))
		return 0;
	switch (column->cells.type) {
	case PERUN_TYPE_INT64:
		return one.span.int64s[one.i];
	case PERUN_TYPE_UINT64:
		return one.span.uint64s[one.i] > INT64_MAX ? INT64_MAX
							   : (int64_t)one.span.uint64s[one.i];
	case PERUN_TYPE_DOUBLE:
		return double_to_int64(one.span.doubles[one.i]);
	case PERUN_TYPE_BOOL:
		return one.span.bools[one.i];
	case PERUN_TYPE_JSON:
		return double_to_int64(json_number(column, one.span.ids[one.i]));
	default:
		return one.span.ids[one.i];
	}
}

uint64_t perun_column_uint64(const struct perun_column *column, size_t row)
{
	struct perun_one_cell one;
	double value;

	if (!perun_cells_one(&column->cells, row, &one))
		return 0;
	if (column->cells.type == PERUN_TYPE_UINT64)
		return one.span.uint64s[one.i];
	if (column->cells.type == PERUN_TYPE_DOUBLE || column->cells.type == PERUN_TYPE_JSON) {
		value = perun_column_double(column, row);
		if (!(value > 0))
			return 0;
		return value < 18446744073709551616.0 ? (uint64_t)value : UINT64_MAX;
	}
	return perun_column_int64(column, row) < 0 ? 0 : (uint64_t)perun_column_int64(column, row);
}

double perun_column_double(const struct perun_column *column, size_t row)
{
	struct perun_one_cell one;

	if (!perun_cells_one(&column->cells, row, &one))
		return NAN;
	switch (column->cells.type) {
	case PERUN_TYPE_INT64:
		return (double)one.span.int64s[one.i];
	case PERUN_TYPE_UINT64:
		return (double)one.span.uint64s[one.i];
	case PERUN_TYPE_DOUBLE:
		return one.span.doubles[one.i];
	case PERUN_TYPE_BOOL:
		return one.span.bools[one.i];
	case PERUN_TYPE_JSON:
		return json_number(column, one.span.ids[one.i]);
	case PERUN_TYPE_ROW:
		return one.span.ids[one.i];
	default:
		return NAN;
	}
}

perun_id perun_column_id(const struct perun_column *column, size_t row)
{
	struct perun_one_cell one;

	if (!perun_type_is_id(column->cells.type) || !perun_cells_one(&column->cells, row, &one))
		return PERUN_NO_ID;
	return one.span.ids[one.i];
}

void perun_column_print(const struct perun_column *column, size_t row, struct perun_buffer *buffer)
{
	struct perun_one_cell one;

	if (perun_cells_one(&column->cells, row, &one))
		perun_cell_print(&column->table->profile->pools, column->cells.type, &one.span,
				 one.i, buffer);
}

void perun_column_print_json(const struct perun_column *column, size_t row,
			     struct perun_buffer *buffer)
{
	struct perun_one_cell one;

	if (perun_cells_one(&column->cells, row, &one))
		perun_cell_print_json(&column->table->profile->pools, column->cells.type, &one.span,
				      one.i, buffer);
	else
		perun_buffer_add_text(buffer, "null");
}
