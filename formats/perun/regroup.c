/* SPDX-License-Identifier: BSD-3-Clause */
/* Types from the values of the rows: for profiles that were edited or that come from elsewhere. */
#include <string.h>

#include <perun/query.h>
#include <perun/lib/hash.h>

#include "writing.h"

struct grouping {
	struct plan *plan;
	struct field **persistent;
	size_t persistent_count;
	struct field *uid;
	uint32_t *slots; /* types by the hash of their values: index + 1, 0 = free */
	size_t slot_count;
	uint32_t *first; /* the first row of each type */
	uint64_t *hashes;
	size_t capacity;
	uint32_t *kinds;     /* the type of each row */
	struct map counters; /* flattened uid -> next number */
};

static void choose_fields(struct grouping *grouping)
{
	struct plan *plan = grouping->plan;

	grouping->persistent = perun_alloc_zero(plan->field_count + 1, sizeof(struct field *));
	for (size_t i = 0; i < plan->sorted_count; i++) {
		struct field *field = plan->sorted[i];

		if (field->collectable)
			continue;
		grouping->persistent[grouping->persistent_count++] = field;
		if (strcmp(field->key, "uid") == 0)
			grouping->uid = field;
	}
}

static uint64_t hash_row(const struct grouping *grouping, size_t row)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < grouping->persistent_count; i++)
		hash = perun_hash_number(hash * 31 +
					 perunjson_field_bits(grouping->persistent[i], row));
	return hash;
}

static bool same_type(const struct grouping *grouping, size_t a, size_t b)
{
	for (size_t i = 0; i < grouping->persistent_count; i++) {
		if (!perunjson_field_equal(grouping->persistent[i], a, b))
			return false;
	}
	return true;
}

static void occupy(struct grouping *grouping, uint32_t type)
{
	size_t i = grouping->hashes[type] & (grouping->slot_count - 1);

	while (grouping->slots[i])
		i = (i + 1) & (grouping->slot_count - 1);
	grouping->slots[i] = type + 1;
}

static void grow_slots(struct grouping *grouping)
{
	size_t count = grouping->plan->type_count;

	if ((count + 1) * 2 <= grouping->slot_count)
		return;
	grouping->slot_count = grouping->slot_count ? grouping->slot_count * 2 : 64;
	perun_free(grouping->slots);
	grouping->slots = perun_alloc_zero(grouping->slot_count, sizeof *grouping->slots);
	for (uint32_t i = 0; i < count; i++)
		occupy(grouping, i);
}

static uint32_t find_row_type(struct grouping *grouping, size_t row)
{
	struct plan *plan = grouping->plan;
	uint64_t hash = hash_row(grouping, row);
	uint32_t type;

	grow_slots(grouping);
	for (size_t i = hash & (grouping->slot_count - 1); grouping->slots[i];
	     i = (i + 1) & (grouping->slot_count - 1)) {
		type = grouping->slots[i] - 1;
		if (grouping->hashes[type] == hash &&
		    same_type(grouping, grouping->first[type], row))
			return type;
	}
	if (plan->type_count >= grouping->capacity) {
		grouping->capacity = grouping->capacity ? grouping->capacity * 2 : 64;
		grouping->first = perun_realloc_array(grouping->first, grouping->capacity,
						      sizeof *grouping->first);
		grouping->hashes = perun_realloc_array(grouping->hashes, grouping->capacity,
						       sizeof *grouping->hashes);
	}
	type = (uint32_t)plan->type_count++;
	grouping->first[type] = (uint32_t)row;
	grouping->hashes[type] = hash;
	occupy(grouping, type);
	return type;
}

/* ---- names ----------------------------------------------------------------------------------- */

static perun_id flat_uid(struct grouping *grouping, size_t row)
{
	struct plan *plan = grouping->plan;
	struct perun_buffer json = {0};
	const char *text = "";
	size_t length = 0;
	perun_id id;
	char *flat;

	if (grouping->uid && field_has(grouping->uid, row)) {
		if (grouping->uid->type == PERUN_TYPE_STRING) {
			text = perun_profile_string(plan->profile,
						    perun_column_id(grouping->uid->column, row),
						    &length);
			return perun_builder_string(plan->names, text, length);
		}
		perun_column_print_json(grouping->uid->column, row, &json);
	}
	if (!json.length)
		return perun_builder_string(plan->names, "", 0);
	flat = perun_flatten(json.data, json.length);
	id = perun_builder_string(plan->names, flat, strlen(flat));
	perun_free(flat);
	perun_buffer_free(&json);
	return id;
}

static void name_types(struct grouping *grouping)
{
	struct plan *plan = grouping->plan;
	struct perun_buffer name = {0};
	const char *flat;
	perun_id *names;
	size_t length;

	plan->names = perun_builder_new();
	plan->types = perun_alloc_zero(plan->type_count + 1, sizeof *plan->types);
	names = perun_alloc((plan->type_count + 1) * sizeof *names);
	for (size_t i = 0; i < plan->type_count; i++) {
		perun_id uid = flat_uid(grouping, grouping->first[i]);
		uint32_t next = perunjson_map_get(&grouping->counters, uid);

		next = next == MAP_NONE ? 0 : next;
		perunjson_map_set(&grouping->counters, uid, next + 1);
		perun_buffer_clear(&name);
		flat = perun_builder_string_at(plan->names, uid, &length);
		perun_buffer_add(&name, flat, length);
		perun_buffer_printf(&name, "#%u", (unsigned)next);
		names[i] = perun_builder_string(plan->names, name.data, name.length);
	}
	for (size_t i = 0; i < plan->type_count; i++) {
		plan->types[i].name =
			perun_builder_string_at(plan->names, names[i], &plan->types[i].name_length);
		plan->types[i].persistent = PERUN_NO_ID;
	}
	perun_free(names);
	perun_buffer_free(&name);
}

static void sort_rows(struct grouping *grouping, size_t rows)
{
	struct plan *plan = grouping->plan;
	size_t place = 0;

	for (size_t row = 0; row < rows; row++)
		plan->types[grouping->kinds[row]].count++;
	for (size_t i = 0; i < plan->type_count; i++) {
		plan->types[i].first = place;
		place += plan->types[i].count;
	}
	plan->rows = perun_alloc((rows + 1) * sizeof *plan->rows);
	for (size_t row = 0; row < rows; row++)
		plan->rows[plan->types[grouping->kinds[row]].first++] = (uint32_t)row;
	for (size_t i = 0; i < plan->type_count; i++)
		plan->types[i].first -= plan->types[i].count;
}

int perunjson_plan_regroup(struct plan *plan)
{
	struct grouping grouping = {.plan = plan};
	size_t rows = perun_table_rows(plan->table);

	if (rows >= UINT32_MAX)
		return perun_fail(plan->ctx, PERUN_INPUT,
				  "more resources than the limit of 2^32 - 2");
	choose_fields(&grouping);
	grouping.kinds = perun_alloc((rows + 1) * sizeof *grouping.kinds);
	for (size_t row = 0; row < rows; row++) {
		if (row && same_type(&grouping, row - 1, row))
			grouping.kinds[row] = grouping.kinds[row - 1];
		else
			grouping.kinds[row] = find_row_type(&grouping, row);
	}
	name_types(&grouping);
	sort_rows(&grouping, rows);
	perun_free(grouping.persistent);
	perun_free(grouping.slots);
	perun_free(grouping.first);
	perun_free(grouping.hashes);
	perun_free(grouping.kinds);
	perunjson_map_free(&grouping.counters);
	return PERUN_OK;
}
