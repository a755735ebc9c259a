/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: rows of a table of another profile, with their ids translated. */
#include <math.h>
#include <string.h>

#include "core/profile/model.h"

/* What an id of the other profile is here; 0 = not asked yet, else id + 1. */
struct translation {
	struct perun_builder *builder;
	const struct perun_pools *from;
	perun_id *ids[PERUN_POOL_COUNT];
	struct perun_stack_move *move; /* of stacks that are a tree; NULL: not asked yet */
	perun_id *parameters;
};

static perun_id translate(struct translation *translation, enum perun_pool_kind kind, perun_id id);

static perun_id translate_string(struct translation *translation, perun_id id)
{
	return translate(translation, PERUN_POOL_STRINGS, id);
}

static perun_id copy_function(struct translation *translation, const struct perun_function *from)
{
	struct perun_function function = *from;

	function.name = translate_string(translation, from->name);
	function.system_name = translate_string(translation, from->system_name);
	function.file = translate_string(translation, from->file);
	return perun_builder_function(translation->builder, &function);
}

static perun_id copy_mapping(struct translation *translation, const struct perun_mapping *from)
{
	struct perun_mapping mapping = *from;

	mapping.file = translate_string(translation, from->file);
	mapping.build_id = translate_string(translation, from->build_id);
	return perun_builder_mapping(translation->builder, &mapping);
}

static perun_id copy_location(struct translation *translation, const struct perun_location *from)
{
	struct perun_location location = *from;
	struct perun_line *lines =
		perun_memdup(from->lines, from->line_count * sizeof *from->lines);
	perun_id id;

	for (uint32_t i = 0; i < from->line_count; i++)
		lines[i].function =
			translate(translation, PERUN_POOL_FUNCTIONS, from->lines[i].function);
	location.lines = lines;
	location.mapping = translate(translation, PERUN_POOL_MAPPINGS, from->mapping);
	id = perun_builder_location(translation->builder, &location);
	perun_free(lines);
	return id;
}

static perun_id translate_location(void *translation, perun_id id)
{
	return translate(translation, PERUN_POOL_LOCATIONS, id);
}

/* A path after those of its callers that were not copied before. */
static perun_id copy_path(struct translation *translation, perun_id stack)
{
	perun_id id;

	if (!translation->move)
		translation->move = perun_stack_move_new(translation->from->tree);
	perun_builder_move_stacks(translation->builder, translation->move, &stack, 1,
				  translate_location, translation, &id);
	return id;
}

static perun_id copy_stack(struct translation *translation, perun_id of)
{
	size_t count;
	const perun_id *from;
	perun_id *stack, id;

	if (translation->from->tree && !translation->from->tree->from_leaf)
		return copy_path(translation, of);
	from = perun_pools_stack(translation->from, of, &count);
	stack = perun_alloc(count * sizeof *stack);
	for (size_t i = 0; i < count; i++)
		stack[i] = translate(translation, PERUN_POOL_LOCATIONS, from[i]);
	id = perun_builder_stack(translation->builder, stack, count);
	perun_free(stack);
	return id;
}

static perun_id copy_labels(struct translation *translation, const struct perun_label *from,
			    size_t count)
{
	struct perun_label *labels = perun_memdup(from, count * sizeof *from);
	perun_id id;

	for (size_t i = 0; i < count; i++) {
		labels[i].key = translate_string(translation, from[i].key);
		labels[i].text = translate_string(translation, from[i].text);
		labels[i].unit = translate_string(translation, from[i].unit);
	}
	id = perun_builder_labels(translation->builder, labels, count);
	perun_free(labels);
	return id;
}

/* Parameters are matched by name; those that only one side has are unknown (NaN) in the other. */
static perun_id copy_point(struct translation *translation, const double *from, size_t count)
{
	struct perun_builder *builder = translation->builder;
	const struct perun_pools *pools = translation->from;
	double *values;
	perun_id id;

	if (!translation->parameters) {
		translation->parameters = perun_alloc(pools->parameter_count * sizeof(perun_id));
		for (uint32_t i = 0; i < pools->parameter_count; i++)
			translation->parameters[i] = perun_builder_parameter(
				builder, perun_pools_text(pools, pools->parameters[i].name, NULL),
				perun_pools_text(pools, pools->parameters[i].unit, NULL));
	}
	values = perun_alloc(builder->pools.parameter_count * sizeof *values);
	for (uint32_t i = 0; i < builder->pools.parameter_count; i++)
		values[i] = NAN;
	for (size_t i = 0; i < count && i < pools->parameter_count; i++)
		values[translation->parameters[i]] = from[i];
	id = perun_builder_point(builder, values, builder->pools.parameter_count);
	perun_free(values);
	return id;
}

static perun_id translate(struct translation *translation, enum perun_pool_kind kind, perun_id id)
{
	const struct perun_pool *pool = translation->from->pool[kind];
	size_t count = kind == PERUN_POOL_STACKS ? perun_pools_stack_count(translation->from)
						 : pool->count;
	perun_id *known, copy = PERUN_NO_ID;
	const void *item;
	size_t size;

	if (id >= count)
		return PERUN_NO_ID;
	if (!translation->ids[kind])
		translation->ids[kind] = perun_alloc_zero(count, sizeof *known);
	known = &translation->ids[kind][id];
	if (*known)
		return *known - 1;
	item = perun_pool_at(pool, id, &size);
	switch (kind) {
	case PERUN_POOL_STRINGS:
		copy = perun_builder_string(translation->builder, item, size);
		break;
	case PERUN_POOL_FUNCTIONS:
		copy = copy_function(translation, perun_pools_function(translation->from, id));
		break;
	case PERUN_POOL_MAPPINGS:
		copy = copy_mapping(translation, perun_pools_mapping(translation->from, id));
		break;
	case PERUN_POOL_LOCATIONS:
		copy = copy_location(translation, perun_pools_location(translation->from, id));
		break;
	case PERUN_POOL_STACKS:
		copy = copy_stack(translation, id);
		break;
	case PERUN_POOL_LABELS:
		item = perun_pools_labels(translation->from, id, &size);
		copy = copy_labels(translation, item, size);
		break;
	case PERUN_POOL_POINTS:
		copy = copy_point(translation, item, size / sizeof(double));
		break;
	case PERUN_POOL_COUNT:
		break;
	}
	*known = copy + 1;
	return copy;
}

static enum perun_pool_kind kind_of(enum perun_type type)
{
	switch (type) {
	case PERUN_TYPE_STRING:
	case PERUN_TYPE_JSON:
		return PERUN_POOL_STRINGS;
	case PERUN_TYPE_STACK:
		return PERUN_POOL_STACKS;
	case PERUN_TYPE_LABELS:
		return PERUN_POOL_LABELS;
	case PERUN_TYPE_POINT:
		return PERUN_POOL_POINTS;
	default:
		return PERUN_POOL_COUNT;
	}
}

/* A stretch of ids, translated; rows of a table move by `base`. */
static void append_ids(struct translation *translation, struct perun_column_builder *to,
		       enum perun_type type, const perun_id *ids, size_t count, size_t base)
{
	enum perun_pool_kind kind = kind_of(type);
	perun_id buffer[1024];

	while (count) {
		size_t n = count < 1024 ? count : 1024;

		for (size_t i = 0; i < n; i++) {
			if (kind != PERUN_POOL_COUNT)
				buffer[i] = translate(translation, kind, ids[i]);
			else
				buffer[i] =
					ids[i] == PERUN_NO_ID ? ids[i] : ids[i] + (perun_id)base;
		}
		perun_column_append_ids(to, type, buffer, n);
		ids += n;
		count -= n;
	}
}

/* `count` cells of a span from `i` on, none of them absent. */
static void append_present(struct translation *translation, struct perun_column_builder *to,
			   enum perun_type type, const struct perun_span *span, size_t i,
			   size_t count, size_t base)
{
	switch (type) {
	case PERUN_TYPE_INT64:
		perun_column_append_int64(to, span->int64s + i, count);
		break;
	case PERUN_TYPE_UINT64:
		perun_column_append_uint64(to, span->uint64s + i, count);
		break;
	case PERUN_TYPE_BOOL:
		perun_column_append_bool(to, span->bools + i, count);
		break;
	case PERUN_TYPE_DOUBLE:
		for (size_t end = i + count; i < end; i++) {
			uint64_t integer = perun_bit(span->integers, i);

			if (!span->integers) {
				perun_column_append_double(to, span->doubles + i, NULL, end - i);
				break;
			}
			perun_column_append_double(to, span->doubles + i, &integer, 1);
		}
		break;
	default:
		append_ids(translation, to, type, span->ids + i, count, base);
	}
}

static void append_column(struct translation *translation, struct perun_column_builder *to,
			  const struct perun_column *from, size_t base)
{
	enum perun_type type = from->cells.type;
	struct perun_scratch scratch = {0};
	struct perun_span span;

	for (size_t row = 0; perun_cells_read(&from->cells, row, &scratch, &span);
	     row = span.first + span.count) {
		for (size_t i = 0, end; i < span.count; i = end) {
			bool absent = perun_bit(span.absent, i);

			end = span.absent ? i + 1 : span.count;
			while (end < span.count && perun_bit(span.absent, end) == absent)
				end++;
			if (absent)
				perun_column_append_absent(to, end - i);
			else
				append_present(translation, to, type, &span, i, end - i, base);
		}
	}
	perun_free(scratch.cells);
}

static struct perun_appended *find_appended(struct perun_builder *builder,
					    const struct perun_table *table)
{
	for (size_t i = builder->appended_count; i-- > 0;) {
		if (builder->appended[i].table == table)
			return &builder->appended[i];
	}
	return NULL;
}

static void append_table(struct translation *translation, const struct perun_table *from,
			 bool implied);

/* Where the rows that a column names went; they come along when they are not here yet. */
static size_t base_of(struct translation *translation, const struct perun_column *column)
{
	const struct perun_table *table;
	struct perun_appended *appended;

	if (column->info.type != PERUN_TYPE_ROW || !column->info.refers)
		return 0;
	table = perun_profile_table(column->table->profile, column->info.refers);
	if (!table)
		return 0;
	appended = find_appended(translation->builder, table);
	if (!appended) {
		append_table(translation, table, true);
		appended = find_appended(translation->builder, table);
	}
	return appended->base;
}

static void append_table(struct translation *translation, const struct perun_table *from,
			 bool implied)
{
	struct perun_builder *builder = translation->builder;
	struct perun_table_builder *table = perun_builder_table(builder, from->name);
	struct perun_appended *appended;

	PERUN_GROW(builder->appended, builder->appended_count, builder->appended_capacity);
	appended = &builder->appended[builder->appended_count++];
	appended->other = perun_profile_ref((struct perun_profile *)from->profile);
	appended->table = from;
	appended->base = table->rows;
	appended->implied = implied;
	for (size_t i = 0; i < from->column_count; i++) {
		const struct perun_column *column = &from->columns[i];
		size_t base = base_of(translation, column);
		struct perun_column_builder *to = perun_table_add_column(table, &column->info);

		/* Two profiles may have the same key with cells of other types. */
		if (to->cells.type != column->cells.type)
			to->info.growing = true;
		to->cells.narrow |= column->cells.narrow;
		append_column(translation, to, column, base);
	}
	table->rows += from->rows;
}

void perun_builder_append_table(struct perun_builder *builder, struct perun_profile *other,
				const char *name)
{
	const struct perun_table *table = perun_profile_table(other, name);
	struct translation translation = {.builder = builder, .from = &other->pools};
	struct perun_appended *appended;

	if (!table)
		return;
	appended = find_appended(builder, table);
	if (appended && appended->implied)
		appended->implied = false;
	else
		append_table(&translation, table, false);
	for (int kind = 0; kind < PERUN_POOL_COUNT; kind++)
		perun_free(translation.ids[kind]);
	perun_free(translation.parameters);
	perun_stack_move_free(translation.move);
}
