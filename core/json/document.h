/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a JSON document. */
#ifndef PERUN_JSON_DOCUMENT_H
#define PERUN_JSON_DOCUMENT_H

#include "arena.h"
#include "core/context/compact-slots.h"
#include "perun/json.h"

/* From this many members on, an object has an index of its keys. */
#define JSON_INDEX_FROM 12

/* NUL-terminated. */
struct json_text {
	size_t length;
	char text[];
};

/* 16 bytes, so that the values of a container can follow each other: documents have millions of numbers. */
struct perun_json {
	uint8_t type; /* enum perun_json_type */
	bool digits;  /* an integer as text */
	/*
	 * Where the value is: in the arena of a document, of which one value is the root, or in memory of its own. The
	 * list of a container of an arena is there too until it is changed: `frozen`.
	 */
	bool in_arena, root, frozen;
	bool packed; /* frozen: the list is a struct json_packed (packed.h) */
	union {
		bool boolean;
		int64_t integer;
		double real;
		struct json_text *text; /* STRING, and INT beyond 64 bits */
		struct json_list *list; /* ARRAY, OBJECT */
	};
};

/* The members by the hash of their keys, from 1 on. */
struct json_index {
	struct perun_compact_slots slots;
};

/* What is in a container: the head of one of the following. */
struct json_list {
	size_t count;
	struct json_arena *arena; /* NULL: not in one */
	struct json_index *index; /* of objects with many members */
};

struct json_member {
	struct json_text *key;
	struct perun_json *value;
};

/* Of a container that can be changed. */
struct json_own_list {
	struct json_list head;
	size_t capacity;
	union {
		struct perun_json **items;
		struct json_member *members;
	};
};

struct json_frozen_array {
	struct json_list head;
	struct perun_json *items;
};

/* Objects of a document share their keys. */
struct json_frozen_member {
	struct json_text *key;
	struct perun_json value;
};

struct json_frozen_object {
	struct json_list head;
	struct json_frozen_member members[];
};

/* How many members or elements of what is packed there are: any number of threads may ask. The same with the index of its keys. */
struct json_list *json_settle(const struct perun_json *value);
struct json_list *json_index(const struct perun_json *object);
/* Member or element i of it. */
struct perun_json *json_unpack_item(const struct perun_json *value, size_t i);
struct json_text *json_unpack_key(const struct perun_json *object, size_t i);
/* A copy that is packed, too; NULL: not all of it is, or somebody may have changed it. */
struct perun_json *json_clone_packed(const struct perun_json *value);
/* Free what was put into it. */
void json_free_unpacked(const struct perun_json *value);

/* What is in a container; of a packed one, the items are not in the list. */
static inline struct json_list *json_list(const struct perun_json *value)
{
	return value->packed ? json_settle(value) : value->list;
}

static inline struct json_own_list *json_own(const struct perun_json *value)
{
	return (struct json_own_list *)value->list;
}

/* Element i of an array, the value of member i of an object. */
static inline struct perun_json *json_item(const struct perun_json *value, size_t i)
{
	const bool array = value->type == PERUN_JSON_TYPE_ARRAY;
	struct json_list *list = value->list;

	if (value->packed)
		return json_unpack_item(value, i);
	if (value->frozen)
		return array ? &((struct json_frozen_array *)list)->items[i]
			     : &((struct json_frozen_object *)list)->members[i].value;
	return array ? json_own(value)->items[i] : json_own(value)->members[i].value;
}

static inline struct json_text *json_key(const struct perun_json *object, size_t i)
{
	if (object->packed)
		return json_unpack_key(object, i);
	return object->frozen ? ((struct json_frozen_object *)object->list)->members[i].key
			      : json_own(object)->members[i].key;
}

static inline bool json_is_key(const struct json_text *key, const char *text, size_t length)
{
	return key->length == length && (length == 0 || memcmp(key->text, text, length) == 0);
}

uint32_t json_hash_key(const char *key, size_t length);
void json_index_free(struct json_index *index);

/* An object with room for that many members, and none yet. */
struct json_frozen_object *json_new_object(struct json_arena *arena, size_t room);
/* A repeated key keeps its first place and has its last value. */
void json_add_member(struct json_frozen_object *object, struct json_text *key,
		     struct perun_json value);

#endif
