/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of resources, and lists of them that many types share. */
#include <string.h>

#include "names.h"
#include "reading.h"

static struct key *add_key(struct reading *reading, const char *name, size_t length)
{
	struct key *key = perun_alloc_zero(1, sizeof *key);

	key->name = perun_strndup(name, length);
	key->length = length;
	key->index = reading->key_count;
	key->collectable = perunjson_key_is_collectable(key->name);
	PERUN_GROW(reading->keys, reading->key_count, reading->key_capacity);
	reading->keys[reading->key_count++] = key;
	return key;
}

static bool is_key(const struct key *key, const char *name, size_t length)
{
	return key->length == length && memcmp(key->name, name, length) == 0 && !key->hidden;
}

static struct key *look_up(const struct reading *reading, const char *name, size_t length)
{
	for (size_t i = 0; i < reading->key_count; i++) {
		if (is_key(reading->keys[i], name, length))
			return reading->keys[i];
	}
	return NULL;
}

/* The key that the token names, made if need be; NULL after a failure. */
static struct key *perunjson_find_key(struct reading *reading)
{
	const char *name = reading->token->text;
	size_t length = reading->token->length;
	struct key *key = look_up(reading, name, length);

	if (key)
		return key;
	if (memchr(name, '\0', length)) {
		perun_json_fail(reading->json, "a key of a resource must not hold a NUL character");
		return NULL;
	}
	/* A table has a column for each key. */
	if (reading->key_count >= reading->key_limit) {
		perun_json_fail(reading->json,
				"resources have more different keys than the option key-limit "
				"allows (%llu)",
				(unsigned long long)reading->key_limit);
		return NULL;
	}
	key = add_key(reading, name, length);
	return perunjson_check_size(reading) ? NULL : key;
}

struct key *perunjson_named_key(struct reading *reading, const char *name)
{
	struct key *key = look_up(reading, name, strlen(name));

	return key ? key : add_key(reading, name, strlen(name));
}

struct key *perunjson_hidden_key(struct reading *reading, const struct key *key)
{
	struct key *hidden;

	for (size_t i = 0; i < reading->key_count; i++) {
		hidden = reading->keys[i];
		if (hidden->hidden && strcmp(hidden->name, key->name) == 0)
			return hidden;
	}
	hidden = add_key(reading, key->name, key->length);
	hidden->hidden = true;
	return hidden;
}

struct key *perunjson_next_key(struct reading *reading, size_t at, bool *same)
{
	struct key *key = at < reading->order_count ? reading->order[at] : NULL;

	if (key && is_key(key, reading->token->text, reading->token->length))
		return key;
	*same = false;
	return perunjson_find_key(reading);
}

struct perun_column_builder *perunjson_key_column(struct reading *reading, struct key *key)
{
	struct perun_column_info info = {.type = PERUN_TYPE_INT64, .growing = true};
	char *name;

	if (key->column)
		return key->column;
	name = perunjson_column_of_key(key->name);
	info.name = name;
	info.role = perunjson_key_role(key->name);
	key->column = perun_table_add_column(reading->table, &info);
	perun_column_save_memory(key->column);
	perun_free(name);
	return key->column;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void print_names(struct key *const *keys, size_t count, bool hidden,
			struct perun_buffer *out)
{
	size_t printed = 0;

	perun_buffer_add_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (keys[i]->hidden && !hidden)
			continue;
		if (printed++)
			perun_buffer_add_text(out, ", ");
		perun_json_quote(out, keys[i]->name, keys[i]->length);
	}
	perun_buffer_add_char(out, ']');
}

uint32_t perunjson_find_shape(struct reading *reading, struct key *const *keys, size_t count)
{
	struct perun_buffer text = {0};
	struct shape *shape;
	perun_id identity;
	uint32_t index;

	/* With hidden keys a name is there twice, so that the texts distinguish all shapes. */
	print_names(keys, count, true, &text);
	identity = perun_builder_string(reading->builder, text.data, text.length);
	index = perunjson_map_get(&reading->shapes_by_text, identity);
	if (index == MAP_NONE) {
		PERUN_GROW(reading->shapes, reading->shape_count, reading->shape_capacity);
		index = (uint32_t)reading->shape_count++;
		shape = &reading->shapes[index];
		shape->keys = perun_alloc_zero(count ? count : 1, sizeof(struct key *));
		if (count)
			memcpy(shape->keys, keys, count * sizeof(struct key *));
		shape->count = count;
		perun_buffer_clear(&text);
		print_names(keys, count, false, &text);
		shape->text = perun_builder_string(reading->builder, text.data, text.length);
		perunjson_map_set(&reading->shapes_by_text, identity, index);
	}
	perun_buffer_free(&text);
	return index;
}

bool perunjson_shape_has(const struct shape *shape, const struct key *key)
{
	for (size_t i = 0; i < shape->count; i++) {
		if (shape->keys[i] == key)
			return true;
	}
	return false;
}

void perunjson_free_keys(struct reading *reading)
{
	for (size_t i = 0; i < reading->key_count; i++) {
		struct key *key = reading->keys[i];

		perun_free(key->name);
		perun_free(key->tags);
		perun_free(key->bits);
		perun_free(key->high);
		perun_free(key);
	}
	for (size_t i = 0; i < reading->shape_count; i++)
		perun_free(reading->shapes[i].keys);
	perun_free(reading->keys);
	perun_free(reading->shapes);
	perun_free(reading->order);
	perunjson_map_free(&reading->shapes_by_text);
}
