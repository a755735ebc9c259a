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

struct perun_pool *perun_pool_new(bool text)
{
	struct perun_pool *pool = perun_alloc_zero(1, sizeof *pool);

	atomic_init(&pool->refs, 1);
	pool->seed = perun_hash_word((uintptr_t)pool, perun_hash_secret);
	pool->text = text;
	return pool;
}

struct perun_pool *perun_pool_ref(struct perun_pool *pool)
{
	atomic_fetch_add_explicit(&pool->refs, 1, memory_order_relaxed);
	return pool;
}

void perun_pool_unmake(struct perun_pool *pool)
{
	size_t chunks = ((size_t)pool->count + PERUN_POOL_MADE - 1) / PERUN_POOL_MADE;
	void *_Atomic *made = pool->made;

	for (size_t i = 0; made && i < chunks; i++)
		perun_free(made[i]);
	perun_free((void *)made);
	pool->made = NULL;
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
	perun_pool_unmake(pool);
	perun_free(pool->blocks);
	perun_free(pool->texts);
	perun_free(pool->items);
	perun_free(pool->slots);
	perun_free(pool);
}

/* A copy of the list of items, with room for more. */
static void copy_list(struct perun_pool *pool, const struct perun_pool *from)
{
	size_t size = pool->text ? sizeof *pool->texts : sizeof *pool->items;
	void *list = perun_alloc_large(pool->capacity * size);

	if (from->count)
		memcpy(list, from->text ? (void *)from->texts : from->items, from->count * size);
	if (pool->text)
		pool->texts = list;
	else
		pool->items = list;
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
	copy_list(pool, from);
	with_slots &= from->slots != NULL;
	pool->hashed = with_slots ? from->hashed : 0;
	pool->slots = with_slots ? perun_memdup(from->slots,
						((size_t)from->slot_mask + 1) * sizeof *from->slots)
				 : NULL;
	pool->blocks = perun_memdup(from->blocks, from->block_count * sizeof(void *));
	pool->block_capacity = from->block_count;
	for (size_t i = 0; i < pool->block_count; i++)
		atomic_fetch_add_explicit(&pool->blocks[i]->refs, 1, memory_order_relaxed);
	pool->room = NULL; /* what is left of the last block belongs to the other owner */
	pool->room_size = 0;
	pool->made = NULL;
	perun_pool_unref(from);
	*shared = pool;
	return pool;
}

/* Make the pool ours alone, copying what is needed. */
static struct perun_pool *own_pool(struct perun_pool **shared)
{
	return own(shared, true, 0);
}

/* What an item asks for that is an array: its size is a multiple of that of an element, as are 8 and 4. */
static size_t alignment_of(size_t size)
{
	return size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
}

/* The most that an item of this many bytes takes. */
static size_t size_in_block(size_t size)
{
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

/* `need` bytes that stay where they are. */
static inline char *reserve(struct perun_pool *pool, size_t alignment, size_t need)
{
	size_t skip = -(uintptr_t)pool->room & (alignment - 1), room;

	if (need + skip > pool->room_size) {
		room = pool->bytes < FIRST_BLOCK ? FIRST_BLOCK : pool->bytes;
		if (room > LARGEST_BLOCK)
			room = LARGEST_BLOCK;
		if (room < need)
			room = need;
		pool->room = add_block(pool, room);
		pool->room_size = room;
		skip = 0;
	}
	pool->room += skip + need;
	pool->room_size -= skip + need;
	pool->bytes += need;
	return pool->room - need;
}

/* The copy of an item that stays. */
static inline void *store(struct perun_pool *pool, const void *data, size_t size)
{
	char *to = reserve(pool, alignment_of(size), size ? size : 1);

	if (size)
		memcpy(to, data, size);
	return to;
}

static const char *store_text(struct perun_pool *pool, const void *data, size_t size)
{
	bool large = size >= PERUN_POOL_LONG;
	size_t before = large ? sizeof(uint32_t) + 1 : 1;
	char *to = reserve(pool, 1, before + size + 1) + before;
	uint32_t length = (uint32_t)size;

	to[-1] = (char)(large ? PERUN_POOL_LONG : size);
	if (large)
		memcpy(to - before, &length, sizeof length);
	if (size)
		memcpy(to, data, size);
	to[size] = '\0';
	return to;
}

static uint32_t hash_item(const struct perun_pool *pool, const void *data, size_t size)
{
	return (uint32_t)(perun_hash_bytes(data, size, pool->seed) >> 32);
}

static uint32_t hash_at(const struct perun_pool *pool, perun_id id)
{
	return pool->text
		       ? hash_item(pool, pool->texts[id], perun_pool_text_length(pool->texts[id]))
		       : pool->items[id].hash;
}

static bool same(const struct perun_pool *pool, perun_id id, const void *data, size_t size,
		 uint32_t hash)
{
	const struct perun_pool_item *item;

	if (pool->text)
		return perun_pool_text_length(pool->texts[id]) == size &&
		       (size == 0 || memcmp(pool->texts[id], data, size) == 0);
	item = &pool->items[id];
	return item->hash == hash && item->size == size &&
	       (size == 0 || memcmp(item->data, data, size) == 0);
}

static perun_id find(const struct perun_pool *pool, const void *data, size_t size, uint32_t hash)
{
	uint32_t mask = pool->slot_mask;

	if (!pool->slots)
		return PERUN_NO_ID;
	for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
		uint32_t slot = pool->slots[at];

		if (slot == 0)
			return PERUN_NO_ID;
		if (((slot ^ hash) & ~mask) == 0 && same(pool, (slot & mask) - 1, data, size, hash))
			return (slot & mask) - 1;
	}
}

/* There is room. */
static void occupy(struct perun_pool *pool, perun_id id, uint32_t hash)
{
	uint32_t mask = pool->slot_mask, at = hash & mask;

	while (pool->slots[at])
		at = (at + 1) & mask;
	pool->slots[at] = (hash & ~mask) | (id + 1);
}

/* Slots for this many items, of which those that have one keep one: three quarters are in use at most. */
static void make_slots(struct perun_pool *pool, uint64_t items)
{
	uint64_t now = pool->slots ? (uint64_t)pool->slot_mask + 1 : 0, size = now ? now : 16;

	while (items * 4 > size * 3 && size <= UINT32_MAX)
		size *= 2;
	if (size == now)
		return;
	perun_free(pool->slots);
	pool->slots = perun_alloc_large_zero(size, sizeof *pool->slots);
	pool->slot_mask = (uint32_t)(size - 1);
	for (perun_id id = 0; id < pool->hashed; id++)
		occupy(pool, id, hash_at(pool, id));
}

/* Items that were not looked for when they were added get their slots. */
static void catch_up(struct perun_pool **shared)
{
	struct perun_pool *pool = own_pool(shared);

	make_slots(pool, pool->count);
	for (; pool->hashed < pool->count; pool->hashed++) {
		struct perun_pool_item *item = pool->text ? NULL : &pool->items[pool->hashed];

		if (item)
			item->hash = hash_item(pool, item->data, item->size);
		occupy(pool, pool->hashed, hash_at(pool, pool->hashed));
	}
}

/* Room for one more. */
static inline void grow(struct perun_pool *pool)
{
	if (pool->text)
		PERUN_GROW(pool->texts, pool->count, pool->capacity);
	else
		PERUN_GROW(pool->items, pool->count, pool->capacity);
}

static void resize(struct perun_pool *pool, uint32_t capacity)
{
	if (pool->text)
		pool->texts = perun_realloc_array(pool->texts, capacity, sizeof *pool->texts);
	else
		pool->items = perun_realloc_array(pool->items, capacity, sizeof *pool->items);
	pool->capacity = capacity;
}

void perun_pool_reserve(struct perun_pool **shared, uint32_t more)
{
	struct perun_pool *pool = own_pool(shared);
	uint64_t count = (uint64_t)pool->count + more;

	if (count > INT32_MAX)
		return;
	make_slots(pool, count);
	if (count > pool->capacity)
		resize(pool, (uint32_t)count);
}

perun_id perun_pool_find(const struct perun_pool *pool, const void *data, size_t size)
{
	if (size > UINT32_MAX)
		return PERUN_NO_ID;
	return find(pool, data, size, hash_item(pool, data, size));
}

/* The caller owns the pool. */
static inline perun_id append(struct perun_pool *pool, const void *data, size_t size, uint32_t hash)
{
	perun_id id = pool->count;

	if (pool->made)
		perun_pool_unmake(pool);
	grow(pool);
	if (pool->text)
		pool->texts[id] = store_text(pool, data, size);
	else
		pool->items[id] = (struct perun_pool_item){
			.data = store(pool, data, size), .size = (uint32_t)size, .hash = hash};
	pool->count++;
	return id;
}

/* One that was looked for. */
static perun_id add_missing(struct perun_pool **shared, const void *data, size_t size,
			    uint32_t hash)
{
	struct perun_pool *pool;
	perun_id id;

	if ((*shared)->count >= INT32_MAX)
		return PERUN_NO_ID;
	pool = own_pool(shared);
	make_slots(pool, (uint64_t)pool->count + 1);
	id = append(pool, data, size, hash);
	occupy(pool, id, hash);
	pool->hashed++;
	return id;
}

static inline perun_id add_hashed(struct perun_pool **shared, const void *data, size_t size,
				  uint32_t hash)
{
	perun_id id;

	if ((*shared)->hashed != (*shared)->count)
		catch_up(shared);
	id = find(*shared, data, size, hash);
	return id != PERUN_NO_ID ? id : add_missing(shared, data, size, hash);
}

perun_id perun_pool_add_new(struct perun_pool **shared, const void *data, size_t size)
{
	if (size > UINT32_MAX || (*shared)->count >= INT32_MAX)
		return PERUN_NO_ID;
	return append(own_pool(shared), data, size, 0);
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
		if (entries[i].is_new)
			continue;
		entries[i].hash = hash_item(pool, entries[i].data, entries[i].size);
		if (pool->slots)
			__builtin_prefetch(&pool->slots[entries[i].hash & pool->slot_mask], 1);
	}
}

static void fetch_items(const struct perun_pool *pool, const struct perun_pool_entry *entries,
			size_t count)
{
	for (size_t i = 0; i < count && pool->slots; i++) {
		uint32_t mask = pool->slot_mask, slot = pool->slots[entries[i].hash & mask];

		if (slot && !entries[i].is_new && ((slot ^ entries[i].hash) & ~mask) == 0)
			__builtin_prefetch(pool->text ? (void *)&pool->texts[(slot & mask) - 1]
						      : &pool->items[(slot & mask) - 1]);
	}
}

void perun_pool_add_many(struct perun_pool **shared, struct perun_pool_entry *entries, size_t count)
{
	fetch_slots(*shared, entries, count);
	fetch_items(*shared, entries, count);
	for (size_t i = 0; i < count; i++) {
		struct perun_pool_entry *entry = &entries[i];

		entry->id = entry->is_new
				    ? perun_pool_add_new(shared, entry->data, entry->size)
				    : add_hashed(shared, entry->data, entry->size, entry->hash);
	}
}

static void forget(struct perun_pool *pool)
{
	perun_free(pool->slots);
	pool->slots = NULL;
	pool->hashed = 0;
}

void perun_pool_finish(struct perun_pool *pool)
{
	if (atomic_load_explicit(&pool->refs, memory_order_acquire) != 1 ||
	    pool->count == pool->capacity || pool->count == 0)
		return;
	resize(pool, pool->count);
}

void perun_pool_forget(struct perun_pool *pool)
{
	if (atomic_load_explicit(&pool->refs, memory_order_acquire) != 1)
		return;
	forget(pool);
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
		to += size_in_block(item->size);
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
	forget(pool);
	resize(pool, pool->count + from->count);
	appending.items = pool->items + pool->count;
	appending.parts = from->count < MANY_ITEMS ? 1 : APPENDING;
	for (size_t part = 0; part < appending.parts; part++) {
		size_t room = 0;

		for (uint32_t i = first_of(&appending, part); i < first_of(&appending, part + 1);
		     i++)
			room += size_in_block(from->items[i].size);
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
	for (uint32_t id = 0; id < pool->count; id++)
		change(data, (void *)pool->items[id].data, pool->items[id].size);
	forget(pool);
}

void perun_pool_replace(struct perun_pool **shared, perun_id id, const void *data, size_t size)
{
	struct perun_pool *pool = own_pool(shared);

	if (pool->text) {
		pool->texts[id] = store_text(pool, data, size);
		return;
	}
	pool->items[id].data = store(pool, data, size);
	pool->items[id].size = (uint32_t)size;
}
