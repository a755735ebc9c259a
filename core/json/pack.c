/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing members and elements into blocks. */
#include <math.h>

#include "packed.h"

/* A block is full from this many bytes on, but its last value may be long; a shape has fewer. */
enum { FULL_BLOCK = 4096, LONG_BLOCK = 1 << 16, LARGEST_SHAPE = 1024 };

struct json_packer {
	struct json_packed *packed;
	struct json_arena *kept;
	bool keeps; /* what is packed by itself, and long texts, are in that arena and stay there */
	struct perun_buffer bytes; /* the block that is not full; empty: there is none */
	size_t first;              /* in it */
	size_t block_room, other_room;
	struct perun_buffer key; /* the one before */
	size_t value,
		value_size; /* where the value before is in `bytes`; size 0: there is none to refer to */
	struct perun_buffer shapes[JSON_SHAPES], shape;
	size_t shape_count;
};

struct json_packer *json_packer_new(struct json_arena *arena, struct json_arena *kept,
				    enum perun_json_type type)
{
	struct json_packer *packer = perun_alloc_zero(1, sizeof *packer);

	packer->kept = kept;
	packer->keeps = kept != arena;
	packer->packed = json_arena_take(kept, sizeof *packer->packed);
	*packer->packed = (struct json_packed){.head.arena = arena, .type = type};
	json_arena_beside(arena);
	return packer;
}

static char *put_count(char *to, size_t count)
{
	for (; count >= 128; count /= 128)
		*to++ = (char)(unsigned char)(count % 128 + 128);
	*to++ = (char)count;
	return to;
}

static char *put_text(char *to, const char *text, size_t length)
{
	to = put_count(to, length);
	if (length)
		memcpy(to, text, length);
	return to + length;
}

static void add_count(struct perun_buffer *out, size_t count)
{
	char *to = perun_buffer_reserve(out, JSON_COUNT_SIZE);

	out->length = (size_t)(put_count(to, count) - out->data);
}

static void add_text(struct perun_buffer *out, const char *text, size_t length)
{
	char *to = perun_buffer_reserve(out, JSON_COUNT_SIZE + length);

	out->length = (size_t)(put_text(to, text, length) - out->data);
}

/* A mark and what it says: an integer, in the order 0, -1, 1, -2, 2; or a text. */
static void add_integer(struct perun_buffer *out, int mark, int64_t integer)
{
	char *to = perun_buffer_reserve(out, 1 + JSON_COUNT_SIZE);

	*to++ = (char)mark;
	to = put_count(to, ((uint64_t)integer << 1) ^ (uint64_t)(integer >> 63));
	out->length = (size_t)(to - out->data);
}

static void add_marked(struct perun_buffer *out, int mark, const char *text, size_t length)
{
	char *to = perun_buffer_reserve(out, 1 + JSON_COUNT_SIZE + length);

	*to++ = (char)mark;
	out->length = (size_t)(put_text(to, text, length) - out->data);
}

/* ---- values ----------------------------------------------------------------------------------- */

/* Many numbers have a few digits: the power of ten that makes one a small integer, which gives the same number back; -1: none. */
static int decimals_of(double real, int64_t *integer)
{
	const double most = real * 1e9;
	double power = 1;

	/* Most others are ruled out at once. */
	if (fabs(most) < (double)(INT64_C(1) << 40)) {
		const double part = fabs(most - (double)(int64_t)most);

		if (part > 0.01 && part < 0.99)
			return -1;
	}
	for (int decimals = 0; decimals <= JSON_DECIMALS; decimals++, power *= 10) {
		double times = real * power, back;

		if (!(fabs(times) < (double)(INT64_C(1) << 40)))
			break;
		*integer = (int64_t)times;
		back = (double)*integer / power;
		if (memcmp(&back, &real, sizeof real) == 0)
			return decimals;
	}
	return -1;
}

static void pack_real(struct perun_buffer *out, double real)
{
	int64_t integer;
	int decimals = decimals_of(real, &integer);

	if (decimals >= 0) {
		add_integer(out, JSON_MARK_DECIMAL + decimals, integer);
		return;
	}
	perun_buffer_add_char(out, JSON_MARK_REAL);
	perun_buffer_add(out, &real, sizeof real);
}

static void pack_integer(struct perun_buffer *out, const struct perun_json *value)
{
	if (value->digits) {
		add_marked(out, JSON_MARK_DIGITS, value->text->text, value->text->length);
	} else if (value->integer >= 0 && value->integer <= UINT8_MAX - JSON_MARK_SMALL) {
		perun_buffer_add_char(out, (char)(unsigned char)(JSON_MARK_SMALL + value->integer));
	} else {
		add_integer(out, JSON_MARK_INTEGER, value->integer);
	}
}

/* What is in packer->shape, the keys of an object: which of the last ones it is, or else it is one from now on. */
static void pack_shape(struct json_packer *packer, size_t keys)
{
	const struct perun_buffer *shape = &packer->shape;
	const bool few = keys <= JSON_SHAPE_KEYS && shape->length < LARGEST_SHAPE;

	for (size_t i = 0; few && i < JSON_SHAPES && i < packer->shape_count; i++) {
		if (packer->shapes[i].length != shape->length ||
		    memcmp(packer->shapes[i].data, shape->data, shape->length) != 0)
			continue;
		perun_buffer_add_char(&packer->bytes, JSON_MARK_LIKE);
		perun_buffer_add_char(&packer->bytes, (char)i);
		return;
	}
	perun_buffer_add_char(&packer->bytes, few ? JSON_MARK_OBJECT : JSON_MARK_LARGE);
	perun_buffer_add(&packer->bytes, shape->data, shape->length);
	if (few) {
		struct perun_buffer *kept = &packer->shapes[packer->shape_count++ % JSON_SHAPES];

		perun_buffer_clear(kept);
		perun_buffer_add(kept, shape->data, shape->length);
	}
}

static unsigned pack_value(struct json_packer *packer, const struct perun_json *value);

static void pack_other(struct json_packer *packer, const struct perun_json *value)
{
	struct json_packed *packed = packer->packed;

	perun_buffer_add_char(&packer->bytes, JSON_MARK_OTHER);
	add_count(&packer->bytes, packed->other_count);
	PERUN_GROW(packed->others, packed->other_count, packer->other_room);
	packed->others[packed->other_count++] = *value;
}

static unsigned pack_container(struct json_packer *packer, const struct perun_json *value)
{
	const size_t count = perun_json_count(value);
	unsigned depth = 0;

	if (value->type == PERUN_JSON_TYPE_ARRAY) {
		perun_buffer_add_char(&packer->bytes, JSON_MARK_ARRAY);
		add_count(&packer->bytes, count);
	} else {
		perun_buffer_clear(&packer->shape);
		add_count(&packer->shape, count);
		for (size_t i = 0; i < count; i++)
			add_text(&packer->shape, json_key(value, i)->text,
				 json_key(value, i)->length);
		pack_shape(packer, count);
	}
	for (size_t i = 0; i < count; i++) {
		const unsigned below = pack_value(packer, json_item(value, i));

		depth = below > depth ? below : depth;
	}
	return depth + 1;
}

/* How many containers are in each other. */
static unsigned pack_value(struct json_packer *packer, const struct perun_json *value)
{
	struct perun_buffer *out = &packer->bytes;

	switch ((enum perun_json_type)value->type) {
	case PERUN_JSON_TYPE_NULL:
		perun_buffer_add_char(out, JSON_MARK_NULL);
		break;
	case PERUN_JSON_TYPE_BOOL:
		perun_buffer_add_char(out, value->boolean ? JSON_MARK_TRUE : JSON_MARK_FALSE);
		break;
	case PERUN_JSON_TYPE_INT:
		pack_integer(out, value);
		break;
	case PERUN_JSON_TYPE_DOUBLE:
		pack_real(out, value->real);
		break;
	case PERUN_JSON_TYPE_STRING:
		if (value->text->length < JSON_LONG_TEXT || !packer->keeps)
			add_marked(out, JSON_MARK_TEXT, value->text->text, value->text->length);
		else
			pack_other(packer, value);
		break;
	case PERUN_JSON_TYPE_ARRAY:
	case PERUN_JSON_TYPE_OBJECT:
		if (!value->packed || !packer->keeps)
			return pack_container(packer, value);
		pack_other(packer, value);
		return 2;
	}
	return 0;
}

/* ---- members and elements ---------------------------------------------------------------------- */

/* The bytes as a block; many are not copied. */
static struct json_block *keep_block(struct json_packer *packer)
{
	struct perun_buffer *bytes = &packer->bytes;
	const size_t size = bytes->length;
	struct json_block *block;

	if (size > LONG_BLOCK) {
		block = perun_realloc(bytes->data, size);
		json_arena_adopt(packer->kept, block, size);
		*bytes = (struct perun_buffer){0};
	} else {
		block = json_arena_take(packer->kept, size);
		memcpy((char *)block, bytes->data, size);
	}
	block->size = size - sizeof *block;
	return block;
}

/* The block is full, or the last one; the next one refers to nothing in it. */
static void end_block(struct json_packer *packer)
{
	struct json_packed *packed = packer->packed;
	struct json_block *block;

	if (packed->count == packer->first)
		return;
	block = keep_block(packer);
	block->first = packer->first;
	block->count = packed->count - packer->first;
	atomic_init(&block->made, NULL);
	PERUN_GROW(packed->blocks, packed->block_count, packer->block_room);
	packed->blocks[packed->block_count++] = block;
	packer->first = packed->count;
	packer->value_size = packer->shape_count = 0;
	perun_buffer_clear(&packer->bytes);
	perun_buffer_clear(&packer->key);
}

static void pack_key(struct json_packer *packer, const char *key, size_t length)
{
	struct perun_buffer *before = &packer->key;
	size_t most = length < before->length ? length : before->length, first = 0, last = 0;
	char *to;

	while (first < most && first < JSON_SHARED && key[first] == before->data[first])
		first++;
	while (last < most - first && last < JSON_SHARED &&
	       key[length - 1 - last] == before->data[before->length - 1 - last])
		last++;
	to = perun_buffer_reserve(&packer->bytes, 2 + JSON_COUNT_SIZE + length);
	*to++ = (char)first;
	*to++ = (char)last;
	to = put_text(to, key + first, length - first - last);
	packer->bytes.length = (size_t)(to - packer->bytes.data);
	perun_buffer_clear(before);
	if (length < JSON_LONG_TEXT)
		perun_buffer_add(before, key, length);
}

static void begin_item(struct json_packer *packer, const char *key, size_t length)
{
	if (packer->bytes.length >= FULL_BLOCK)
		end_block(packer);
	if (!packer->bytes.length) {
		perun_buffer_reserve(&packer->bytes, sizeof(struct json_block));
		packer->bytes.length = sizeof(struct json_block);
	}
	if (key)
		pack_key(packer, key, length);
	packer->packed->count++;
}

/* The value is what was added from `at` on. Containers in containers, which people may change, are never there once for two. */
static void end_item(struct json_packer *packer, size_t at, bool is_flat)
{
	struct perun_buffer *bytes = &packer->bytes;
	const size_t size = bytes->length - at;

	if (is_flat && size > 1 && size == packer->value_size &&
	    memcmp(bytes->data + at, bytes->data + packer->value, size) == 0) {
		bytes->length = at;
		perun_buffer_add_char(bytes, JSON_MARK_BEFORE);
		return;
	}
	packer->value = at;
	packer->value_size = is_flat ? size : 0;
}

/* Many units are what they are called. */
static void pack_text(struct json_packer *packer, const char *key, size_t key_length,
		      const char *text, size_t length)
{
	struct perun_buffer *bytes = &packer->bytes;
	const size_t at = bytes->length;

	if (key && key_length == length && (!length || memcmp(key, text, length) == 0)) {
		perun_buffer_add_char(bytes, JSON_MARK_KEY);
		return;
	}
	add_marked(bytes, JSON_MARK_TEXT, text, length);
	end_item(packer, at, true);
}

void json_pack(struct json_packer *packer, const char *key, size_t length,
	       const struct perun_json *value)
{
	size_t at;

	begin_item(packer, key, length);
	at = packer->bytes.length;
	if (value->type == PERUN_JSON_TYPE_STRING &&
	    (value->text->length < JSON_LONG_TEXT || !packer->keeps))
		pack_text(packer, key, length, value->text->text, value->text->length);
	else
		end_item(packer, at, pack_value(packer, value) < 2);
}

void json_pack_other(struct json_packer *packer, const char *key, size_t length,
		     const struct perun_json *value)
{
	begin_item(packer, key, length);
	pack_other(packer, value);
	packer->value_size = 0;
}

/* These mostly have many digits, and are many: they are not asked how many. */
void json_pack_number(struct json_packer *packer, const char *key, double number)
{
	char *to;
	size_t at;

	begin_item(packer, key, strlen(key));
	at = packer->bytes.length;
	to = perun_buffer_reserve(&packer->bytes, 1 + sizeof number);
	*to = JSON_MARK_REAL;
	memcpy(to + 1, &number, sizeof number);
	packer->bytes.length += 1 + sizeof number;
	end_item(packer, at, true);
}

void json_pack_text(struct json_packer *packer, const char *key, const char *text)
{
	begin_item(packer, key, strlen(key));
	pack_text(packer, key, strlen(key), text, strlen(text));
}

void json_pack_texts(struct json_packer *packer, const char *key, size_t length,
		     const char *const *names, const char *const *texts, size_t count)
{
	size_t at;

	begin_item(packer, key, length);
	at = packer->bytes.length;
	perun_buffer_clear(&packer->shape);
	add_count(&packer->shape, count);
	for (size_t i = 0; i < count; i++)
		add_text(&packer->shape, names[i], strlen(names[i]));
	pack_shape(packer, count);
	for (size_t i = 0; i < count; i++)
		add_marked(&packer->bytes, JSON_MARK_TEXT, texts[i], strlen(texts[i]));
	end_item(packer, at, true);
}

static void *keep(struct json_arena *arena, void *array, size_t size)
{
	void *kept = json_arena_take(arena, size);

	if (size)
		memcpy(kept, array, size);
	perun_free(array);
	return kept;
}

struct json_packed *json_packer_end(struct json_packer *packer)
{
	struct json_packed *packed = packer->packed;

	end_block(packer);
	packed->blocks =
		keep(packer->kept, packed->blocks, packed->block_count * sizeof *packed->blocks);
	packed->others =
		keep(packer->kept, packed->others, packed->other_count * sizeof *packed->others);
	perun_buffer_free(&packer->bytes);
	perun_buffer_free(&packer->key);
	perun_buffer_free(&packer->shape);
	for (size_t i = 0; i < JSON_SHAPES; i++)
		perun_buffer_free(&packer->shapes[i]);
	perun_free(packer);
	return packed;
}
