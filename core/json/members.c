/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of many numbers, texts, or objects of texts: a few bytes for each member until somebody looks into them. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "document.h"

/*
 * Names that follow each other begin and end alike ("BenchmarkA1 [py3]", "BenchmarkA2 [py3]"): a key is how many bytes it has in
 * common with the one before at its beginning and at its end, up to SHARED each, how many are between them, and these.
 * Its value follows: a mark and what that says. Counts are in base 128, the lowest digits first, 128 added to all but the last.
 */
enum { SHARED = 127, COUNT_SIZE = 10, FIRST_BLOCK = 128, LARGEST_BLOCK = 1 << 14 };

enum mark { SAME_AS_KEY, AS_BEFORE, TEXT, NUMBER, OBJECT };

struct block {
	struct block *next;
	size_t used, room;
	unsigned char bytes[];
};

struct json_packed {
	struct json_list head; /* what is made has one of its own */
	pthread_mutex_t lock;
	struct json_list *_Atomic made; /* NULL: nobody has looked into it */
	size_t count;                   /* repeated keys too */
	struct block *first, *last;
};

struct perun_json_members {
	struct json_arena *arena;
	struct json_packed *packed;
	struct perun_buffer key, value; /* those before: the bytes after the mark */
	struct perun_buffer scratch;
	bool valued;
	enum mark before; /* of the value before */
};

/* ---- adding ----------------------------------------------------------------------------------- */

struct perun_json_members *perun_json_members_new(void)
{
	struct perun_json_members *members = perun_alloc_zero(1, sizeof *members);

	members->arena = json_arena_new();
	members->packed = json_arena_take(members->arena, sizeof *members->packed);
	*members->packed = (struct json_packed){.head.arena = members->arena};
	return members;
}

/* Room for that many bytes, which follow each other. */
static unsigned char *room_for(struct perun_json_members *members, size_t size)
{
	struct json_packed *packed = members->packed;
	struct block *last = packed->last;
	size_t room;

	if (last && size <= last->room - last->used)
		return last->bytes + last->used;
	room = last && last->room < LARGEST_BLOCK ? last->room * 2 : FIRST_BLOCK;
	room = last && last->room >= LARGEST_BLOCK ? LARGEST_BLOCK : room;
	room = room < size ? size : room;
	last = json_arena_take(members->arena, sizeof *last + room);
	*last = (struct block){.room = room};
	*(packed->last ? &packed->last->next : &packed->first) = last;
	packed->last = last;
	return last->bytes;
}

static unsigned char *put_count(unsigned char *to, size_t count)
{
	for (; count >= 128; count /= 128)
		*to++ = (unsigned char)(count % 128 + 128);
	*to++ = (unsigned char)count;
	return to;
}

static unsigned char *put_bytes(unsigned char *to, const char *bytes, size_t size)
{
	to = put_count(to, size);
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

static void replace(struct perun_buffer *buffer, const char *text, size_t length)
{
	perun_buffer_clear(buffer);
	perun_buffer_add(buffer, text, length);
}

/* The key, where `more` bytes follow. */
static unsigned char *put_key(struct perun_json_members *members, const char *key, size_t length,
			      size_t more)
{
	struct perun_buffer *before = &members->key;
	size_t most = length < before->length ? length : before->length, first = 0, last = 0;
	unsigned char *to;

	while (first < most && first < SHARED && key[first] == before->data[first])
		first++;
	while (last < most - first && last < SHARED &&
	       key[length - 1 - last] == before->data[before->length - 1 - last])
		last++;
	to = room_for(members, 2 + COUNT_SIZE + length - first - last + more);
	*to++ = (unsigned char)first;
	*to++ = (unsigned char)last;
	to = put_bytes(to, key + first, length - first - last);
	replace(before, key, length);
	members->packed->count++;
	return to;
}

/* The value of the key that was put: `size` bytes. */
static void put_value(struct perun_json_members *members, unsigned char *to, enum mark mark,
		      const void *bytes, size_t size)
{
	struct perun_buffer *before = &members->value;
	const bool again = members->valued && members->before == mark && before->length == size &&
			   memcmp(before->data, bytes, size) == 0;

	*to++ = again ? AS_BEFORE : mark;
	if (!again) {
		memcpy(to, bytes, size);
		to += size;
		replace(before, bytes, size);
		members->before = mark;
		members->valued = true;
	}
	members->packed->last->used = (size_t)(to - members->packed->last->bytes);
}

void perun_json_members_number(struct perun_json_members *members, const char *key, double number)
{
	unsigned char *to = put_key(members, key, strlen(key), 1 + sizeof number);

	put_value(members, to, NUMBER, &number, sizeof number);
}

static void add_text(struct perun_buffer *buffer, const char *text)
{
	unsigned char count[COUNT_SIZE];
	const size_t length = strlen(text);

	perun_buffer_add(buffer, count, (size_t)(put_count(count, length) - count));
	perun_buffer_add(buffer, text, length);
}

void perun_json_members_text(struct perun_json_members *members, const char *key, const char *text)
{
	struct perun_buffer *bytes = &members->scratch;
	unsigned char *to;

	if (strcmp(key, text) == 0) { /* many units are what they are called */
		to = put_key(members, key, strlen(key), 1);
		*to++ = SAME_AS_KEY;
		members->packed->last->used = (size_t)(to - members->packed->last->bytes);
		return;
	}
	perun_buffer_clear(bytes);
	add_text(bytes, text);
	to = put_key(members, key, strlen(key), 1 + bytes->length);
	put_value(members, to, TEXT, bytes->data, bytes->length);
}

void perun_json_members_object(struct perun_json_members *members, const char *key, size_t length,
			       const char *const *names, const char *const *texts, size_t count)
{
	unsigned char head[COUNT_SIZE], *to;
	struct perun_buffer *bytes = &members->scratch;

	perun_buffer_clear(bytes);
	perun_buffer_add(bytes, head, (size_t)(put_count(head, count) - head));
	for (size_t i = 0; i < count; i++) {
		add_text(bytes, names[i]);
		add_text(bytes, texts[i]);
	}
	to = put_key(members, key, length, 1 + bytes->length);
	put_value(members, to, OBJECT, bytes->data, bytes->length);
}

struct perun_json *perun_json_members_end(struct perun_json_members *members)
{
	struct perun_json *root;

	if (!members)
		return NULL;
	root = json_arena_take(members->arena, sizeof *root);
	pthread_mutex_init(&members->packed->lock, NULL);
	*root = (struct perun_json){.type = PERUN_JSON_TYPE_OBJECT,
				    .in_arena = true,
				    .frozen = true,
				    .packed = true,
				    .root = true,
				    .list = &members->packed->head};
	perun_buffer_free(&members->key);
	perun_buffer_free(&members->value);
	perun_buffer_free(&members->scratch);
	perun_free(members);
	return root;
}

/* ---- making ----------------------------------------------------------------------------------- */

/* Where the next byte is. */
struct cursor {
	const struct block *block;
	const unsigned char *at;
	struct json_arena *arena;
	struct json_text *key; /* the one before, NULL = none */
	struct perun_json value;
};

static size_t get_count(struct cursor *cursor)
{
	size_t count = 0;
	unsigned shift = 0;

	for (; *cursor->at >= 128; shift += 7)
		count |= (size_t)(*cursor->at++ - 128) << shift;
	return count | (size_t)*cursor->at++ << shift;
}

static struct json_text *new_text(struct json_arena *arena, size_t length)
{
	struct json_text *text = json_arena_take(arena, sizeof *text + length + 1);

	text->length = length;
	text->text[length] = '\0';
	return text;
}

static void get_key(struct cursor *cursor)
{
	const struct json_text *before = cursor->key;
	size_t first = *cursor->at++, last = *cursor->at++, own = get_count(cursor);
	struct json_text *key = new_text(cursor->arena, first + own + last);

	if (before) {
		memcpy(key->text, before->text, first);
		memcpy(key->text + first + own, before->text + before->length - last, last);
	}
	memcpy(key->text + first, cursor->at, own);
	cursor->at += own;
	cursor->key = key;
}

static struct json_text *get_text(struct cursor *cursor)
{
	const size_t size = get_count(cursor);
	struct json_text *text = new_text(cursor->arena, size);

	memcpy(text->text, cursor->at, size);
	cursor->at += size;
	return text;
}

static struct perun_json text_value(struct json_text *text)
{
	return (struct perun_json){.type = PERUN_JSON_TYPE_STRING, .in_arena = true, .text = text};
}

static struct perun_json get_object(struct cursor *cursor)
{
	const size_t count = get_count(cursor);
	struct json_frozen_object *object = json_new_object(cursor->arena, count);

	for (size_t i = 0; i < count; i++) {
		struct json_text *name = get_text(cursor);

		json_add_member(object, name, text_value(get_text(cursor)));
	}
	return (struct perun_json){.type = PERUN_JSON_TYPE_OBJECT,
				   .in_arena = true,
				   .frozen = true,
				   .list = &object->head};
}

/* The value after the key. Equal ones are there once: whoever changes an object gets a list of its own. */
static struct perun_json get_value(struct cursor *cursor)
{
	switch ((enum mark) * cursor->at++) {
	case SAME_AS_KEY:
		return text_value(cursor->key);
	case AS_BEFORE:
		break;
	case TEXT:
		cursor->value = text_value(get_text(cursor));
		break;
	case NUMBER:
		cursor->value =
			(struct perun_json){.type = PERUN_JSON_TYPE_DOUBLE, .in_arena = true};
		memcpy(&cursor->value.real, cursor->at, sizeof cursor->value.real);
		cursor->at += sizeof cursor->value.real;
		break;
	case OBJECT:
		cursor->value = get_object(cursor);
		break;
	}
	return cursor->value;
}

/*
 * All members are there before they are looked up, some maybe with the same key: a loop of its own waits less for memory.
 */
static struct json_list *make(const struct json_packed *packed)
{
	struct json_arena *arena = packed->head.arena;
	struct json_frozen_object *object = json_new_object(arena, packed->count);
	struct cursor cursor = {.block = packed->first, .arena = arena};

	cursor.at = cursor.block ? cursor.block->bytes : NULL;
	for (size_t i = 0; i < packed->count; i++) {
		if (cursor.at == cursor.block->bytes + cursor.block->used) {
			cursor.block = cursor.block->next;
			cursor.at = cursor.block->bytes;
		}
		get_key(&cursor);
		object->members[i].key = cursor.key;
		object->members[i].value = get_value(&cursor);
	}
	for (size_t i = 0; i < packed->count; i++)
		json_add_member(object, object->members[i].key, object->members[i].value);
	return &object->head;
}

struct json_list *json_unpack(const struct perun_json *value)
{
	struct json_packed *packed = (struct json_packed *)value->list;
	struct json_list *made = atomic_load_explicit(&packed->made, memory_order_acquire);

	if (made)
		return made;
	pthread_mutex_lock(&packed->lock);
	made = atomic_load_explicit(&packed->made, memory_order_relaxed);
	if (!made) {
		made = make(packed);
		atomic_store_explicit(&packed->made, made, memory_order_release);
	}
	pthread_mutex_unlock(&packed->lock);
	return made;
}

void json_packed_end(struct perun_json *value)
{
	pthread_mutex_destroy(&((struct json_packed *)value->list)->lock);
	value->packed = false;
}

/* ---- at once ---------------------------------------------------------------------------------- */

struct perun_json *perun_json_numbers(const char *const *keys, const double *numbers, size_t count)
{
	struct perun_json_members *members = perun_json_members_new();

	for (size_t i = 0; i < count; i++)
		perun_json_members_number(members, keys[i], numbers[i]);
	return perun_json_members_end(members);
}

struct perun_json *perun_json_texts(const char *const *keys, const char *const *texts, size_t count)
{
	struct perun_json_members *members = perun_json_members_new();

	for (size_t i = 0; i < count; i++)
		perun_json_members_text(members, keys[i], texts[i]);
	return perun_json_members_end(members);
}
