/* SPDX-License-Identifier: BSD-3-Clause */
/* Many stacks that do not begin alike: a pool of their locations as varints. */
#include <string.h>

#include "core/context/context.h"
#include "core/profile/packed-stacks.h"

/* Bytes of a location at most. */
enum { LONGEST = 5 };

static inline unsigned char *put_location(unsigned char *to, perun_id location)
{
	for (; location >= 0x80; location >>= 7)
		*to++ = (unsigned char)(location | 0x80);
	*to++ = (unsigned char)location;
	return to;
}

static inline perun_id get_location(const unsigned char **at)
{
	perun_id location = *(*at)++;

	if (location < 0x80)
		return location;
	location &= 0x7f;
	for (unsigned shift = 7;; shift += 7) {
		const perun_id byte = *(*at)++;

		location |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return location;
	}
}

/* The bytes of a packed stack. */
struct bytes {
	const unsigned char *at, *end;
};

static struct bytes bytes_of(const struct perun_pool *pool, perun_id id)
{
	size_t size;
	const unsigned char *at = perun_pool_at(pool, id, &size);

	return (struct bytes){at, at + size};
}

/* Each location but the last byte of it has its top bit set. */
static size_t count_locations(struct bytes bytes)
{
	size_t count = 0;

	for (; bytes.at < bytes.end; bytes.at++)
		count += *bytes.at < 0x80;
	return count;
}

/* ---- stacks one by one ------------------------------------------------------------------------ */

/* The locations of a stack, packed or not, in room that grows. */
struct array {
	perun_id *items;
	size_t count, capacity;
};

static void read_stack(const struct perun_pool *pool, perun_id id, struct array *array)
{
	struct bytes bytes;
	size_t size;
	const perun_id *stack;

	array->count = 0;
	if (!perun_stacks_are_packed(pool)) {
		stack = perun_pool_at(pool, id, &size);
		for (size_t i = 0; i < size / sizeof *stack; i++) {
			PERUN_GROW(array->items, array->count, array->capacity);
			array->items[array->count++] = stack[i];
		}
		return;
	}
	bytes = bytes_of(pool, id);
	while (bytes.at < bytes.end) {
		PERUN_GROW(array->items, array->count, array->capacity);
		array->items[array->count++] = get_location(&bytes.at);
	}
}

static size_t pack_stack(const perun_id *stack, size_t count, unsigned char *to)
{
	unsigned char *end = to;

	for (size_t i = 0; i < count; i++)
		end = put_location(end, stack[i]);
	return (size_t)(end - to);
}

static perun_id same_location(void *data, perun_id location)
{
	(void)data;
	return location;
}

bool perun_packed_stacks_append(struct perun_pool **pool, const struct perun_pool *from,
				perun_id (*renumber)(void *data, perun_id location), void *data)
{
	struct array array = {0};
	struct perun_buffer bytes = {0};

	if ((uint64_t)(*pool)->count + from->count > INT32_MAX)
		return false;
	for (perun_id id = 0; id < from->count; id++) {
		unsigned char location[LONGEST];

		read_stack(from, id, &array);
		perun_buffer_clear(&bytes);
		for (size_t i = 0; i < array.count; i++) {
			const unsigned char *end =
				put_location(location, renumber(data, array.items[i]));

			perun_buffer_add(&bytes, (const char *)location, (size_t)(end - location));
		}
		perun_pool_add_new(pool, bytes.data, bytes.length);
	}
	perun_buffer_free(&bytes);
	perun_free(array.items);
	return true;
}

struct perun_pool *perun_stacks_pack(const struct perun_pool *arrays)
{
	struct perun_pool *packed = perun_pool_new(true);

	perun_packed_stacks_append(&packed, arrays, same_location, NULL);
	return packed;
}

struct perun_pool *perun_stacks_unpack(const struct perun_pool *packed)
{
	struct perun_pool *arrays = perun_pool_new_ids();
	struct array array = {0};

	for (perun_id id = 0; id < packed->count; id++) {
		read_stack(packed, id, &array);
		perun_pool_add_new(&arrays, array.items, array.count * sizeof *array.items);
	}
	perun_free(array.items);
	return arrays;
}

/* ---- adding ----------------------------------------------------------------------------------- */

enum { AT_ONCE = 32, FEW_BYTES = 4096 };

static void add_some(struct perun_pool **pool, struct perun_pool_entry *entries, size_t count)
{
	struct perun_pool_entry packed[AT_ONCE];
	unsigned char few[FEW_BYTES], *bytes = few, *at;
	size_t need = 0;

	for (size_t i = 0; i < count; i++)
		need += entries[i].size / sizeof(perun_id) * LONGEST;
	if (need > sizeof few)
		bytes = perun_alloc(need);
	at = bytes;
	for (size_t i = 0; i < count; i++) {
		packed[i] = entries[i];
		packed[i].data = at;
		packed[i].size = (uint32_t)pack_stack(entries[i].data,
						      entries[i].size / sizeof(perun_id), at);
		at += packed[i].size;
	}
	perun_pool_add_many(pool, packed, count);
	for (size_t i = 0; i < count; i++)
		entries[i].id = packed[i].id;
	if (bytes != few)
		perun_free(bytes);
}

void perun_packed_stacks_add(struct perun_pool **pool, struct perun_pool_entry *entries,
			     size_t count)
{
	for (size_t done = 0, now; done < count; done += now) {
		now = count - done < AT_ONCE ? count - done : AT_ONCE;
		add_some(pool, entries + done, now);
	}
}

/* ---- arrays ----------------------------------------------------------------------------------- */

/* Those that are made together. */
struct made_arrays {
	size_t starts[PERUN_POOL_MADE + 1];
	perun_id locations[];
};

static void *make_arrays(const struct perun_pool *pool, perun_id first)
{
	const size_t left = pool->count - first,
		     count = left < PERUN_POOL_MADE ? left : PERUN_POOL_MADE;
	size_t starts[PERUN_POOL_MADE + 1] = {0};
	struct made_arrays *made;

	for (size_t i = 0; i < count; i++)
		starts[i + 1] = starts[i] + count_locations(bytes_of(pool, first + (perun_id)i));
	made = perun_alloc(sizeof *made + starts[count] * sizeof *made->locations);
	memcpy(made->starts, starts, sizeof starts);
	for (size_t i = 0; i < count; i++) {
		struct bytes bytes = bytes_of(pool, first + (perun_id)i);

		for (perun_id *to = made->locations + starts[i]; bytes.at < bytes.end; to++)
			*to = get_location(&bytes.at);
	}
	return made;
}

const perun_id *perun_packed_stacks_at(struct perun_pool *pool, perun_id id, size_t *count)
{
	const struct made_arrays *made;

	*count = 0;
	if (id >= pool->count)
		return NULL;
	made = perun_pool_made(pool, id, make_arrays);
	id %= PERUN_POOL_MADE;
	*count = made->starts[id + 1] - made->starts[id];
	return made->locations + made->starts[id];
}

bool perun_packed_stack_is_good(const struct perun_pool *pool, perun_id id, uint32_t locations)
{
	struct bytes bytes = bytes_of(pool, id);
	bool wrong = false;

	while (bytes.at < bytes.end)
		wrong |= get_location(&bytes.at) >= locations;
	return !wrong;
}
