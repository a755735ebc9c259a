/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading what is packed: a block at a time, and which keys there are. */
#include "core/context/context.h"
#include "packed.h"

/* An object with fewer members is made as a whole. */
enum { FEW_MEMBERS = 64 };

/* Where the next byte of a block is, and what others refer to. */
struct cursor {
	const struct json_packed *packed;
	const struct json_block *block;
	const unsigned char *at;
	struct json_arena *arena; /* for what is made; NULL: nothing is */
	struct perun_buffer key;  /* the one before */
	struct json_text *text;   /* the same, where it is made */
	struct perun_json value;  /* the one before */
	struct shape {
		size_t count;
		struct json_text **keys;
	} shapes[JSON_SHAPES];
	size_t shape_count;
};

static struct cursor begin(const struct json_packed *packed, const struct json_block *block,
			   struct json_arena *arena, struct perun_buffer key)
{
	key.length = 0;
	return (struct cursor){
		.packed = packed, .block = block, .at = block->bytes, .arena = arena, .key = key};
}

static size_t get_count(struct cursor *cursor)
{
	size_t count = 0;
	unsigned shift = 0;

	for (; *cursor->at >= 128; shift += 7)
		count |= (size_t)(*cursor->at++ - 128) << shift;
	return count | (size_t)*cursor->at++ << shift;
}

static int64_t get_integer(struct cursor *cursor)
{
	const uint64_t count = get_count(cursor);

	return (int64_t)(count >> 1 ^ -(count & 1));
}

static struct json_text *new_text(struct json_arena *arena, const void *bytes, size_t length)
{
	struct json_text *text = json_arena_take(arena, sizeof *text + length + 1);

	text->length = length;
	if (length)
		memcpy(text->text, bytes, length);
	text->text[length] = '\0';
	return text;
}

/* NULL where nothing is made. */
static struct json_text *get_text(struct cursor *cursor)
{
	const size_t size = get_count(cursor);
	const unsigned char *bytes = cursor->at;

	cursor->at += size;
	return cursor->arena ? new_text(cursor->arena, bytes, size) : NULL;
}

/* The next key, in cursor->key. */
static void get_key(struct cursor *cursor)
{
	struct perun_buffer *key = &cursor->key;
	const size_t first = *cursor->at++, last = *cursor->at++, own = get_count(cursor);
	char end[JSON_SHARED];

	if (last)
		memcpy(end, key->data + key->length - last, last);
	key->length = first;
	if (own)
		perun_buffer_add(key, cursor->at, own);
	if (last)
		perun_buffer_add(key, end, last);
	cursor->at += own;
	if (cursor->arena)
		cursor->text = new_text(cursor->arena, key->data, key->length);
}

/* ---- values ----------------------------------------------------------------------------------- */

static struct perun_json text_value(struct json_text *text)
{
	return (struct perun_json){.type = PERUN_JSON_TYPE_STRING, .in_arena = true, .text = text};
}

static struct perun_json real_value(double real)
{
	return (struct perun_json){.type = PERUN_JSON_TYPE_DOUBLE, .in_arena = true, .real = real};
}

static struct perun_json integer_value(int64_t integer)
{
	return (struct perun_json){
		.type = PERUN_JSON_TYPE_INT, .in_arena = true, .integer = integer};
}

static struct perun_json bool_value(bool boolean)
{
	return (struct perun_json){
		.type = PERUN_JSON_TYPE_BOOL, .in_arena = true, .boolean = boolean};
}

struct perun_json json_packed_value(struct json_packed *packed)
{
	return (struct perun_json){.type = (uint8_t)packed->type,
				   .in_arena = true,
				   .frozen = true,
				   .packed = true,
				   .list = &packed->head};
}

static struct perun_json frozen_value(enum perun_json_type type, struct json_list *list)
{
	/* Who changes it is known to the whole document. */
	return (struct perun_json){
		.type = (uint8_t)type, .in_arena = true, .frozen = true, .list = list};
}

static double divide(int64_t integer, int decimals)
{
	double power = 1;

	for (; decimals; decimals--)
		power *= 10;
	return (double)integer / power;
}

static struct perun_json get_value(struct cursor *cursor);

static struct perun_json get_array(struct cursor *cursor)
{
	const size_t count = get_count(cursor);
	struct json_frozen_array *array = NULL;

	if (cursor->arena) {
		array = json_arena_take(cursor->arena,
					sizeof *array + count * sizeof *array->items);
		array->head =
			(struct json_list){.count = count, .arena = cursor->packed->head.arena};
		array->items = (struct perun_json *)(array + 1);
	}
	for (size_t i = 0; i < count; i++) {
		const struct perun_json value = get_value(cursor);

		if (array)
			array->items[i] = value;
	}
	return frozen_value(PERUN_JSON_TYPE_ARRAY, array ? &array->head : NULL);
}

static struct shape get_shape(struct cursor *cursor)
{
	struct shape shape = {.count = get_count(cursor)};

	if (cursor->arena)
		shape.keys = json_arena_take(cursor->arena, shape.count * sizeof *shape.keys);
	for (size_t i = 0; i < shape.count; i++) {
		struct json_text *key = get_text(cursor);

		if (shape.keys)
			shape.keys[i] = key;
	}
	return shape;
}

static struct perun_json get_object(struct cursor *cursor, struct shape shape)
{
	struct json_frozen_object *object = NULL;

	if (cursor->arena) {
		object = json_new_object(cursor->arena, shape.count);
		object->head.arena = cursor->packed->head.arena;
	}
	for (size_t i = 0; i < shape.count; i++) {
		const struct perun_json value = get_value(cursor);

		if (object)
			json_add_member(object, shape.keys[i], value);
	}
	return frozen_value(PERUN_JSON_TYPE_OBJECT, object ? &object->head : NULL);
}

/* The value is of no use where nothing is made. */
static struct perun_json get_value(struct cursor *cursor)
{
	const unsigned mark = *cursor->at++;
	struct perun_json value;
	struct shape shape;

	if (mark >= JSON_MARK_SMALL)
		return integer_value((int64_t)mark - JSON_MARK_SMALL);
	if (mark >= JSON_MARK_DECIMAL)
		return real_value(divide(get_integer(cursor), (int)mark - JSON_MARK_DECIMAL));
	switch ((enum json_mark)mark) {
	case JSON_MARK_FALSE:
	case JSON_MARK_TRUE:
		return bool_value(mark == JSON_MARK_TRUE);
	case JSON_MARK_KEY:
		return text_value(cursor->text);
	case JSON_MARK_BEFORE:
		return cursor->value;
	case JSON_MARK_TEXT:
		return text_value(get_text(cursor));
	case JSON_MARK_DIGITS:
		value = text_value(get_text(cursor));
		value.type = PERUN_JSON_TYPE_INT;
		value.digits = true;
		return value;
	case JSON_MARK_INTEGER:
		return integer_value(get_integer(cursor));
	case JSON_MARK_REAL:
		value = real_value(0);
		memcpy(&value.real, cursor->at, sizeof value.real);
		cursor->at += sizeof value.real;
		return value;
	case JSON_MARK_ARRAY:
		return get_array(cursor);
	case JSON_MARK_OBJECT:
		shape = get_shape(cursor);
		cursor->shapes[cursor->shape_count++ % JSON_SHAPES] = shape;
		return get_object(cursor, shape);
	case JSON_MARK_LARGE:
		return get_object(cursor, get_shape(cursor));
	case JSON_MARK_LIKE:
		return get_object(cursor, cursor->shapes[*cursor->at++]);
	case JSON_MARK_OTHER:
		return cursor->packed->others[get_count(cursor)];
	default:
		return (struct perun_json){.type = PERUN_JSON_TYPE_NULL, .in_arena = true};
	}
}

/* The next member or element. Equal values are there once: whoever changes a container gets a list of its own. */
static struct perun_json get_item(struct cursor *cursor)
{
	if (cursor->packed->type == PERUN_JSON_TYPE_OBJECT)
		get_key(cursor);
	if (*cursor->at == JSON_MARK_KEY) {
		cursor->at++;
		return text_value(cursor->text);
	}
	return cursor->value = get_value(cursor);
}

/* ---- all of it, or a block --------------------------------------------------------------------- */

static struct json_list *make_all(const struct json_packed *packed)
{
	struct json_frozen_object *object = json_new_object(packed->head.arena, packed->count);
	struct perun_buffer key = {0};

	for (size_t b = 0; b < packed->block_count; b++) {
		const struct json_block *block = packed->blocks[b];
		struct cursor cursor = begin(packed, block, packed->head.arena, key);

		for (size_t i = 0; i < block->count; i++) {
			const struct perun_json value = get_item(&cursor);

			json_add_member(object, cursor.text, value);
		}
		key = cursor.key;
	}
	perun_buffer_free(&key);
	return &object->head;
}

static void *make_block(const struct json_packed *packed, const struct json_block *block,
			struct json_arena *arena)
{
	struct cursor cursor = begin(packed, block, arena, (struct perun_buffer){0});
	const bool is_object = packed->type == PERUN_JSON_TYPE_OBJECT;
	struct json_frozen_member *members = NULL;
	struct perun_json *items = NULL;

	if (is_object)
		members = json_arena_take(arena, block->count * sizeof *members);
	else
		items = json_arena_take(arena, block->count * sizeof *items);
	for (size_t i = 0; i < block->count; i++) {
		const struct perun_json value = get_item(&cursor);

		if (is_object)
			members[i] = (struct json_frozen_member){cursor.text, value};
		else
			items[i] = value;
	}
	perun_buffer_free(&cursor.key);
	return is_object ? (void *)members : (void *)items;
}

static struct json_block *block_of(const struct json_packed *packed, size_t i)
{
	size_t first = 0, end = packed->block_count;

	while (end - first > 1) {
		const size_t middle = first + (end - first) / 2;

		if (packed->blocks[middle]->first <= i)
			first = middle;
		else
			end = middle;
	}
	return packed->blocks[first];
}

/* The block of a value, made for good. Any number of threads may ask. */
static void *stay(const struct json_packed *packed, struct json_block *block)
{
	struct json_arena *arena = packed->head.arena;
	void *made = atomic_load_explicit(&block->made, memory_order_acquire);

	if (made)
		return made;
	pthread_mutex_lock(&arena->beside->lock);
	made = atomic_load_explicit(&block->made, memory_order_relaxed);
	if (!made) {
		made = make_block(packed, block, arena);
		atomic_store_explicit(&block->made, made, memory_order_release);
	}
	pthread_mutex_unlock(&arena->beside->lock);
	return made;
}

static struct perun_json *value_in(const struct json_packed *packed, void *made, size_t i)
{
	return packed->type == PERUN_JSON_TYPE_OBJECT
		       ? &((struct json_frozen_member *)made)[i].value
		       : &((struct perun_json *)made)[i];
}

static struct json_text *key_in(const struct json_packed *packed, void *made, size_t i)
{
	return packed->type == PERUN_JSON_TYPE_OBJECT ? ((struct json_frozen_member *)made)[i].key
						      : NULL;
}

struct perun_json *json_unpack_item(const struct perun_json *value, size_t i)
{
	const struct json_packed *packed = json_packed_of(value);
	struct json_block *block;

	if (packed->made)
		return &((struct json_frozen_object *)packed->made)->members[i].value;
	block = block_of(packed, i);
	return value_in(packed, stay(packed, block), i - block->first);
}

struct json_text *json_unpack_key(const struct perun_json *object, size_t i)
{
	const struct json_packed *packed = json_packed_of(object);
	struct json_block *block;

	if (packed->made)
		return ((struct json_frozen_object *)packed->made)->members[i].key;
	block = block_of(packed, i);
	return key_in(packed, stay(packed, block), i - block->first);
}

static void pass_block(const struct json_packed *packed, struct json_passing *passing,
		       const struct json_block *block)
{
	if (!passing->arena)
		passing->arena = json_arena_new();
	json_arena_clear(passing->arena);
	passing->block = block;
	/* Whoever looked at it may have changed it. */
	passing->made = atomic_load_explicit(&block->made, memory_order_acquire);
	if (!passing->made)
		passing->made = make_block(packed, block, passing->arena);
}

const struct perun_json *json_pass(const struct perun_json *value, struct json_passing *passing,
				   size_t i, const struct json_text **key)
{
	const struct json_packed *packed = value->packed ? json_packed_of(value) : NULL;

	if (!packed || packed->made) {
		*key = value->type == PERUN_JSON_TYPE_OBJECT ? json_key(value, i) : NULL;
		return json_item(value, i);
	}
	if (!passing->block || i - passing->block->first >= passing->block->count)
		pass_block(packed, passing, block_of(packed, i));
	*key = key_in(packed, passing->made, i - passing->block->first);
	return value_in(packed, passing->made, i - passing->block->first);
}

const struct perun_json *perun_json_pass(const struct perun_json *value, size_t i, const char **key)
{
	const struct json_text *text = NULL;
	const struct perun_json *item = NULL;

	if (i >= perun_json_count(value)) {
		/* There is none. */
	} else if (!value->packed) {
		item = json_item(value, i);
		text = value->type == PERUN_JSON_TYPE_OBJECT ? json_key(value, i) : NULL;
	} else {
		struct json_packed *packed = json_packed_of(value);

		if (!packed->passing.arena)
			packed->passing.arena = json_arena_new_below(packed->head.arena);
		item = json_pass(value, &packed->passing, i, &text);
	}
	if (key)
		*key = text ? text->text : NULL;
	return item;
}

/* ---- keys -------------------------------------------------------------------------------------- */

/* Whether member number `i` has the key. */
static bool has_key(const struct json_packed *packed, size_t i, const struct perun_buffer *key)
{
	const struct json_block *block = block_of(packed, i);
	struct cursor cursor = begin(packed, block, NULL, (struct perun_buffer){0});
	bool same;

	for (size_t k = block->first; k < i; k++)
		get_item(&cursor);
	get_key(&cursor);
	same = cursor.key.length == key->length &&
	       (!key->length || memcmp(cursor.key.data, key->data, key->length) == 0);
	perun_buffer_free(&cursor.key);
	return same;
}

/*
 * Member number `i` is new, and found from now on; false: its key is repeated. How many others a slot passed rules out most of those
 * that have the same bits of a hash.
 */
static bool add_key(const struct json_packed *packed, struct perun_compact_slots slots, size_t i,
		    const struct perun_buffer *key)
{
	const uint32_t hash = json_hash_key(key->data, key->length);
	const uint32_t first = perun_compact_first(slots, hash),
		       mark = perun_compact_mark(slots, hash);
	uint32_t at = first, slot, passed = 0;

	for (; (slot = slots.at[at]) != 0; at = perun_compact_next(slots, at), passed++) {
		const uint32_t most = passed < PERUN_COMPACT_MANY ? passed : PERUN_COMPACT_MANY;

		if (slots.bits <= PERUN_COMPACT_HASH &&
		    ((slot >> slots.bits & PERUN_COMPACT_MANY) != most ||
		     !perun_compact_is_marked(slots, slot, mark)))
			continue;
		if (has_key(packed, perun_compact_number(slots, slot) - 1, key))
			return false;
	}
	slots.at[at] = perun_compact_slot(slots, at, (uint32_t)i + 1, hash);
	return true;
}

/* Whether no key is repeated; `keep`: they are found from now on. */
static bool index_keys(struct json_packed *packed, bool keep)
{
	struct json_arena *arena = packed->head.arena;
	const uint64_t size = perun_compact_size(packed->count);
	uint32_t *memory = perun_alloc(size * sizeof *memory);
	struct perun_compact_slots slots = perun_compact_slots_in(memory, size);
	struct perun_buffer key = {0};
	bool differ = true;

	for (size_t b = 0; differ && b < packed->block_count; b++) {
		const struct json_block *block = packed->blocks[b];
		struct cursor cursor = begin(packed, block, NULL, key);

		for (size_t i = 0; differ && i < block->count; i++) {
			get_item(&cursor);
			differ = add_key(packed, slots, block->first + i, &cursor.key);
		}
		key = cursor.key;
	}
	perun_buffer_free(&key);
	if (differ && keep) {
		json_arena_adopt(arena, memory, size * sizeof *memory);
		packed->head.index = json_arena_take(arena, sizeof *packed->head.index);
		packed->head.index->slots = slots;
	} else {
		perun_free(memory);
	}
	return differ;
}

static void settle(struct json_packed *packed, bool keep)
{
	packed->head.count = packed->count;
	if (packed->type == PERUN_JSON_TYPE_ARRAY)
		return;
	if (packed->count >= FEW_MEMBERS && packed->count <= UINT32_MAX / 4 &&
	    index_keys(packed, keep))
		return;
	packed->made = make_all(packed);
	packed->head.count = packed->made->count;
}

/* Under the lock of the document, what is missing: whether keys are repeated, and where they are if somebody looks for one. */
static void settle_once(struct json_packed *packed, bool keep)
{
	pthread_mutex_lock(&packed->head.arena->beside->lock);
	if (!atomic_load_explicit(&packed->settled, memory_order_relaxed))
		settle(packed, keep);
	else if (keep && !packed->made && !packed->head.index)
		index_keys(packed, true);
	atomic_store_explicit(&packed->settled, true, memory_order_release);
	if (keep)
		atomic_store_explicit(&packed->indexed, true, memory_order_release);
	pthread_mutex_unlock(&packed->head.arena->beside->lock);
}

struct json_list *json_settle(const struct perun_json *value)
{
	struct json_packed *packed = json_packed_of(value);

	if (!atomic_load_explicit(&packed->settled, memory_order_acquire))
		settle_once(packed, false);
	return packed->made ? packed->made : &packed->head;
}

struct json_list *json_index(const struct perun_json *object)
{
	struct json_packed *packed = json_packed_of(object);

	if (!atomic_load_explicit(&packed->indexed, memory_order_acquire))
		settle_once(packed, true);
	return packed->made ? packed->made : &packed->head;
}

/* ---- copies, and the end ---------------------------------------------------------------------- */

/* Whether blocks, texts and packed containers are all there is. `changed`: what was made may have been changed. */
static bool is_packed(const struct json_packed *packed, bool changed)
{
	bool whole = !changed || !packed->made;

	for (size_t b = 0; changed && whole && b < packed->block_count; b++)
		whole = !atomic_load_explicit(&packed->blocks[b]->made, memory_order_acquire);
	for (size_t i = 0; whole && i < packed->other_count; i++)
		whole = packed->others[i].packed
				? is_packed(json_packed_of(&packed->others[i]), changed)
				: packed->others[i].type == PERUN_JSON_TYPE_STRING;
	return whole;
}

static struct json_packed *copy(const struct json_packed *packed, struct json_arena *arena)
{
	struct json_packed *copied = json_arena_take(arena, sizeof *copied);

	*copied = (struct json_packed){.head.arena = arena,
				       .type = packed->type,
				       .count = packed->count,
				       .block_count = packed->block_count,
				       .other_count = packed->other_count};
	copied->blocks = json_arena_take(arena, packed->block_count * sizeof *copied->blocks);
	copied->others = json_arena_take(arena, packed->other_count * sizeof *copied->others);
	for (size_t b = 0; b < packed->block_count; b++) {
		const struct json_block *block = packed->blocks[b];

		copied->blocks[b] = json_arena_take(arena, sizeof *block + block->size);
		memcpy(copied->blocks[b], block, sizeof *block + block->size);
		atomic_init(&copied->blocks[b]->made, NULL);
	}
	for (size_t i = 0; i < packed->other_count; i++) {
		const struct perun_json *other = &packed->others[i];

		copied->others[i] = other->packed
					    ? json_packed_value(copy(json_packed_of(other), arena))
					    : text_value(new_text(arena, other->text->text,
								  other->text->length));
	}
	return copied;
}

struct perun_json *json_clone_packed(const struct perun_json *value)
{
	struct json_arena *arena;
	struct perun_json *clone;

	if (!is_packed(json_packed_of(value), json_arena_is_changed(value->list->arena)))
		return NULL;
	arena = json_arena_new();
	json_arena_beside(arena);
	clone = json_arena_take(arena, sizeof *clone);
	*clone = json_packed_value(copy(json_packed_of(value), arena));
	clone->root = true;
	return clone;
}

void json_free_unpacked(const struct perun_json *value)
{
	const struct json_packed *packed = json_packed_of(value);

	for (size_t i = 0; packed->made && i < packed->made->count; i++)
		perun_json_free(json_item(value, i));
	for (size_t b = 0; !packed->made && b < packed->block_count; b++) {
		void *made = atomic_load_explicit(&packed->blocks[b]->made, memory_order_acquire);

		for (size_t i = 0; made && i < packed->blocks[b]->count; i++)
			perun_json_free(value_in(packed, made, i));
	}
}
