/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a JSON document of what the reader gives: in an arena, each container when its end is read. */
#include <string.h>

#include "packed.h"
#include "reader.h"

/* Keys that were met are looked for among this many: documents have few different ones, each of them often. */
#define KNOWN_KEYS 128
/* From this many values on an array is not copied; what has room for more is not kept for the next value. */
#define LONG_ARRAY 4096
/* What is complete is packed when it takes this much. */
#define LARGE_DOCUMENT ((size_t)1 << 20)

/* A container that is open, and where its values and keys begin among those of all. */
struct open {
	enum perun_json_type type;
	size_t values, keys;
	struct json_packer *packer; /* of those before; NULL: there are none */
};

/* A key, and for which value of the reader it was made. */
struct known_key {
	struct json_text *text;
	size_t value;
};

struct json_build {
	size_t value;                    /* the number of the one that is made */
	struct json_arena *arena, *kept; /* kept: of what is packed; NULL: nothing is */
	struct perun_json *root;
	struct open *open;
	size_t depth, capacity;
	/* of open containers; that of a key that was just read has no value yet */
	struct perun_json *values;
	size_t value_count, value_capacity;
	struct json_text **keys;
	size_t key_count, key_capacity;
	struct known_key known[KNOWN_KEYS];
	size_t node_count;
	size_t stayed;                     /* in the arena when values were packed last */
	perun_json_take_array *take_array; /* NULL: the document has all arrays */
	void *take_data;
	int status; /* what it returned */
};

static struct json_text *new_text(struct json_arena *arena, const char *text, size_t length)
{
	struct json_text *made = json_arena_take(arena, sizeof *made + length + 1);

	made->length = length;
	memcpy(made->text, text, length);
	made->text[length] = '\0';
	return made;
}

static struct json_text *make_key(struct json_build *build, const char *text, size_t length)
{
	struct known_key *known = &build->known[json_hash_key(text, length) % KNOWN_KEYS];

	if (known->value != build->value || !json_is_key(known->text, text, length))
		*known = (struct known_key){new_text(build->arena, text, length), build->value};
	return known->text;
}

/* ---- containers ------------------------------------------------------------------------------- */

/* The member that has the key: one of the first `used`, or the next one, which then has it. */
static size_t find_member(struct json_frozen_object *object, const struct json_text *key,
			  size_t used)
{
	struct json_index *index = object->head.index;
	uint32_t hash, mark, slot, place;

	if (!index) {
		for (size_t k = 0; k < used; k++)
			if (object->members[k].key->text[0] == key->text[0] &&
			    json_is_key(object->members[k].key, key->text, key->length))
				return k;
		return used;
	}
	hash = json_hash_key(key->text, key->length);
	mark = perun_compact_mark(index->slots, hash);
	for (place = perun_compact_first(index->slots, hash); (slot = index->slots.at[place]) != 0;
	     place = perun_compact_next(index->slots, place)) {
		const size_t k = perun_compact_number(index->slots, slot) - 1;

		if (perun_compact_is_marked(index->slots, slot, mark) &&
		    json_is_key(object->members[k].key, key->text, key->length))
			return k;
	}
	index->slots.at[place] = perun_compact_slot(index->slots, place, (uint32_t)used + 1, hash);
	return used;
}

struct json_frozen_object *json_new_object(struct json_arena *arena, size_t room)
{
	struct json_frozen_object *object =
		json_arena_take(arena, sizeof *object + room * sizeof *object->members);

	object->head = (struct json_list){.arena = arena};
	if (room >= JSON_INDEX_FROM && room <= UINT32_MAX / 4) {
		struct json_index *index = json_arena_take(arena, sizeof *index);
		uint64_t size = perun_compact_size(room);

		index->slots = perun_compact_slots_in(
			json_arena_take(arena, size * sizeof *index->slots.at), size);
		object->head.index = index;
	}
	return object;
}

void json_add_member(struct json_frozen_object *object, struct json_text *key,
		     struct perun_json value)
{
	size_t at = find_member(object, key, object->head.count);

	if (at == object->head.count)
		object->members[object->head.count++].key = key;
	object->members[at].value = value;
}

static struct json_list *close_object(struct json_build *build, const struct open *open)
{
	size_t count = build->value_count - open->values;
	struct json_frozen_object *object = json_new_object(build->arena, count);

	for (size_t i = 0; i < count; i++)
		json_add_member(object, build->keys[open->keys + i],
				build->values[open->values + i]);
	build->key_count = open->keys;
	return &object->head;
}

/* The values of a long array stay where they are; those of the containers around it move to memory of their own. */
static struct perun_json *keep_values(struct json_build *build, size_t first)
{
	struct perun_json *kept =
		perun_realloc_array(build->values, build->value_count, sizeof *kept);

	json_arena_adopt(build->arena, kept, build->value_count * sizeof *kept);
	build->values = perun_memdup(kept, first * sizeof *kept);
	build->value_capacity = first;
	return kept + first;
}

static struct json_list *close_array(struct json_build *build, const struct open *open)
{
	size_t count = build->value_count - open->values, size = count * sizeof(struct perun_json);
	bool is_long = count >= LONG_ARRAY && count >= open->values;
	struct json_frozen_array *array =
		json_arena_take(build->arena, sizeof *array + (is_long ? 0 : size));

	array->head = (struct json_list){.count = count, .arena = build->arena};
	array->items =
		is_long ? keep_values(build, open->values) : (struct perun_json *)(array + 1);
	if (count && !is_long)
		memcpy(array->items, build->values + open->values, size);
	return &array->head;
}

/* ---- large ones ------------------------------------------------------------------------------- */

static struct json_arena *kept_arena(struct json_build *build)
{
	if (!build->kept)
		build->kept = json_arena_new_below(build->arena);
	return build->kept;
}

/* Pack the values of an open container, of which those up to `end` are complete; the key of another one stays. */
static void pack_open(struct json_build *build, struct open *open, size_t end)
{
	const bool is_object = open->type == PERUN_JSON_TYPE_OBJECT;

	if (end == open->values)
		return;
	if (!open->packer)
		open->packer = json_packer_new(build->arena, kept_arena(build), open->type);
	for (size_t i = open->values; i < end; i++) {
		const struct json_text *key =
			is_object ? build->keys[open->keys + i - open->values] : NULL;

		json_pack(open->packer, key ? key->text : NULL, key ? key->length : 0,
			  &build->values[i]);
	}
}

/* Keys of values that are not complete are all that is left: move them to the start, and to new room. */
static void keep_keys(struct json_build *build)
{
	struct perun_buffer texts = {0};
	size_t kept = 0;
	const char *text;

	for (size_t d = 0; d < build->depth; d++) {
		struct open *open = &build->open[d];
		const size_t keys_end = d + 1 < build->depth ? open[1].keys : build->key_count,
			     values_end =
				     d + 1 < build->depth ? open[1].values : build->value_count;
		const struct json_text *key = NULL;

		if (open->type == PERUN_JSON_TYPE_OBJECT &&
		    keys_end - open->keys > values_end - open->values)
			key = build->keys[keys_end - 1];
		open->keys = kept;
		if (!key)
			continue;
		perun_buffer_add(&texts, &key->length, sizeof key->length);
		perun_buffer_add(&texts, key->text, key->length);
		kept++;
	}
	json_arena_clear(build->arena);
	text = texts.data;
	for (size_t i = 0; i < kept; i++) {
		size_t length;

		memcpy(&length, text, sizeof length);
		build->keys[i] = new_text(build->arena, text + sizeof length, length);
		text += sizeof length + length;
	}
	build->key_count = kept;
	perun_buffer_free(&texts);
}

/* The keys that stay are copied each time, so the more these are, the more must follow them. */
static bool is_large(const struct json_build *build)
{
	size_t taken;

	if (!build->arena)
		return false;
	taken = build->arena->taken + build->value_count * sizeof *build->values;
	return taken > LARGE_DOCUMENT && taken / 2 > build->stayed;
}

/* Pack all that is complete, so that its memory is free. */
static void pack_complete(struct json_build *build)
{
	for (size_t d = 0; d < build->depth; d++)
		pack_open(build, &build->open[d],
			  d + 1 < build->depth ? build->open[d + 1].values : build->value_count);
	keep_keys(build);
	for (size_t d = 0; d < build->depth; d++)
		build->open[d].values = 0;
	build->value_count = 0;
	build->stayed = build->arena->taken;
	build->value++; /* no key is known */
}

static struct perun_json close_packed(struct json_build *build, struct open *open)
{
	pack_open(build, open, build->value_count);
	build->key_count = open->keys;
	build->value_count = open->values;
	return json_packed_value(json_packer_end(open->packer));
}

/* The container that was open last, whose values are all there. */
static struct perun_json close_container(struct json_build *build)
{
	struct open *open = &build->open[--build->depth];
	struct perun_json value = {.type = (uint8_t)open->type,
				   .in_arena = true,
				   .frozen = true,
				   .root = build->depth == 0};

	if (open->packer) {
		value = close_packed(build, open);
		value.root = build->depth == 0;
		return value;
	}
	value.list = open->type == PERUN_JSON_TYPE_OBJECT ? close_object(build, open)
							  : close_array(build, open);
	build->value_count = open->values;
	return value;
}

static void open_container(struct json_build *build, enum perun_json_type type)
{
	if (build->arena == NULL)
		build->arena = json_arena_new();
	PERUN_GROW(build->open, build->depth, build->capacity);
	build->open[build->depth++] =
		(struct open){type, build->value_count, build->key_count, NULL};
}

/* ---- values ----------------------------------------------------------------------------------- */

static struct perun_json scalar(struct json_build *build, const struct perun_json_token *token)
{
	struct perun_json value = {.in_arena = true};

	switch (token->event) {
	case PERUN_JSON_STRING:
		value.type = PERUN_JSON_TYPE_STRING;
		value.text =
			new_text(token->length < JSON_LONG_TEXT ? build->arena : kept_arena(build),
				 token->text, token->length);
		break;
	case PERUN_JSON_NUMBER:
		value.type = PERUN_JSON_TYPE_INT;
		if (token->kind == PERUN_JSON_INT64) {
			value.integer = token->number.int64;
		} else if (token->kind == PERUN_JSON_DOUBLE) {
			value.type = PERUN_JSON_TYPE_DOUBLE;
			value.real = token->number.real;
		} else {
			value.digits = true;
			value.text = new_text(build->arena, token->text, token->length);
		}
		break;
	case PERUN_JSON_TRUE:
	case PERUN_JSON_FALSE:
		value.type = PERUN_JSON_TYPE_BOOL;
		value.boolean = token->event == PERUN_JSON_TRUE;
		break;
	default:
		value.type = PERUN_JSON_TYPE_NULL;
	}
	return value;
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

static void put(struct json_build *build, struct perun_json value)
{
	if (value.root) {
		build->root = json_arena_take(build->arena, sizeof value);
		*build->root = value;
		return;
	}
	PERUN_GROW(build->values, build->value_count, build->value_capacity);
	build->values[build->value_count++] = value;
}

/* The key of the value that is made in a container that is open, the one with the number `depth` - 1. */
static const char *key_in(const struct json_build *build, size_t depth)
{
	size_t end = depth < build->depth ? build->open[depth].keys : build->key_count;

	return depth && build->open[depth - 1].type == PERUN_JSON_TYPE_OBJECT
		       ? build->keys[end - 1]->text
		       : NULL;
}

/* Offer the array that was just opened. */
static bool offer_array(struct perun_json_reader *reader, struct json_build *build)
{
	const size_t depth = build->depth - 1;
	const struct perun_json_place place = {.key = key_in(build, depth),
					       .above = depth ? key_in(build, depth - 1) : NULL,
					       .depth = depth};
	bool taken = false;

	build->status = build->take_array(build->take_data, reader, &place, &taken);
	if (taken && !build->status)
		put(build, close_container(build));
	return !build->status && !reader->error.status;
}

/* Take one token; false when the limit of values is hit, or what is taken out of the document has failed. */
static bool take(struct perun_json_reader *reader, struct json_build *build)
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
	if (build->node_count % 256 == 0 && is_large(build))
		pack_complete(build);
	if (token->event == PERUN_JSON_OBJECT_START || token->event == PERUN_JSON_ARRAY_START)
		open_container(build, token->event == PERUN_JSON_OBJECT_START
					      ? PERUN_JSON_TYPE_OBJECT
					      : PERUN_JSON_TYPE_ARRAY);
	else if (build->depth)
		put(build, scalar(build, token));
	else
		build->root = single_value(token);
	return token->event != PERUN_JSON_ARRAY_START || !build->take_array ||
	       offer_array(reader, build);
}

/* Many values of one reader are small: what they are made with stays with it. */
static struct json_build *begin_build(struct perun_json_reader *reader)
{
	struct json_build *build = reader->build;

	if (!build)
		build = reader->build = perun_alloc_zero(1, sizeof *build);
	build->arena = build->kept = NULL;
	build->stayed = 0;
	build->root = NULL;
	build->depth = build->value_count = build->key_count = build->node_count = 0;
	build->value++;
	return build;
}

void perun_json_build_free(struct json_build *build)
{
	if (!build)
		return;
	perun_free(build->open);
	perun_free(build->values);
	perun_free(build->keys);
	perun_free(build);
}

static void end_build(struct perun_json_reader *reader)
{
	if (reader->build->value_capacity <= LONG_ARRAY &&
	    reader->build->key_capacity <= LONG_ARRAY)
		return;
	perun_json_build_free(reader->build);
	reader->build = NULL;
}

/* What was made before a failure. */
static void drop_build(struct json_build *build)
{
	for (size_t d = 0; d < build->depth; d++)
		if (build->open[d].packer)
			json_packer_end(build->open[d].packer);
	json_arena_free(build->arena);
}

int perun_json_read_around(struct perun_json_reader *reader, perun_json_take_array *take_array,
			   void *data, struct perun_json **value)
{
	enum perun_json_event event = perun_json_first_token(reader);
	struct json_build *build = begin_build(reader);
	int status;

	*value = NULL;
	build->take_array = take_array;
	build->take_data = data;
	build->status = PERUN_OK;
	while (event != PERUN_JSON_ERROR && take(reader, build)) {
		if (build->depth == 0) {
			*value = build->root;
			break;
		}
		event = perun_json_next(reader);
	}
	if (*value == NULL)
		drop_build(build);
	status = build->status ? build->status : reader->error.status;
	end_build(reader);
	return status;
}

int perun_json_read_value(struct perun_json_reader *reader, struct perun_json **value)
{
	return perun_json_read_around(reader, NULL, NULL, value);
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
