/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a JSON document of what the reader gives: in an arena, each container when its end is read. */
#include <stddef.h>

#include "core/context/hash.h"
#include "document.h"
#include "reader.h"

/* Keys that were met are looked for among this many: documents have few different ones, each of them often. */
#define KNOWN_KEYS 256

struct key {
	char *text;
	size_t length;
	uint64_t hash;
};

/* A container that is open, and where its values and keys begin among those of all. */
struct open {
	enum perun_json_type type;
	size_t values, keys;
};

struct build {
	struct json_arena *arena;
	struct perun_json *root;
	struct open *open;
	size_t depth, capacity;
	/* of open containers; that of a key that was just read has no value yet */
	struct perun_json **values;
	size_t value_count, value_capacity;
	struct key *keys;
	size_t key_count, key_capacity;
	struct key known[KNOWN_KEYS];
	size_t node_count;
};

/* A key in the arena. */
static struct key make_key(struct build *build, const char *text, size_t length)
{
	uint64_t hash = json_hash_key(text, length);
	struct key *known = &build->known[hash % KNOWN_KEYS];

	if (known->text && known->hash == hash && known->length == length &&
	    memcmp(known->text, text, length) == 0)
		return *known;
	*known = (struct key){json_arena_take(build->arena, length + 1), length, hash};
	memcpy(known->text, text, length);
	known->text[length] = '\0';
	return *known;
}

/* ---- containers ------------------------------------------------------------------------------- */

/*
 * The members of an object as they are to be, a repeated key in its first place with its last value; how many. With an
 * index where there are many.
 */
static size_t unite_members(struct perun_json *object, const struct key *keys,
			    struct perun_json *const *values, size_t count)
{
	size_t mask = object->index_size ? object->index_size - 1 : 0, used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t slot = keys[i].hash & mask, same = used;

		if (object->index)
			for (; object->index[slot]; slot = (slot + 1) & mask) {
				const struct json_member *member =
					&object->members[object->index[slot] - 1];

				if (member->length == keys[i].length &&
				    memcmp(member->key, keys[i].text, member->length) == 0)
					break;
			}
		if (object->index && object->index[slot])
			same = object->index[slot] - 1;
		for (size_t k = 0; !object->index && k < used; k++)
			if (object->members[k].length == keys[i].length &&
			    memcmp(object->members[k].key, keys[i].text, keys[i].length) == 0)
				same = k;
		if (same == used) {
			object->members[used++] =
				(struct json_member){.key = keys[i].text, .length = keys[i].length};
			if (object->index)
				object->index[slot] = (uint32_t)used;
		}
		object->members[same].value = values[i];
	}
	return used;
}

static void close_object(struct build *build, struct perun_json *object, const struct open *open)
{
	size_t count = build->value_count - open->values;

	object->members = json_arena_take(build->arena, count * sizeof *object->members);
	if (count >= JSON_INDEX_FROM && count <= UINT32_MAX / 4) {
		size_t size = json_index_size(count) * sizeof *object->index;

		object->index_size = json_index_size(count);
		object->index = memset(json_arena_take(build->arena, size), 0, size);
	}
	if (count)
		object->count = unite_members(object, build->keys + open->keys,
					      build->values + open->values, count);
	build->key_count = open->keys;
}

static void close_array(struct build *build, struct perun_json *array, const struct open *open)
{
	array->count = build->value_count - open->values;
	array->items = json_arena_take(build->arena, array->count * sizeof *array->items);
	if (array->count)
		memcpy(array->items, build->values + open->values,
		       array->count * sizeof *array->items);
}

/* The container that was open last, whose values are all there. */
static struct perun_json *close_container(struct build *build)
{
	const struct open *open = &build->open[--build->depth];
	struct perun_json *value =
		memset(json_arena_take(build->arena, sizeof *value), 0, sizeof *value);

	value->type = open->type;
	value->in_arena = value->frozen = true;
	value->root = build->depth == 0;
	value->arena = build->arena;
	if (open->type == PERUN_JSON_TYPE_OBJECT)
		close_object(build, value, open);
	else
		close_array(build, value, open);
	value->capacity = value->count;
	build->value_count = open->values;
	return value;
}

static void open_container(struct build *build, enum perun_json_type type)
{
	if (build->arena == NULL)
		build->arena = json_arena_new();
	PERUN_GROW(build->open, build->depth, build->capacity);
	build->open[build->depth++] = (struct open){type, build->value_count, build->key_count};
}

/* ---- values ----------------------------------------------------------------------------------- */

static struct perun_json *new_value(struct build *build, enum perun_json_type type, size_t size)
{
	struct perun_json *value = json_arena_take(build->arena, size);

	memset(value, 0, offsetof(struct perun_json, integer) + sizeof value->integer);
	value->type = type;
	value->in_arena = true;
	return value;
}

/* A text follows its value in memory. */
static struct perun_json *new_text(struct build *build, const struct perun_json_token *token,
				   enum perun_json_type type)
{
	const size_t head = offsetof(struct perun_json, length) + sizeof(size_t);
	struct perun_json *value = new_value(build, type, head + token->length + 1);

	value->text = (char *)value + head;
	value->length = token->length;
	value->digits = type == PERUN_JSON_TYPE_INT;
	memcpy(value->text, token->text, token->length);
	value->text[token->length] = '\0';
	return value;
}

static struct perun_json *new_scalar(struct build *build, const struct perun_json_token *token)
{
	const size_t size = offsetof(struct perun_json, integer) + sizeof(int64_t);
	struct perun_json *value;

	switch (token->event) {
	case PERUN_JSON_STRING:
		return new_text(build, token, PERUN_JSON_TYPE_STRING);
	case PERUN_JSON_NUMBER:
		if (token->kind != PERUN_JSON_DOUBLE && token->kind != PERUN_JSON_INT64)
			return new_text(build, token, PERUN_JSON_TYPE_INT);
		value = new_value(build,
				  token->kind == PERUN_JSON_DOUBLE ? PERUN_JSON_TYPE_DOUBLE
								   : PERUN_JSON_TYPE_INT,
				  size);
		if (token->kind == PERUN_JSON_DOUBLE)
			value->real = token->number.real;
		else
			value->integer = token->number.int64;
		return value;
	case PERUN_JSON_TRUE:
	case PERUN_JSON_FALSE:
		value = new_value(build, PERUN_JSON_TYPE_BOOL, size);
		value->boolean = token->event == PERUN_JSON_TRUE;
		return value;
	default:
		return new_value(build, PERUN_JSON_TYPE_NULL, size);
	}
}

/* A value that is not in a container has memory of its own. */
static struct perun_json *single_value(const struct perun_json_token *token)
{
	switch (token->event) {
	case PERUN_JSON_STRING:
		return perun_json_string(token->text, token->length);
	case PERUN_JSON_NUMBER:
		if (token->kind == PERUN_JSON_DOUBLE)
			return perun_json_double(token->number.real);
		if (token->kind == PERUN_JSON_INT64)
			return perun_json_int64(token->number.int64);
		return perun_json_integer(token->text, token->length);
	case PERUN_JSON_TRUE:
	case PERUN_JSON_FALSE:
		return perun_json_bool(token->event == PERUN_JSON_TRUE);
	default:
		return perun_json_null();
	}
}

static void put(struct build *build, struct perun_json *value)
{
	if (build->depth == 0) {
		build->root = value;
		return;
	}
	PERUN_GROW(build->values, build->value_count, build->value_capacity);
	build->values[build->value_count++] = value;
}

/* Take one token; false when the limit of values is hit. */
static bool take(struct perun_json_reader *reader, struct build *build)
{
	const struct perun_json_token *token = &reader->token;

	switch (token->event) {
	case PERUN_JSON_KEY:
		PERUN_GROW(build->keys, build->key_count, build->key_capacity);
		build->keys[build->key_count++] = make_key(build, token->text, token->length);
		return true;
	case PERUN_JSON_OBJECT_END:
	case PERUN_JSON_ARRAY_END:
		put(build, close_container(build));
		return true;
	default:
		break;
	}
	if (build->node_count++ >= reader->options.node_count) {
		perun_json_fail(reader, "more than the limit of %zu values in one document",
				reader->options.node_count);
		return false;
	}
	if (token->event == PERUN_JSON_OBJECT_START || token->event == PERUN_JSON_ARRAY_START)
		open_container(build, token->event == PERUN_JSON_OBJECT_START
					      ? PERUN_JSON_TYPE_OBJECT
					      : PERUN_JSON_TYPE_ARRAY);
	else
		put(build, build->depth ? new_scalar(build, token) : single_value(token));
	return true;
}

int perun_json_read_value(struct perun_json_reader *reader, struct perun_json **value)
{
	enum perun_json_event event = perun_json_first_token(reader);
	struct build build;

	memset(&build, 0, sizeof build);
	*value = NULL;
	while (event != PERUN_JSON_ERROR && take(reader, &build)) {
		if (build.depth == 0) {
			*value = build.root;
			break;
		}
		event = perun_json_next(reader);
	}
	if (*value == NULL)
		json_arena_free(build.arena);
	perun_free(build.open);
	perun_free(build.values);
	perun_free(build.keys);
	return reader->error.status;
}

int perun_json_parse(struct perun_ctx *ctx, const char *text, size_t length,
		     const struct perun_json_options *options, struct perun_json **value)
{
	struct perun_json_reader *reader = perun_json_reader_new_text(ctx, text, length, options);
	int status = perun_json_read_value(reader, value);

	/* Nothing may follow, not even in a sequence. */
	if (status == PERUN_OK && perun_json_next(reader) != PERUN_JSON_END)
		status = perun_json_fail(reader, "expected the end of the document");
	if (status != PERUN_OK) {
		perun_json_free(*value);
		*value = NULL;
	}
	perun_json_reader_free(reader);
	return status;
}
