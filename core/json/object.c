/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON documents: the members of objects and the elements of arrays. */
#include "core/context/context.h"
#include "core/context/hash.h"
#include "document.h"

uint32_t json_hash_key(const char *key, size_t length)
{
	return (uint32_t)(perun_hash_bytes(key, length, perun_hash_secret) >>
			  (64 - PERUN_COMPACT_HASH));
}

void json_index_free(struct json_index *index)
{
	if (index)
		perun_free(index->slots.at);
	perun_free(index);
}

static uint32_t hash_of_member(const void *object, uint32_t number)
{
	const struct json_text *key = json_key(object, number - 1);

	return json_hash_key(key->text, key->length);
}

static void add_to_index(const struct perun_json *object, size_t member, uint32_t hash)
{
	struct json_index *index = object->list->index;

	perun_compact_slots_reserve(&index->slots, member, hash_of_member, object);
	perun_compact_put(index->slots, (uint32_t)member, hash);
}

/* Index all members of an object that can be changed again. */
static void build_index(struct perun_json *object)
{
	struct json_list *list = object->list;

	json_index_free(list->index);
	list->index = NULL;
	if (list->count < JSON_INDEX_FROM || list->count > UINT32_MAX / 4)
		return;
	list->index = perun_alloc_zero(1, sizeof *list->index);
	perun_compact_slots_reserve(&list->index->slots, list->count, hash_of_member, object);
	for (size_t i = 1; i <= list->count; i++)
		add_to_index(object, i, hash_of_member(object, (uint32_t)i));
}

/* The last member, which is new. */
static void index_last(struct perun_json *object, uint32_t hash)
{
	if (!object->list->index || object->list->count > UINT32_MAX / 4)
		build_index(object);
	else
		add_to_index(object, object->list->count, hash);
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
	struct json_list *list = json_list(value);
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
	value->packed = false;
	value->list = &own->head;
	value->frozen = false;
	if (value->type == PERUN_JSON_TYPE_OBJECT)
		build_index(value);
	return own;
}

/* Room for one more member or element: most lists are short. */
static void *grow(void *items, struct json_own_list *own, size_t size)
{
	if (own->head.count < own->capacity)
		return items;
	own->capacity = own->capacity ? own->capacity * 2 : 2;
	return perun_realloc_array(items, own->capacity, size);
}

/* Among a few members; their first letters tell most apart. `count`: there is none. */
static size_t find_among_few(const struct perun_json *object, const char *key, size_t length)
{
	const struct json_list *list = json_list(object);
	const size_t count = list->count;
	const char first = length ? *key : '\0';
	size_t at = 0;

	if (object->frozen) {
		const struct json_frozen_member *members =
			((const struct json_frozen_object *)list)->members;

		while (at < count && (members[at].key->text[0] != first ||
				      !json_is_key(members[at].key, key, length)))
			at++;
	} else {
		const struct json_member *members = json_own(object)->members;

		while (at < count && (members[at].key->text[0] != first ||
				      !json_is_key(members[at].key, key, length)))
			at++;
	}
	return at;
}

/* The place of a member, and the hash of its key where there is an index; false where there is none. */
static bool find(const struct perun_json *object, const char *key, size_t length, size_t *at,
		 uint32_t *hash)
{
	const struct json_list *list;
	const struct json_index *index;
	uint32_t mark, slot;

	*hash = 0;
	if (object == NULL || object->type != PERUN_JSON_TYPE_OBJECT)
		return false;
	list = object->packed ? json_index(object) : object->list;
	index = list->index;
	if (index == NULL) {
		*at = find_among_few(object, key, length);
		return *at < list->count;
	}
	*hash = json_hash_key(key, length);
	mark = perun_compact_mark(index->slots, *hash);
	for (uint32_t place = perun_compact_first(index->slots, *hash);
	     (slot = index->slots.at[place]) != 0;
	     place = perun_compact_next(index->slots, place)) {
		if (!perun_compact_is_marked(index->slots, slot, mark))
			continue;
		*at = perun_compact_number(index->slots, slot) - 1;
		if (json_is_key(json_key(object, *at), key, length))
			return true;
	}
	return false;
}

struct perun_json *perun_json_get_n(const struct perun_json *object, const char *key, size_t length)
{
	uint32_t hash;
	size_t at;

	return find(object, key, length, &at, &hash) ? json_item(object, at) : NULL;
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
	uint32_t hash;
	size_t at;

	if (object == NULL || object->type != PERUN_JSON_TYPE_OBJECT) {
		perun_json_free(value);
		return;
	}
	own = thaw(object);
	if (find(object, key, length, &at, &hash)) {
		perun_json_free(own->members[at].value);
		own->members[at].value = value;
		return;
	}
	own->members = grow(own->members, own, sizeof *own->members);
	own->members[own->head.count] = (struct json_member){new_key(key, length), value};
	own->head.count++;
	index_last(object, hash);
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
	own->items = grow(own->items, own, sizeof *own->items);
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
	uint32_t hash;
	size_t at;

	if (!find(object, key, strlen(key), &at, &hash))
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
	uint32_t hash;
	size_t at;

	return find(object, key, strlen(key), &at, &hash) && perun_json_remove_at(object, at);
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
