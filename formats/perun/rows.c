/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources as rows: lists of objects, in `global`, `snapshots` or `resources`. */
#include <stdlib.h>
#include <string.h>

#include "reading.h"

/* Read one resource, whose start was read, into its keys and the current row of the table. */
static int read_resource(struct reading *reading, bool *same)
{
	enum perun_json_event event;
	size_t count = 0;
	int status = PERUN_OK;

	reading->row++;
	*same = true;
	while (!status && (event = perun_json_next(reading->json)) == PERUN_JSON_KEY) {
		struct key *key = perunjson_next_key(reading, count, same);

		if (!key)
			return PERUN_INPUT;
		if (key->row != reading->row) { /* else it appears twice: the last value counts */
			key->row = reading->row;
			PERUN_GROW(reading->order, count, reading->order_capacity);
			reading->order[count++] = key;
		} else {
			*same = false;
		}
		status = perunjson_read_value(reading, &key->current);
		if (!status && key->collectable)
			perunjson_set_cell(perunjson_key_column(reading, key), &key->current);
	}
	if (!status && event == PERUN_JSON_ERROR)
		status = perun_json_error(reading->json)->status;
	if (count != reading->order_count)
		*same = false;
	reading->order_count = count;
	return status;
}

/* What all rows of the list have: it goes before the row's own value, which only distinguishes types. */
static void add_context(struct reading *reading)
{
	const struct context *context = reading->row_context;

	for (size_t i = 0; context && i < context->count; i++) {
		struct key *key = context->keys[i];

		if (key->row == reading->row) {
			struct key *hidden = perunjson_hidden_key(reading, key);

			hidden->current = key->current;
			hidden->row = reading->row;
		}
		key->current = context->values[i];
	}
}

/* By name; a value that is hidden before the one that hides it. */
static int compare_keys(const void *a, const void *b)
{
	const struct key *x = *(struct key *const *)a, *y = *(struct key *const *)b;
	size_t length = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->name, y->name, length);

	if (order)
		return order;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (int)y->hidden - (int)x->hidden;
}

/* The shapes of the row that was read, from the order of its keys. */
static void find_row_shapes(struct reading *reading)
{
	const struct context *context = reading->row_context;
	struct key **list = perun_alloc_zero(reading->order_count * 2 + 4, sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < reading->order_count; i++) {
		if (reading->order[i]->collectable)
			list[count++] = reading->order[i];
	}
	reading->row_collected = perunjson_find_shape(reading, list, count);
	count = 0;
	for (size_t i = 0; i < reading->order_count; i++) {
		struct key *key = reading->order[i];

		if (key->collectable)
			continue;
		for (size_t k = 0; context && k < context->count; k++) {
			if (context->keys[k] == key)
				key = perunjson_hidden_key(reading, key);
		}
		list[count++] = key;
	}
	for (size_t k = 0; context && k < context->count; k++)
		list[count++] = context->keys[k];
	qsort(list, count, sizeof *list, compare_keys);
	reading->row_persistent = perunjson_find_shape(reading, list, count);
	perun_free(list);
}

/* The type's list of collectable keys gets those that it lacks. */
static void extend_collected(struct reading *reading, struct type *type)
{
	const struct shape *have = &reading->shapes[type->collected];
	const struct shape *row = &reading->shapes[reading->row_collected];
	struct key **list;
	size_t count = have->count;

	if (have->count == 0) {
		type->collected = reading->row_collected;
		return;
	}
	list = perun_alloc_zero(have->count + row->count, sizeof *list);
	memcpy(list, have->keys, count * sizeof *list);
	for (size_t i = 0; i < row->count; i++) {
		if (!perunjson_shape_has(have, row->keys[i]))
			list[count++] = row->keys[i];
	}
	if (count > have->count)
		type->collected = perunjson_find_shape(reading, list, count);
	perun_free(list);
}

static int end_row(struct reading *reading, bool same)
{
	struct type *type;
	uint32_t index;
	int status;

	add_context(reading);
	if (!same)
		find_row_shapes(reading);
	status = perunjson_classify(reading, &reading->shapes[reading->row_persistent],
				    reading->row_persistent, &index);
	if (status)
		return status;
	reading->last_type = index;
	type = &reading->types[index];
	if (type->collected == NO_SHAPE) {
		type->collected = reading->row_collected;
		perunjson_place_in_resources(reading, index);
	} else if (type->collected != reading->row_collected) {
		extend_collected(reading, type);
	}
	perunjson_add_run(reading, index, 1);
	perun_table_end_row(reading->table);
	if (reading->row_count % 8192)
		return PERUN_OK;
	if (perun_cancelled(reading->ctx))
		return perun_fail(reading->ctx, PERUN_CANCELLED, "interrupted");
	return perunjson_check_size(reading);
}

int perunjson_read_rows(struct reading *reading, const struct context *context)
{
	enum perun_json_event event;
	bool first = true, same;
	int status;

	reading->row_context = context;
	if (!reading->uid)
		reading->uid = perunjson_named_key(reading, "uid");
	while ((event = perun_json_next(reading->json)) == PERUN_JSON_OBJECT_START) {
		status = read_resource(reading, &same);
		if (!status)
			status = end_row(reading, same && !first);
		if (status)
			return status;
		first = false;
	}
	if (event == PERUN_JSON_ARRAY_END)
		return PERUN_OK;
	if (event == PERUN_JSON_ERROR)
		return perun_json_error(reading->json)->status;
	return perun_json_fail(reading->json,
			       "expected an object for each resource in a list, found %s",
			       perun_json_event_name(event));
}
