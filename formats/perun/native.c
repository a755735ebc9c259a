/* SPDX-License-Identifier: BSD-3-Clause */
/* Types as the file had them that the profile was read from. */
#include <stdlib.h>
#include <string.h>

#include "writing.h"

static struct field *find_field(const struct plan *plan, const char *key)
{
	size_t low = 0, high = plan->sorted_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(plan->sorted[middle]->key, key);

		if (order == 0)
			return plan->sorted[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The fields of a list of names; keys whose column is gone are left out. */
static struct field **find_fields(const struct plan *plan, const struct perun_json *names,
				  size_t *count)
{
	size_t all = perun_json_count(names);
	struct field **fields = perun_alloc_zero(all + 1, sizeof *fields);

	*count = 0;
	for (size_t i = 0; i < all; i++) {
		const char *name = perun_json_as_string(perun_json_at(names, i), NULL);
		struct field *field = name ? find_field(plan, name) : NULL;

		if (field)
			fields[(*count)++] = field;
	}
	return fields;
}

static struct layout *make_layout(struct plan *plan, const char *text, size_t length)
{
	struct layout *layout = perun_alloc_zero(1, sizeof *layout);
	struct perun_json *shape = NULL;
	const struct perun_json *collected, *persistent;

	perun_json_parse(NULL, text, length, NULL, &shape);
	collected = perun_json_at(shape, 0);
	persistent = perun_json_at(shape, 1);
	layout->in_resources = perun_json_type(collected) == PERUN_JSON_TYPE_ARRAY;
	layout->in_map = perun_json_type(persistent) == PERUN_JSON_TYPE_ARRAY;
	layout->collected = find_fields(plan, collected, &layout->collected_count);
	layout->persistent = find_fields(plan, persistent, &layout->persistent_count);
	perun_json_free(shape);
	PERUN_GROW(plan->layouts, plan->layout_count, plan->layout_capacity);
	return plan->layouts[plan->layout_count++] = layout;
}

static bool read_types(struct plan *plan)
{
	const struct perun_table *table = perun_profile_table(plan->profile, "resource_types");
	const struct perun_column *name = perun_table_column(table, "name");
	const struct perun_column *shape = perun_table_column(table, "shape");
	const struct perun_column *persistent = perun_table_column(table, "persistent");
	struct map layouts = {0};

	if (!name || !shape || perun_column_info(name)->type != PERUN_TYPE_STRING ||
	    perun_column_info(shape)->type != PERUN_TYPE_JSON)
		return false;
	plan->type_count = perun_table_rows(table);
	plan->types = perun_alloc_zero(plan->type_count + 1, sizeof *plan->types);
	for (size_t i = 0; i < plan->type_count; i++) {
		struct planned_type *type = &plan->types[i];
		perun_id id = perun_column_id(shape, i);
		uint32_t known = perunjson_map_get(&layouts, id);
		const char *text;
		size_t length;

		if (known == MAP_NONE) {
			text = perun_profile_string(plan->profile, id, &length);
			known = (uint32_t)plan->layout_count;
			make_layout(plan, text ? text : "", text ? length : 0);
			perunjson_map_set(&layouts, id, known);
		}
		type->layout = plan->layouts[known];
		type->persistent = persistent ? perun_column_id(persistent, i) : PERUN_NO_ID;
		type->name = perun_profile_string(plan->profile, perun_column_id(name, i),
						  &type->name_length);
		if (!type->name) {
			perunjson_map_free(&layouts);
			return false;
		}
	}
	perunjson_map_free(&layouts);
	return true;
}

/* Count the rows of each type. False: one has no type. */
static bool count_rows(struct plan *plan, const struct perun_column *kind, int64_t *block,
		       bool *sorted)
{
	struct perun_span span;
	size_t last = 0;

	*sorted = true;
	for (size_t row = 0; perun_column_span_copy(kind, row, &span, block);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			if (span.ids[i] >= plan->type_count)
				return false;
			plan->types[span.ids[i]].count++;
			*sorted = *sorted && span.ids[i] >= last;
			last = span.ids[i];
		}
	}
	return true;
}

static void place_rows(struct plan *plan, const struct perun_column *kind, int64_t *block)
{
	struct perun_span span;

	plan->rows = perun_alloc(perun_table_rows(plan->table) * sizeof *plan->rows);
	for (size_t row = 0; perun_column_span_copy(kind, row, &span, block);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++)
			plan->rows[plan->types[span.ids[i]].first++] = (uint32_t)(span.first + i);
	}
	for (size_t i = 0; i < plan->type_count; i++)
		plan->types[i].first -= plan->types[i].count;
}

/* Sort the rows by their types, keeping their order: count, then place. False: one has no type. */
static bool sort_rows(struct plan *plan)
{
	const struct perun_column *kind = perun_table_column(plan->table, "kind");
	size_t place = 0;
	int64_t *block;
	bool sorted, good;

	if (!kind || perun_column_info(kind)->type != PERUN_TYPE_ROW)
		return false;
	block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	good = count_rows(plan, kind, block, &sorted);
	for (size_t i = 0; i < plan->type_count; i++) {
		plan->types[i].first = place;
		place += plan->types[i].count;
	}
	if (good && !sorted)
		place_rows(plan, kind, block);
	perun_free(block);
	return good;
}

/* ---- do they still fit? ---------------------------------------------------------------------- */

static bool is_among(struct field *const *fields, size_t count, const struct field *field)
{
	for (size_t i = 0; i < count; i++) {
		if (fields[i] == field)
			return true;
	}
	return false;
}

/* Whether all rows of the type have one value. */
static bool is_constant(const struct plan *plan, const struct planned_type *type,
			struct field *field)
{
	struct field_value first = perunjson_field_value(field, plan_row(plan, type->first)), value;

	if (!first.has)
		return false;
	for (size_t i = 1; i < type->count; i++) {
		value = perunjson_field_value(field, plan_row(plan, type->first + i));
		if (!field_value_equal(first, value))
			return false;
	}
	return true;
}

/* Adds to `seen`, by field, how many cells the type takes care of. */
static bool type_fits(const struct plan *plan, const struct planned_type *type, size_t *seen)
{
	const struct layout *layout = type->layout;
	const uint32_t *rows = plan->rows ? plan->rows + type->first : NULL;

	if (!layout->in_resources)
		return type->count == 0;
	for (size_t i = 0; i < layout->collected_count; i++)
		seen[layout->collected[i] - plan->fields] +=
			perunjson_field_count(layout->collected[i], rows, type->first, type->count);
	for (size_t i = 0; i < layout->persistent_count; i++) {
		struct field *field = layout->persistent[i];

		if (!type->count || is_among(layout->collected, layout->collected_count, field))
			continue;
		if (!is_constant(plan, type, field))
			return false;
		seen[field - plan->fields] += type->count;
	}
	return true;
}

static bool all_fit(const struct plan *plan)
{
	size_t rows = perun_table_rows(plan->table);
	size_t *seen = perun_alloc_zero(plan->field_count + 1, sizeof *seen);
	bool fit = true;

	for (size_t i = 0; i < plan->type_count && fit; i++)
		fit = type_fits(plan, &plan->types[i], seen);
	/* Cells that no type takes care of: somebody added a key. */
	for (size_t i = 0; i < plan->field_count && fit; i++)
		fit = plan->fields[i].internal ||
		      seen[i] == perunjson_field_count(&plan->fields[i], NULL, 0, rows);
	perun_free(seen);
	return fit;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct place {
	int64_t position;
	uint32_t type;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->type < y->type ? -1 : x->type > y->type;
}

/* The types by a column of positions; NULL when there is none. */
static uint32_t *order_by(const struct plan *plan, const char *name)
{
	const struct perun_table *table = perun_profile_table(plan->profile, "resource_types");
	const struct perun_column *column = perun_table_column(table, name);
	struct place *places;
	uint32_t *order;

	if (!column || plan->type_count == 0)
		return NULL;
	places = perun_alloc_zero(plan->type_count, sizeof *places);
	order = perun_alloc(plan->type_count * sizeof *order);
	for (size_t i = 0; i < plan->type_count; i++)
		places[i] = (struct place){perun_column_int64(column, i), (uint32_t)i};
	qsort(places, plan->type_count, sizeof *places, compare_places);
	for (size_t i = 0; i < plan->type_count; i++)
		order[i] = places[i].type;
	perun_free(places);
	return order;
}

bool perunjson_plan_native(struct plan *plan)
{
	if (!perun_profile_table(plan->profile, "resource_types"))
		return false;
	if (!read_types(plan) || !sort_rows(plan) || !all_fit(plan)) {
		perun_free(plan->types);
		perun_free(plan->rows);
		plan->types = NULL;
		plan->rows = NULL;
		plan->type_count = 0;
		return false;
	}
	plan->resource_order = order_by(plan, "resource_position");
	plan->map_order = order_by(plan, "map_position");
	return true;
}
