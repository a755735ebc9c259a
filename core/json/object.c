/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON documents: the members of objects and the elements of arrays. */
#include "core/context/hash.h"
#include "document.h"

uint64_t json_hash_key(const char *key, size_t length)
{
	return perun_hash_bytes(key, length, perun_hash_secret);
}

size_t json_index_size(size_t count)
{
	size_t size = 32;

	while (size < count * 4)
		size *= 2;
	return size;
}

static void index_member(struct perun_json *object, size_t i)
{
	const struct json_member *member = &object->members[i];
	size_t mask = object->index_size - 1;
	size_t slot = json_hash_key(member->key, member->length) & mask;

	while (object->index[slot] != 0)
		slot = (slot + 1) & mask;
	object->index[slot] = (uint32_t)(i + 1);
}

/* Index all members again. */
static void build_index(struct perun_json *object)
{
	perun_free(object->index);
	object->index = NULL;
	object->index_size = 0;
	if (object->count < JSON_INDEX_FROM || object->count > UINT32_MAX / 4)
		return;
	object->index_size = json_index_size(object->count);
	object->index = perun_alloc_zero(object->index_size, sizeof *object->index);
	for (size_t i = 0; i < object->count; i++)
		index_member(object, i);
}

/* Before a container is changed, its lists become memory of its own. */
static void thaw(struct perun_json *value)
{
	if (!value->frozen)
		return;
	value->frozen = false;
	value->arena->changed = true;
	value->capacity = value->count;
	if (value->type == PERUN_JSON_TYPE_ARRAY) {
		value->items = perun_memdup(value->items, value->count * sizeof *value->items);
		return;
	}
	value->members = perun_memdup(value->members, value->count * sizeof *value->members);
	for (size_t i = 0; i < value->count; i++)
		value->members[i].key =
			perun_memdup(value->members[i].key, value->members[i].length + 1);
	value->index = NULL; /* in the arena */
	build_index(value);
}

static bool has_key(const struct json_member *member, const char *key, size_t length)
{
	return member->length == length && (length == 0 || memcmp(member->key, key, length) == 0);
}

static struct json_member *find(const struct perun_json *object, const char *key, size_t length)
{
	size_t mask, slot, i;

	if (object == NULL || object->type != PERUN_JSON_TYPE_OBJECT)
		return NULL;
	if (object->index == NULL) {
		for (i = 0; i < object->count; i++) {
			if (has_key(&object->members[i], key, length))
				return &object->members[i];
		}
		return NULL;
	}
	mask = object->index_size - 1;
	for (slot = json_hash_key(key, length) & mask; object->index[slot] != 0;
	     slot = (slot + 1) & mask) {
		struct json_member *member = &object->members[object->index[slot] - 1];

		if (has_key(member, key, length))
			return member;
	}
	return NULL;
}

struct perun_json *perun_json_get_n(const struct perun_json *object, const char *key, size_t length)
{
	struct json_member *member = find(object, key, length);

	return member != NULL ? member->value : NULL;
}

struct perun_json *perun_json_get(const struct perun_json *object, const char *key)
{
	return perun_json_get_n(object, key, strlen(key));
}

void perun_json_set_n(struct perun_json *object, const char *key, size_t length,
		      struct perun_json *value)
{
	struct json_member *member;

	if (object == NULL || object->type != PERUN_JSON_TYPE_OBJECT) {
		perun_json_free(value);
		return;
	}
	thaw(object);
	member = find(object, key, length);
	if (member != NULL) {
		perun_json_free(member->value);
		member->value = value;
		return;
	}
	PERUN_GROW(object->members, object->count, object->capacity);
	member = &object->members[object->count++];
	member->key = perun_alloc(length + 1);
	if (length > 0)
		memcpy(member->key, key, length);
	member->key[length] = '\0';
	member->length = length;
	member->value = value;
	if (object->index == NULL || object->count * 2 > object->index_size)
		build_index(object);
	else
		index_member(object, object->count - 1);
}

void perun_json_set(struct perun_json *object, const char *key, struct perun_json *value)
{
	perun_json_set_n(object, key, strlen(key), value);
}

void perun_json_append(struct perun_json *array, struct perun_json *value)
{
	if (array == NULL || array->type != PERUN_JSON_TYPE_ARRAY) {
		perun_json_free(value);
		return;
	}
	thaw(array);
	PERUN_GROW(array->items, array->count, array->capacity);
	array->items[array->count++] = value;
}

static void remove_member(struct perun_json *object, struct json_member *member)
{
	size_t i = (size_t)(member - object->members);

	perun_free(member->key);
	object->count--;
	memmove(member, member + 1, (object->count - i) * sizeof *member);
	if (object->index != NULL)
		build_index(object);
}

struct perun_json *perun_json_take(struct perun_json *object, const char *key)
{
	struct perun_json *value = perun_json_get(object, key), *taken = value;

	if (value == NULL)
		return NULL;
	thaw(object);
	remove_member(object, find(object, key, strlen(key)));
	/* What belongs to the document that was read does not outlive it. */
	if (value->in_arena && !value->root) {
		taken = perun_json_clone(value);
		perun_json_free(value);
	}
	return taken;
}

bool perun_json_remove(struct perun_json *object, const char *key)
{
	struct perun_json *value = perun_json_get(object, key);

	if (value == NULL)
		return false;
	thaw(object);
	remove_member(object, find(object, key, strlen(key)));
	perun_json_free(value);
	return true;
}

bool perun_json_remove_at(struct perun_json *value, size_t i)
{
	if (i >= perun_json_count(value))
		return false;
	thaw(value);
	if (value->type == PERUN_JSON_TYPE_OBJECT) {
		perun_json_free(value->members[i].value);
		remove_member(value, &value->members[i]);
		return true;
	}
	perun_json_free(value->items[i]);
	value->count--;
	memmove(value->items + i, value->items + i + 1, (value->count - i) * sizeof *value->items);
	return true;
}
