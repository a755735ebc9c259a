/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool: distinct things, each stored once and named by its number. */
#include <string.h>

#include "core/context/context.h"
#include "core/context/hash.h"
#include "core/profile/pool.h"

#define FIRST_BLOCK   512
#define LARGEST_BLOCK (((size_t)1 << 22) - 64)

struct perun_pool_block {
	atomic_uint refs;
	_Alignas(8) char data[];
};

struct perun_pool *perun_pool_new(bool text, size_t hole, size_t hole_end)
{
	struct perun_pool *pool = perun_alloc_zero(1, sizeof *pool);

	atomic_init(&pool->refs, 1);
	pool->seed = perun_hash_word((uintptr_t)pool, perun_hash_secret);
	pool->text = text;
	pool->hole = (uint16_t)hole;
	pool->hole_end = (uint16_t)hole_end;
	return pool;
}

struct perun_pool *perun_pool_ref(struct perun_pool *pool)
{
	atomic_fetch_add_explicit(&pool->refs, 1, memory_order_relaxed);
	return pool;
}

void perun_pool_unref(struct perun_pool *pool)
{
	if (!pool || atomic_fetch_sub_explicit(&pool->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < pool->block_count; i++) {
		struct perun_pool_block *block = pool->blocks[i];

		if (atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) == 1)
			perun_free(block);
	}
	perun_free(pool->blocks);
	perun_free(pool->items);
	perun_free(pool->slots);
	perun_free(pool);
}

/* `more`: room for this many items more. */
static struct perun_pool *own(struct perun_pool **shared, bool with_slots, uint32_t more)
{
	struct perun_pool *from = *shared, *pool;

	if (atomic_load_explicit(&from->refs, memory_order_acquire) == 1)
		return from;
	pool = perun_memdup(from, sizeof *from);
	atomic_init(&pool->refs, 1);
	pool->capacity = from->count + more;
	pool->items = perun_alloc_large((size_t)pool->capacity * sizeof *pool->items);
	if (from->count)
		memcpy(pool->items, from->items, from->count * sizeof *from->items);
	pool->slots = NULL;
	if (from->slots && with_slots)
		pool->slots = perun_memdup(from->slots,
					   ((size_t)from->slot_mask + 1) * sizeof *from->slots);
	pool->blocks = perun_memdup(from->blocks, from->block_count * sizeof(void *));
	pool->block_capacity = from->block_count;
	for (size_t i = 0; i < pool->block_count; i++)
		atomic_fetch_add_explicit(&pool->blocks[i]->refs, 1, memory_order_relaxed);
	pool->room = NULL; /* what is left of the last block belongs to the other owner */
	pool->room_size = 0;
	perun_pool_unref(from);
	*shared = pool;
	return pool;
}

/* Make the pool ours alone, copying what is needed. */
static struct perun_pool *own_pool(struct perun_pool **shared)
{
	return own(shared, true, 0);
}

/* What an item of this many bytes takes. */
static size_t size_in_block(const struct perun_pool *pool, size_t size)
{
	if (pool->text)
		return size + 1;
	return size ? (size + 7) & ~(size_t)7 : 8;
}

static char *add_block(struct perun_pool *pool, size_t room)
{
	struct perun_pool_block *block = perun_alloc_large(sizeof *block + room);

	atomic_init(&block->refs, 1);
	PERUN_GROW(pool->blocks, pool->block_count, pool->block_capacity);
	pool->blocks[pool->block_count++] = block;
	return block->data;
}

static void *reserve(struct perun_pool *pool, size_t size)
{
	size_t need = size_in_block(pool, size), room;
	char *to;

	if (need > pool->room_size) {
		room = pool->bytes < FIRST_BLOCK ? FIRST_BLOCK : pool->bytes;
		if (room > LARGEST_BLOCK)
			room = LARGEST_BLOCK;
		if (room < need)
			room = need;
		pool->room = add_block(pool, room);
		pool->room_size = room;
	}
	to = pool->room;
	pool->room += need;
	pool->room_size -= need;
	pool->bytes += need;
	return to;
}

/* The copy of an item that stays. */
static const void *store(struct perun_pool *pool, const void *data, size_t size)
{
	char *to = reserve(pool, size);

	if (size)
		memcpy(to, data, size);
	if (pool->text)
		to[size] = '\0';
	if (pool->hole) {
		const void *end = to + pool->hole_end;

		memcpy(to + pool->hole, &end, sizeof end);
	}
	return to;
}

static uint32_t hash_item(const struct perun_pool *pool, const void *data, size_t size)
{
	const char *bytes = data;
	uint64_t hash;

	if (!pool->hole)
		return (uint32_t)(perun_hash_bytes(data, size, pool->seed) >> 32);
	hash = perun_hash_bytes(bytes + pool->hole_end, size - pool->hole_end, pool->seed);
	return (uint32_t)(perun_hash_bytes(bytes, pool->hole, pool->seed ^ hash) >> 32);
}

static bool same(const struct perun_pool *pool, const struct perun_pool_item *item,
		 const void *data, size_t size)
{
	const char *a = item->data, *b = data;

	if (item->size != size)
		return false;
	if (!pool->hole)
		return size == 0 || memcmp(a, b, size) == 0;
	return memcmp(a, b, pool->hole) == 0 &&
	       memcmp(a + pool->hole_end, b + pool->hole_end, size - pool->hole_end) == 0;
}

static perun_id find(const struct perun_pool *pool, const void *data, size_t size, uint32_t hash)
{
	if (!pool->slots)
		return PERUN_NO_ID;
	for (uint32_t at = hash & pool->slot_mask;; at = (at + 1) & pool->slot_mask) {
		const struct perun_slot *slot = &pool->slots[at];

		if (slot->number == 0)
			return PERUN_NO_ID;
		if (slot->hash == hash && same(pool, &pool->items[slot->number - 1], data, size))
			return slot->number - 1;
	}
}

static void occupy(struct perun_pool *pool, struct perun_slot slot)
{
	perun_slots_occupy(pool->slots, pool->slot_mask, slot);
}

static void make_slots(struct perun_pool *pool, uint64_t items)
{
	perun_slots_reserve(&pool->slots, &pool->slot_mask, items);
}

/* Room for one more. */
static void grow(struct perun_pool *pool)
{
	PERUN_GROW(pool->items, pool->count, pool->capacity);
	make_slots(pool, (uint64_t)pool->count + 1);
}

void perun_pool_reserve(struct perun_pool **shared, uint32_t more)
{
	struct perun_pool *pool = own_pool(shared);
	uint64_t count = (uint64_t)pool->count + more;

	if (count > INT32_MAX)
		return;
	make_slots(pool, count);
	if (count <= pool->capacity)
		return;
	pool->items = perun_realloc_array(pool->items, count, sizeof *pool->items);
	pool->capacity = (uint32_t)count;
}

perun_id perun_pool_find(const struct perun_pool *pool, const void *data, size_t size)
{
	if (size > UINT32_MAX)
		return PERUN_NO_ID;
	return find(pool, data, size, hash_item(pool, data, size));
}

/* After perun_pool_append() or perun_pool_forget(). */
static void hash_all(struct perun_pool *pool)
{
	make_slots(pool, pool->count);
	for (uint32_t id = 0; id < pool->count; id++) {
		struct perun_pool_item *item = &pool->items[id];

		item->hash = hash_item(pool, item->data, item->size);
		occupy(pool, (struct perun_slot){item->hash, id + 1});
	}
}

static perun_id add_hashed(struct perun_pool **shared, const void *data, size_t size, uint32_t hash)
{
	struct perun_pool *pool = *shared;
	perun_id id;

	if (!pool->slots && pool->count) {
		pool = own_pool(shared);
		hash_all(pool);
	}
	id = find(pool, data, size, hash);
	if (id != PERUN_NO_ID || pool->count >= INT32_MAX)
		return id;
	pool = own_pool(shared);
	grow(pool);
	id = pool->count++;
	pool->items[id].data = store(pool, data, size);
	pool->items[id].size = (uint32_t)size;
	pool->items[id].hash = hash;
	occupy(pool, (struct perun_slot){hash, id + 1});
	return id;
}

perun_id perun_pool_add(struct perun_pool **shared, const void *data, size_t size)
{
	if (size > UINT32_MAX)
		return PERUN_NO_ID;
	return add_hashed(shared, data, size, hash_item(*shared, data, size));
}

/* What a look-up will read: first the slots, then, where a hash may be met, the items. */
static void fetch_slots(const struct perun_pool *pool, struct perun_pool_entry *entries,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		entries[i].hash = hash_item(pool, entries[i].data, entries[i].size);
		if (pool->slots)
			__builtin_prefetch(&pool->slots[entries[i].hash & pool->slot_mask], 1);
	}
}

static void fetch_items(const struct perun_pool *pool, const struct perun_pool_entry *entries,
			size_t count)
{
	for (size_t i = 0; i < count && pool->slots; i++) {
		const struct perun_slot *slot = &pool->slots[entries[i].hash & pool->slot_mask];

		if (slot->number && slot->hash == entries[i].hash)
			__builtin_prefetch(&pool->items[slot->number - 1]);
	}
}

void perun_pool_add_many(struct perun_pool **shared, struct perun_pool_entry *entries, size_t count)
{
	fetch_slots(*shared, entries, count);
	fetch_items(*shared, entries, count);
	for (size_t i = 0; i < count; i++)
		entries[i].id =
			add_hashed(shared, entries[i].data, entries[i].size, entries[i].hash);
}

void perun_pool_finish(struct perun_pool *pool)
{
	if (atomic_load_explicit(&pool->refs, memory_order_acquire) != 1 ||
	    pool->count == pool->capacity || pool->count == 0)
		return;
	pool->items = perun_realloc_array(pool->items, pool->count, sizeof *pool->items);
	pool->capacity = pool->count;
}

void perun_pool_forget(struct perun_pool *pool)
{
	if (atomic_load_explicit(&pool->refs, memory_order_acquire) != 1)
		return;
	perun_free(pool->slots);
	pool->slots = NULL;
}

/* ---- appending --------------------------------------------------------------------------------- */

/* Items are copied by this many threads, when they are many. */
enum { APPENDING = 2, MANY_ITEMS = 16384 };

struct appending {
	const struct perun_pool *from;
	void (*copy)(void *data, void *to, const void *from, size_t size);
	void *data;
	struct perun_pool_item *items; /* in their new place */
	size_t parts;
	char *rooms[APPENDING];
};

static uint32_t first_of(const struct appending *appending, size_t part)
{
	return (uint32_t)((uint64_t)appending->from->count * part / appending->parts);
}

static int append_part(struct perun_ctx *ctx, size_t part, void *data)
{
	const struct appending *appending = data;
	char *to = appending->rooms[part];

	(void)ctx;
	for (uint32_t i = first_of(appending, part); i < first_of(appending, part + 1); i++) {
		const struct perun_pool_item *item = &appending->from->items[i];

		appending->copy(appending->data, to, item->data, item->size);
		appending->items[i] = (struct perun_pool_item){.data = to, .size = item->size};
		to += size_in_block(appending->from, item->size);
	}
	return PERUN_OK;
}

bool perun_pool_append(struct perun_pool **shared, const struct perun_pool *from,
		       void (*copy)(void *data, void *to, const void *from, size_t size),
		       void *data)
{
	struct appending appending = {.from = from, .copy = copy, .data = data};
	struct perun_pool *pool;

	if ((uint64_t)(*shared)->count + from->count > INT32_MAX)
		return false;
	pool = own(shared, false, from->count);
	perun_free(pool->slots);
	pool->slots = NULL;
	pool->capacity = pool->count + from->count;
	pool->items = perun_realloc_array(pool->items, pool->capacity, sizeof *pool->items);
	appending.items = pool->items + pool->count;
	appending.parts = from->count < MANY_ITEMS ? 1 : APPENDING;
	for (size_t part = 0; part < appending.parts; part++) {
		size_t room = 0;

		for (uint32_t i = first_of(&appending, part); i < first_of(&appending, part + 1);
		     i++)
			room += size_in_block(from, from->items[i].size);
		appending.rooms[part] = add_block(pool, room);
		pool->bytes += room;
	}
	perun_parallel_for(NULL, appending.parts, append_part, &appending);
	pool->room = NULL; /* of the block before */
	pool->room_size = 0;
	pool->count += from->count;
	return true;
}

/* ---- changing ---------------------------------------------------------------------------------- */

/* Items that another pool holds, too, are copied first. */
static void unshare_items(struct perun_pool *pool)
{
	bool shared = false;

	for (size_t i = 0; i < pool->block_count; i++)
		shared |= atomic_load_explicit(&pool->blocks[i]->refs, memory_order_acquire) != 1;
	for (uint32_t id = 0; shared && id < pool->count; id++)
		pool->items[id].data = store(pool, pool->items[id].data, pool->items[id].size);
}

void perun_pool_change(struct perun_pool **shared,
		       void (*change)(void *data, void *item, size_t size), void *data)
{
	struct perun_pool *pool = own_pool(shared);

	if (!pool->count)
		return;
	unshare_items(pool);
	for (uint32_t id = 0; id < pool->count; id++) {
		struct perun_pool_item *item = &pool->items[id];

		change(data, (void *)item->data, item->size);
		item->hash = hash_item(pool, item->data, item->size);
	}
	make_slots(pool, pool->count);
	memset(pool->slots, 0, ((size_t)pool->slot_mask + 1) * sizeof *pool->slots);
	for (uint32_t id = 0; id < pool->count; id++)
		occupy(pool, (struct perun_slot){pool->items[id].hash, id + 1});
}

void perun_pool_replace(struct perun_pool **shared, perun_id id, const void *data, size_t size)
{
	struct perun_pool *pool = own_pool(shared);

	pool->items[id].data = store(pool, data, size);
	pool->items[id].size = (uint32_t)size;
}
