/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources in the stored form: arrays of collectable values for each type, and the type map. */
#include <string.h>

#include "reading.h"

#define BATCH 4096

static int json_status(struct reading *reading)
{
	return perun_json_error(reading->json)->status;
}

static int fail_type(struct reading *reading, const char *place, enum perun_json_event event)
{
	if (event == PERUN_JSON_ERROR)
		return json_status(reading);
	return perun_json_fail(reading->json, "expected an object for each type of %s, found %s",
			       place, perun_json_event_name(event));
}

/* ---- arrays of values ------------------------------------------------------------------------ */

/* Doubles among integers. */
static void append_mixed(struct perun_column_builder *column, const struct perun_json_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		const union perun_json_number *value = &batch->values[i];

		if (batch->kinds[i] == PERUN_JSON_INT64)
			perun_column_append_int64(column, &value->int64, 1);
		else if (batch->kinds[i] == PERUN_JSON_UINT64)
			perun_column_append_uint64(column, &value->uint64, 1);
		else
			perun_column_append_double(column, &value->real, NULL, 1);
	}
}

static void append_batch(struct perun_column_builder *column, const struct perun_json_batch *batch)
{
	_Static_assert(sizeof *batch->values == sizeof(int64_t), "numbers are taken as they lie");

	if (batch->count == 0)
		return;
	if (batch->mixed == PERUN_JSON_INT64)
		perun_column_append_int64(column, &batch->values->int64, batch->count);
	else if (batch->mixed == PERUN_JSON_UINT64)
		perun_column_append_uint64(column, &batch->values->uint64, batch->count);
	else if (batch->mixed == PERUN_JSON_DOUBLE)
		perun_column_append_double(column, &batch->values->real, NULL, batch->count);
	else
		append_mixed(column, batch);
}

static void append_value(struct perun_column_builder *column, const struct value *value)
{
	perun_id id = (perun_id)value->bits;
	int64_t integer = (int64_t)value->bits;
	uint8_t boolean = value->bits != 0;
	double real;

	switch (value->tag) {
	case TAG_INT64:
		perun_column_append_int64(column, &integer, 1);
		break;
	case TAG_UINT64:
		perun_column_append_uint64(column, &value->bits, 1);
		break;
	case TAG_DOUBLE:
		memcpy(&real, &value->bits, sizeof real);
		perun_column_append_double(column, &real, NULL, 1);
		break;
	case TAG_BOOL:
		perun_column_append_bool(column, &boolean, 1);
		break;
	case TAG_STRING:
		perun_column_append_ids(column, PERUN_TYPE_STRING, &id, 1);
		break;
	case TAG_JSON:
		perun_column_append_ids(column, PERUN_TYPE_JSON, &id, 1);
		break;
	default:
		perun_column_append_absent(column, 1);
	}
}

/* Append the array that comes to the column; `*length` becomes the number of its values. */
static int read_array(struct reading *reading, struct key *key, uint64_t *length)
{
	struct perun_column_builder *column = perunjson_key_column(reading, key);
	union perun_json_number values[BATCH];
	uint8_t kinds[BATCH];
	struct perun_json_batch batch = {.values = values, .kinds = kinds, .capacity = BATCH};
	enum perun_json_event event;
	int status = perun_json_expect(reading->json, PERUN_JSON_ARRAY_START,
				       "the values of a key of a type");

	*length = 0;
	while (!status) {
		status = perun_json_read_numbers(reading->json, &batch);
		if (status)
			break;
		append_batch(column, &batch);
		*length += batch.count;
		if (batch.count == BATCH) {
			if (perun_cancelled(reading->ctx))
				status = perun_fail(reading->ctx, PERUN_CANCELLED, "interrupted");
			continue;
		}
		event = perun_json_next(reading->json);
		if (event == PERUN_JSON_ARRAY_END)
			break;
		status = perunjson_take_value(reading, event, &key->current);
		if (!status)
			append_value(column, &key->current);
		*length += 1;
	}
	return status;
}

/* ---- resources ------------------------------------------------------------------------------- */

/* The type that the key token names; mostly the one after the last. */
static int next_type(struct reading *reading, uint32_t *next, uint32_t *type)
{
	const struct perun_json_token *token = reading->token;
	const char *name;
	perun_id id;
	size_t length;
	int status = PERUN_OK;

	*type = *next;
	if (*next < reading->type_count) {
		name = perun_builder_string_at(reading->builder, reading->types[*next].name,
					       &length);
		if (length == token->length && memcmp(name, token->text, length) == 0) {
			*next += 1;
			return PERUN_OK;
		}
	}
	status = perunjson_intern(reading, token->text, token->length, &id);
	if (!status)
		status = perunjson_find_type(reading, id, type);
	*next = *type + 1;
	return status;
}

static int fail_twice(struct reading *reading, uint32_t type, const char *place)
{
	const char *name =
		perun_builder_string_at(reading->builder, reading->types[type].name, NULL);

	return perun_json_fail(reading->json, "type \"%s\" occurs twice in %s", name, place);
}

/* The arrays of one type. */
static int read_type(struct reading *reading, uint32_t type)
{
	enum perun_json_event event = perun_json_next(reading->json);
	uint64_t rows = 0;
	size_t count = 0;
	bool same = true;
	int status;

	if (event != PERUN_JSON_OBJECT_START)
		return fail_type(reading, "resources", event);
	reading->row++;
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		struct key *key = perunjson_next_key(reading, count, &same);

		if (!key)
			return PERUN_INPUT;
		if (key->row == reading->row)
			return perun_json_fail(reading->json, "key \"%s\" occurs twice in a type",
					       key->name);
		key->row = reading->row;
		PERUN_GROW(reading->order, count, reading->order_capacity);
		reading->order[count++] = key;
		status = read_array(reading, key, &key->cells);
		if (status)
			return status;
		rows = key->cells > rows ? key->cells : rows;
	}
	if (event == PERUN_JSON_ERROR)
		return json_status(reading);
	if (!same || count != reading->order_count || reading->row_collected == NO_SHAPE)
		reading->row_collected = perunjson_find_shape(reading, reading->order, count);
	reading->order_count = count;
	reading->types[type].collected = reading->row_collected;
	if (count == 0)
		rows = 1; /* nothing varies: one resource */
	if (rows >= UINT32_MAX || reading->row_count + rows >= UINT32_MAX)
		return perun_json_fail(reading->json, "more resources than the limit of 2^32 - 2");
	if (rows)
		perunjson_add_run(reading, type, (uint32_t)rows);
	/* The last resources of a type may lack a key. */
	for (size_t i = 0; i < count; i++) {
		struct key *key = reading->order[i];

		perun_column_append_absent(perunjson_key_column(reading, key), rows - key->cells);
	}
	perun_table_end_rows(reading->table, rows);
	return PERUN_OK;
}

int perunjson_read_arrays(struct reading *reading)
{
	enum perun_json_event event;
	uint32_t next = (uint32_t)reading->type_count, type;
	int status;

	if (reading->map_seen && !reading->resources_seen)
		next = 0; /* the map is before the resources */
	reading->row_collected = NO_SHAPE;
	reading->order_count = 0;
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		status = next_type(reading, &next, &type);
		if (!status && reading->types[type].collected != NO_SHAPE)
			status = fail_twice(reading, type, "resources");
		if (status)
			return status;
		perunjson_place_in_resources(reading, type);
		status = read_type(reading, type);
		if (status)
			return status;
	}
	return event == PERUN_JSON_ERROR ? json_status(reading) : PERUN_OK;
}

/* ---- resource_type_map ----------------------------------------------------------------------- */

static int read_persistent(struct reading *reading, uint32_t type, uint32_t *shape)
{
	enum perun_json_event event = perun_json_next(reading->json);
	size_t count = 0;
	bool same = true;
	int status;

	if (event != PERUN_JSON_OBJECT_START)
		return fail_type(reading, "resource_type_map", event);
	reading->row++;
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		struct key *key = perunjson_next_key(reading, count, &same);

		if (!key)
			return PERUN_INPUT;
		if (key->row != reading->row) {
			key->row = reading->row;
			PERUN_GROW(reading->order, count, reading->order_capacity);
			reading->order[count++] = key;
		} else {
			same = false;
		}
		status = perunjson_read_value(reading, &key->current);
		if (status)
			return status;
		perunjson_stage_value(reading, key, type, key->current);
	}
	if (event == PERUN_JSON_ERROR)
		return json_status(reading);
	if (!same || count != reading->order_count || *shape == NO_SHAPE)
		*shape = perunjson_find_shape(reading, reading->order, count);
	reading->order_count = count;
	return PERUN_OK;
}

int perunjson_read_type_map(struct reading *reading)
{
	enum perun_json_event event;
	uint32_t next = 0, type, shape = NO_SHAPE;
	int status;

	perunjson_clear_staged(reading);
	reading->map_seen = 0;
	perun_free(reading->map_position);
	reading->map_position = NULL;
	reading->order_count = 0;
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		status = next_type(reading, &next, &type);
		if (!status && reading->types[type].persistent != NO_SHAPE)
			status = fail_twice(reading, type, "resource_type_map");
		if (status)
			return status;
		perunjson_place_in_map(reading, type);
		status = read_persistent(reading, type, &shape);
		if (status)
			return status;
		reading->types[type].persistent = shape;
	}
	return event == PERUN_JSON_ERROR ? json_status(reading) : PERUN_OK;
}
