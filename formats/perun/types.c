/* SPDX-License-Identifier: BSD-3-Clause */
/* Resource types: their names, their persistent values, which rows have them. */
#include <string.h>

#include <perun/query.h>
#include <perun/lib/hash.h>

#include "reading.h"

/* Cells that there may be whatever the size of the file, and for each of its bytes. */
#define CELLS_FREE     ((uint64_t)1 << 22)
#define CELLS_PER_BYTE 16

int perunjson_check_size(struct reading *reading)
{
	uint64_t things =
		reading->type_count > reading->row_count ? reading->type_count : reading->row_count;

	if (things >= UINT32_MAX - 1)
		return perun_json_fail(reading->json, "more resources than the limit of 2^32 - 2");
	if (things * reading->key_count <=
	    CELLS_FREE + CELLS_PER_BYTE * perun_json_offset(reading->json))
		return PERUN_OK;
	return perun_json_fail(reading->json, "too many different keys (%zu) for %llu resources",
			       reading->key_count, (unsigned long long)things);
}

/* ---- persistent values ----------------------------------------------------------------------- */

struct value perunjson_staged_value(const struct key *key, size_t type)
{
	if (type >= key->staged)
		return (struct value){TAG_ABSENT, 0};
	return (struct value){(enum tag)key->tags[type],
			      key->bits[type] | (key->high ? (uint64_t)key->high[type] << 32 : 0)};
}

/* There is a place for the type. */
static void set_staged(struct key *key, size_t type, struct value value)
{
	if (!key->high && value.bits > UINT32_MAX)
		key->high = perun_alloc_zero(key->staged, sizeof *key->high);
	key->tags[type] = (uint8_t)value.tag;
	key->bits[type] = (uint32_t)value.bits;
	if (key->high)
		key->high[type] = (uint32_t)(value.bits >> 32);
}

void perunjson_stage_value(struct reading *reading, struct key *key, size_t type,
			   struct value value)
{
	size_t count = key->staged;

	if (type >= count) {
		count = count * 2 > type ? count * 2 : reading->type_capacity;
		count = count > type ? count : type + 1;
		key->tags = perun_realloc(key->tags, count);
		key->bits = perun_realloc_array(key->bits, count, sizeof *key->bits);
		if (key->high)
			key->high = perun_realloc_array(key->high, count, sizeof *key->high);
		memset(key->tags + key->staged, TAG_ABSENT, count - key->staged);
		key->staged = count;
	}
	set_staged(key, type, value);
}

void perunjson_clear_staged(struct reading *reading)
{
	for (size_t i = 0; i < reading->key_count; i++) {
		struct key *key = reading->keys[i];

		if (key->staged)
			memset(key->tags, TAG_ABSENT, key->staged);
	}
	for (size_t i = 0; i < reading->type_count; i++)
		reading->types[i].persistent = NO_SHAPE;
	if (reading->slots)
		memset(reading->slots, 0, reading->slot_count * sizeof *reading->slots);
	reading->slots_used = 0;
}

/* ---- finding types by their values ----------------------------------------------------------- */

static uint32_t hash_values(const struct shape *shape, uint32_t shape_index)
{
	uint64_t hash = shape_index;

	for (size_t i = 0; i < shape->count; i++) {
		const struct value *value = &shape->keys[i]->current;

		hash = perun_hash_number(hash * 31 + (uint64_t)value->tag + value->bits);
	}
	return (uint32_t)(hash >> 32);
}

static uint32_t hash_staged(struct reading *reading, size_t type)
{
	const struct shape *shape = &reading->shapes[reading->types[type].persistent];
	uint64_t hash = reading->types[type].persistent;

	for (size_t i = 0; i < shape->count; i++) {
		struct value value = perunjson_staged_value(shape->keys[i], type);

		hash = perun_hash_number(hash * 31 + (uint64_t)value.tag + value.bits);
	}
	return (uint32_t)(hash >> 32);
}

static bool has_values(struct reading *reading, size_t type, const struct shape *shape,
		       uint32_t shape_index)
{
	if (reading->types[type].persistent != shape_index)
		return false;
	for (size_t i = 0; i < shape->count; i++) {
		const struct key *key = shape->keys[i];

		if (type >= key->staged || key->tags[type] != key->current.tag ||
		    key->bits[type] != (uint32_t)key->current.bits ||
		    (key->high ? key->high[type] : 0) != key->current.bits >> 32)
			return false;
	}
	return true;
}

static void occupy(struct reading *reading, uint32_t type, uint32_t hash)
{
	const uint32_t mask = (uint32_t)(reading->slot_count - 1);
	uint32_t i = hash & mask;

	while (reading->slots[i])
		i = (i + 1) & mask;
	reading->slots[i] = (hash & ~mask) | (type + 1);
	reading->slots_used++;
}

static void add_slot(struct reading *reading, uint32_t type, uint32_t hash)
{
	uint32_t *old = reading->slots;
	size_t count = reading->slot_count;

	/* A slot has room for the number of the type; there are others, which have none. */
	if ((reading->slots_used + 1) * 2 > count || (size_t)type + 2 > count) {
		reading->slot_count = count ? count * 2 : 64;
		while ((size_t)type + 2 > reading->slot_count)
			reading->slot_count *= 2;
		reading->slots = perun_alloc_zero(reading->slot_count, sizeof *reading->slots);
		reading->slots_used = 0;
		for (size_t i = 0; i < count; i++) {
			uint32_t other = (old[i] & (uint32_t)(count - 1)) - 1;

			if (old[i] && reading->types[other].persistent != NO_SHAPE)
				occupy(reading, other, hash_staged(reading, other));
		}
		perun_free(old);
	}
	occupy(reading, type, hash);
}

void perunjson_settle_pending(struct reading *reading, struct key *key, struct value value)
{
	size_t end = key->staged < reading->type_count ? key->staged : reading->type_count;

	for (size_t type = reading->first_new; type < end; type++) {
		if (key->tags[type] != TAG_PENDING)
			continue;
		set_staged(key, type, value);
		/* It is found by its new values, too; its old place does no harm. */
		if (reading->types[type].persistent != NO_SHAPE)
			add_slot(reading, (uint32_t)type, hash_staged(reading, type));
	}
}

/* ---- names ----------------------------------------------------------------------------------- */

static void grow_types(struct reading *reading)
{
	size_t capacity = reading->type_capacity, bytes;

	PERUN_GROW(reading->types, reading->type_count, reading->type_capacity);
	if (capacity == reading->type_capacity)
		return;
	bytes = reading->type_capacity * sizeof(uint32_t);
	if (reading->resource_position)
		reading->resource_position = perun_realloc(reading->resource_position, bytes);
	if (reading->map_position)
		reading->map_position = perun_realloc(reading->map_position, bytes);
}

/*
 * Texts are numbered as they come, and so names of types mostly ascend. Those that are asked for again are, mostly, in their
 * order.
 */
static uint32_t find_name(struct reading *reading, perun_id name)
{
	size_t first = 0, end = reading->type_count, next = (size_t)reading->last_found + 1;

	if (reading->descended)
		return perunjson_ids_get(&reading->types_by_name, name);
	if (end == 0 || name > reading->types[end - 1].name)
		return MAP_NONE;
	if (next < end && reading->types[next].name == name)
		return (uint32_t)next;
	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (reading->types[middle].name == name)
			return (uint32_t)middle;
		if (reading->types[middle].name < name)
			first = middle + 1;
		else
			end = middle;
	}
	return MAP_NONE;
}

static void index_name(struct reading *reading, perun_id name, uint32_t type)
{
	if (!reading->descended && type && name < reading->types[type - 1].name) {
		reading->descended = true;
		for (uint32_t i = 0; i < type; i++)
			perunjson_ids_set(&reading->types_by_name, reading->types[i].name, i);
	}
	if (reading->descended)
		perunjson_ids_set(&reading->types_by_name, name, type);
}

int perunjson_find_type(struct reading *reading, perun_id name, uint32_t *index)
{
	*index = find_name(reading, name);
	if (*index != MAP_NONE) {
		reading->last_found = *index;
		return PERUN_OK;
	}
	if (reading->type_count % 1024 == 0 && perunjson_check_size(reading))
		return PERUN_INPUT;
	grow_types(reading);
	*index = (uint32_t)reading->type_count++;
	reading->types[*index] =
		(struct type){.name = name, .collected = NO_SHAPE, .persistent = NO_SHAPE};
	index_name(reading, name, *index);
	return PERUN_OK;
}

/* Where the flattened text of a uid is kept: the place is another one's where there are many. */
static struct flat *flat_of(struct reading *reading, perun_id json)
{
	enum { FLATS = 4096 };

	if (!reading->flats)
		reading->flats = perun_alloc_zero(FLATS, sizeof *reading->flats);
	return &reading->flats[json % FLATS];
}

/* The text of a uid as types are named by it. */
static int flatten_uid(struct reading *reading, const struct value *uid, perun_id *text)
{
	struct flat *known = uid->tag == TAG_JSON ? flat_of(reading, (perun_id)uid->bits) : NULL;
	struct perun_buffer json = {0};
	char *flat;
	int status;

	if (uid->tag == TAG_STRING) {
		*text = (perun_id)uid->bits;
		return PERUN_OK;
	}
	if (uid->tag == TAG_ABSENT)
		return perunjson_intern(reading, "", 0, text);
	if (known && known->json == (perun_id)uid->bits) {
		*text = known->text;
		return PERUN_OK;
	}
	perunjson_print_value(reading, uid, &json);
	flat = perun_flatten(json.data, json.length);
	status = perunjson_intern(reading, flat, strlen(flat), text);
	if (!status && known)
		*known = (struct flat){(perun_id)uid->bits, *text};
	perun_free(flat);
	perun_buffer_free(&json);
	return status;
}

/* "FLAT#K" with the next number. */
static int make_name(struct reading *reading, const struct value *uid, perun_id *name)
{
	char digits[PERUN_JSON_NUMBER_SIZE];
	const char *text;
	uint32_t number;
	perun_id flat;
	size_t length;
	int status = flatten_uid(reading, uid, &flat);

	if (status)
		return status;
	number = perunjson_ids_get(&reading->flat_numbers, flat);
	number = number == MAP_NONE ? 0 : number;
	perunjson_ids_set(&reading->flat_numbers, flat, number + 1);
	perun_buffer_clear(&reading->text);
	text = perun_builder_string_at(reading->builder, flat, &length);
	perun_buffer_add(&reading->text, text, length);
	perun_buffer_add_char(&reading->text, '#');
	length = perun_json_print_uint64(number, digits);
	perun_buffer_add(&reading->text, digits, length);
	return perunjson_intern(reading, reading->text.data, reading->text.length, name);
}

/* A type of this name was in a map before: its values give way. */
static void forget_values(struct reading *reading, uint32_t type)
{
	for (size_t i = 0; i < reading->key_count; i++) {
		if (type < reading->keys[i]->staged)
			reading->keys[i]->tags[type] = TAG_ABSENT;
	}
}

int perunjson_classify(struct reading *reading, const struct shape *shape, uint32_t shape_index,
		       uint32_t *index)
{
	uint32_t last = reading->last_type, hash, mask;
	struct value uid = {TAG_ABSENT, 0};
	perun_id name;
	int status;

	if (last < reading->type_count && has_values(reading, last, shape, shape_index)) {
		*index = last;
		return PERUN_OK;
	}
	hash = hash_values(shape, shape_index);
	mask = (uint32_t)(reading->slot_count - 1);
	for (uint32_t i = hash & mask; reading->slots && reading->slots[i]; i = (i + 1) & mask) {
		*index = (reading->slots[i] & mask) - 1;
		if (((reading->slots[i] ^ hash) & ~mask) == 0 &&
		    has_values(reading, *index, shape, shape_index))
			return PERUN_OK;
	}
	if (reading->uid && reading->uid->row == reading->row)
		uid = reading->uid->current;
	status = make_name(reading, &uid, &name);
	if (!status)
		status = perunjson_find_type(reading, name, index);
	if (status)
		return status;
	if (reading->types[*index].persistent == NO_SHAPE)
		perunjson_place_in_map(reading, *index);
	else
		forget_values(reading, *index);
	reading->types[*index].persistent = shape_index;
	for (size_t i = 0; i < shape->count; i++)
		perunjson_stage_value(reading, shape->keys[i], *index, shape->keys[i]->current);
	add_slot(reading, *index, hash);
	if (*index < reading->first_new)
		reading->first_new = *index;
	return PERUN_OK;
}

int perunjson_rename_type(struct reading *reading, uint32_t type, const struct value *uid)
{
	return reading->slots_used ? make_name(reading, uid, &reading->types[type].name) : PERUN_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* `positions` is NULL as long as each type is at the place that its index says. */
static void place(struct reading *reading, uint32_t type, uint32_t **positions, uint32_t *seen)
{
	uint32_t position = (*seen)++;

	if (!*positions && position == type)
		return;
	if (!*positions) {
		*positions = perun_alloc_zero(reading->type_capacity, sizeof **positions);
		for (uint32_t i = 0; i < reading->type_count; i++)
			(*positions)[i] = i;
	}
	(*positions)[type] = position;
}

void perunjson_place_in_resources(struct reading *reading, uint32_t type)
{
	place(reading, type, &reading->resource_position, &reading->resources_seen);
}

void perunjson_place_in_map(struct reading *reading, uint32_t type)
{
	place(reading, type, &reading->map_position, &reading->map_seen);
}

/* As many rows or types as a run counts. */
#define RUN_MAX ((uint32_t)INT32_MAX)

void perunjson_add_run(struct reading *reading, uint32_t type, uint32_t count)
{
	struct run *last = reading->run_count ? &reading->runs[reading->run_count - 1] : NULL;
	uint32_t had = last ? last->count : 0, now;

	reading->row_count += count;
	reading->types[type].has_rows = true;
	if (last && !last->ascends && last->type == type && count <= RUN_MAX - had) {
		last->count = (had + count) & RUN_MAX;
		return;
	}
	if (last && count == 1 && run_rows(last) == 1 && had < RUN_MAX &&
	    type == last->type + run_types(last)) {
		last->ascends = true;
		last->count = (had + 1) & RUN_MAX;
		return;
	}
	for (; count; count -= now) {
		now = count < RUN_MAX ? count : RUN_MAX;
		PERUN_GROW(reading->runs, reading->run_count, reading->run_capacity);
		reading->runs[reading->run_count++] =
			(struct run){.type = type, .count = now & RUN_MAX};
	}
}

void perunjson_end_types(struct reading *reading)
{
	perun_free(reading->slots);
	reading->slots = NULL;
	reading->slot_count = 0;
	perunjson_ids_free(&reading->types_by_name);
	perun_free(reading->flats);
	reading->flats = NULL;
	perunjson_ids_free(&reading->flat_numbers);
}

void perunjson_free_types(struct reading *reading)
{
	perunjson_end_types(reading);
	perun_free(reading->types);
	perun_free(reading->runs);
	perun_free(reading->resource_position);
	perun_free(reading->map_position);
}
