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

static void index_member(struct json_index *index, const struct json_text *key, size_t i)
{
	size_t slot = json_hash_key(key->text, key->length) & (index->size - 1);

	while (index->slots[slot] != 0)
		slot = (slot + 1) & (index->size - 1);
	index->slots[slot] = (uint32_t)(i + 1);
}

/* Index all members of an object that can be changed again. */
static void build_index(struct perun_json *object)
{
	struct json_own_list *own = json_own(object);
	struct json_index *index;
	size_t size = json_index_size(own->head.count);

	perun_free(own->head.index);
	own->head.index = NULL;
	if (own->head.count < JSON_INDEX_FROM || own->head.count > UINT32_MAX / 4)
		return;
	index = perun_alloc_zero(1, sizeof *index + size * sizeof *index->slots);
	index->size = size;
	for (size_t i = 0; i < own->head.count; i++)
		index_member(index, own->members[i].key, i);
	own->head.index = index;
}

static struct json_text *new_key(const char *text, size_t length)
{
	struct json_text *key = perun_alloc(sizeof *key + length + 1);

	key->length = length;
	if (length > 0)
		memcpy(key->text, text, length);
	key->text[length] = '\0';
	return key;
}

/* The list of a container that is to be changed: before the first change it becomes memory of its own. */
static struct json_own_list *thaw(struct perun_json *value)
{
	struct json_list *list = value->list;
	struct json_own_list *own;

	if (!value->frozen)
		return json_own(value);
	list->arena->changed = true;
	own = perun_alloc_zero(1, sizeof *own);
	own->head.count = own->capacity = list->count;
	own->head.arena = list->arena;
	if (value->type == PERUN_JSON_TYPE_ARRAY) {
		own->items = perun_alloc(list->count * sizeof *own->items);
		for (size_t i = 0; i < list->count; i++)
			own->items[i] = json_item(value, i);
	} else {
		own->members = perun_alloc(list->count * sizeof *own->members);
		for (size_t i = 0; i < list->count; i++)
			own->members[i] = (struct json_member){
				new_key(json_key(value, i)->text, json_key(value, i)->length),
				json_item(value, i)};
	}
	value->list = &own->head;
	value->frozen = false;
	if (value->type == PERUN_JSON_TYPE_OBJECT)
		build_index(value);
	return own;
}

/* The place of a member; false where there is none. */
static bool find(const struct perun_json *object, const char *key, size_t length, size_t *at)
{
	const struct json_index *index;

	if (object == NULL || object->type != PERUN_JSON_TYPE_OBJECT)
		return false;
	index = object->list->index;
	if (index == NULL) {
		for (*at = 0; *at < object->list->count; ++*at) {
			if (json_is_key(json_key(object, *at), key, length))
				return true;
		}
		return false;
	}
	for (size_t slot = json_hash_key(key, length) & (index->size - 1); index->slots[slot] != 0;
	     slot = (slot + 1) & (index->size - 1)) {
		*at = index->slots[slot] - 1;
		if (json_is_key(json_key(object, *at), key, length))
			return true;
	}
	return false;
}

struct perun_json *perun_json_get_n(const struct perun_json *object, const char *key, size_t length)
{
	size_t at;

	return find(object, key, length, &at) ? json_item(object, at) : NULL;
}

struct perun_json *perun_json_get(const struct perun_json *object, const char *key)
{
	return perun_json_get_n(object, key, strlen(key));
}

const char *perun_json_get_text(const struct perun_json *object, const char *key)
{
	const char *text = perun_json_as_string(perun_json_get(object, key), NULL);

	return text ? text : "";
}

void perun_json_set_n(struct perun_json *object, const char *key, size_t length,
		      struct perun_json *value)
{
	struct json_own_list *own;
	size_t at;

	if (object == NULL || object->type != PERUN_JSON_TYPE_OBJECT) {
		perun_json_free(value);
		return;
	}
	own = thaw(object);
	if (find(object, key, length, &at)) {
		perun_json_free(own->members[at].value);
		own->members[at].value = value;
		return;
	}
	PERUN_GROW(own->members, own->head.count, own->capacity);
	own->members[own->head.count] = (struct json_member){new_key(key, length), value};
	own->head.count++;
	if (own->head.index == NULL || own->head.count * 2 > own->head.index->size)
		build_index(object);
	else
		index_member(own->head.index, own->members[own->head.count - 1].key,
			     own->head.count - 1);
}

void perun_json_set(struct perun_json *object, const char *key, struct perun_json *value)
{
	perun_json_set_n(object, key, strlen(key), value);
}

void perun_json_append(struct perun_json *array, struct perun_json *value)
{
	struct json_own_list *own;

	if (array == NULL || array->type != PERUN_JSON_TYPE_ARRAY) {
		perun_json_free(value);
		return;
	}
	own = thaw(array);
	PERUN_GROW(own->items, own->head.count, own->capacity);
	own->items[own->head.count++] = value;
}

/* Its value is the caller's. */
static void remove_member(struct perun_json *object, size_t i)
{
	struct json_own_list *own = thaw(object);

	perun_free(own->members[i].key);
	own->head.count--;
	memmove(own->members + i, own->members + i + 1,
		(own->head.count - i) * sizeof *own->members);
	if (own->head.index != NULL)
		build_index(object);
}

struct perun_json *perun_json_take(struct perun_json *object, const char *key)
{
	struct perun_json *value, *taken;
	size_t at;

	if (!find(object, key, strlen(key), &at))
		return NULL;
	taken = value = json_item(object, at);
	remove_member(object, at);
	/* What belongs to the document that was read does not outlive it. */
	if (value->in_arena && !value->root) {
		taken = perun_json_clone(value);
		perun_json_free(value);
	}
	return taken;
}

bool perun_json_remove(struct perun_json *object, const char *key)
{
	size_t at;

	return find(object, key, strlen(key), &at) && perun_json_remove_at(object, at);
}

bool perun_json_remove_at(struct perun_json *value, size_t i)
{
	struct perun_json *removed = perun_json_at(value, i);
	struct json_own_list *own;

	if (removed == NULL)
		return false;
	if (value->type == PERUN_JSON_TYPE_OBJECT) {
		remove_member(value, i);
	} else {
		own = thaw(value);
		own->head.count--;
		memmove(own->items + i, own->items + i + 1,
			(own->head.count - i) * sizeof *own->items);
	}
	perun_json_free(removed);
	return true;
}
