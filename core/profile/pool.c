/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool: distinct things, each stored once and named by its number. */
#include <string.h>

#include "core/context/context.h"
#include "core/context/hash.h"
#include "core/profile/pool.h"

struct perun_pool *perun_pool_new(bool text)
{
	struct perun_pool *pool = perun_alloc_zero(1, sizeof *pool);

	atomic_init(&pool->refs, 1);
	pool->seed = perun_hash_word((uintptr_t)pool, perun_hash_secret);
	pool->form = text ? PERUN_POOL_OF_TEXTS : PERUN_POOL_OF_ITEMS;
	return pool;
}

struct perun_pool *perun_pool_new_ids(void)
{
	struct perun_pool *pool = perun_pool_new(false);

	pool->form = PERUN_POOL_OF_IDS;
	return pool;
}

struct perun_pool *perun_pool_new_packed(void)
{
	struct perun_pool *pool = perun_pool_new(false);

	pool->form = PERUN_POOL_OF_PACKED;
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

/* Several threads may make the same: one of them is kept. */
static void *_Atomic *made_of(struct perun_pool *pool)
{
	size_t chunks = ((size_t)pool->count + PERUN_POOL_MADE - 1) / PERUN_POOL_MADE;
	void *_Atomic *made = perun_alloc_zero(chunks, sizeof *made), *_Atomic *others = NULL;

	if (atomic_compare_exchange_strong(&pool->made, &others, made))
		return made;
	perun_free((void *)made);
	return others;
}

const void *perun_pool_make(struct perun_pool *pool, perun_id id,
			    void *(*make_them)(const struct perun_pool *pool, perun_id first))
{
	void *_Atomic *made = atomic_load_explicit(&pool->made, memory_order_acquire);
	void *them, *others = NULL;

	if (!made)
		made = made_of(pool);
	made += id / PERUN_POOL_MADE;
	them = make_them(pool, id / PERUN_POOL_MADE * PERUN_POOL_MADE);
	if (atomic_compare_exchange_strong(made, &others, them))
		return them;
	perun_free(them);
	return others;
}

static void free_lists(struct perun_pool *pool)
{
	for (size_t i = 0; i * PERUN_POOL_LISTS < pool->list_room; i++)
		perun_free(pool->lists[i]);
	perun_free(pool->lists);
}

void perun_pool_unref(struct perun_pool *pool)
{
	if (!pool || atomic_fetch_sub_explicit(&pool->refs, 1, memory_order_acq_rel) != 1)
		return;
	perun_pool_unmake(pool);
	perun_blocks_free(&pool->blocks);
	free_lists(pool);
	perun_free(pool->groups);
	perun_free(pool->far);
	perun_free(pool->slots.at);
	perun_free(pool);
}

static size_t texts_for(uint32_t items)
{
	return ((size_t)items + PERUN_POOL_TEXTS - 1) / PERUN_POOL_TEXTS;
}

/* The first block of lists grows until it is full. */
static void grow_first(struct perun_pool *pool)
{
	size_t room = pool->list_room ? pool->list_room * 2 : 1;

	pool->list_room = room < PERUN_POOL_LISTS ? room : PERUN_POOL_LISTS;
	pool->lists[0] = perun_realloc_array(pool->lists[0], pool->list_room, sizeof **pool->lists);
}

/* Room for this many lists. */
static void make_lists(struct perun_pool *pool, size_t count)
{
	while (pool->list_room < count) {
		size_t block = pool->list_room / PERUN_POOL_LISTS;

		PERUN_GROW(pool->lists, block, pool->block_room);
		if (pool->list_room == 0)
			pool->lists[0] = NULL;
		if (block == 0) {
			grow_first(pool);
			continue;
		}
		pool->lists[block] = perun_alloc(PERUN_POOL_LISTS * sizeof **pool->lists);
		pool->list_room += PERUN_POOL_LISTS;
	}
}

static void resize_groups(struct perun_pool *pool, uint32_t groups)
{
	pool->groups = perun_realloc_array(pool->groups, groups, sizeof *pool->groups);
	pool->group_room = groups;
}

static uint32_t lists_in(const struct perun_pool *pool)
{
	return pool->form == PERUN_POOL_OF_PACKED ? pool->list_count
						  : (uint32_t)texts_for(pool->count);
}

/* A copy of the list of items of another pool, which this one is a copy of. */
static void copy_list(struct perun_pool *pool, const struct perun_pool *from)
{
	const uint32_t lists = lists_in(from);

	pool->lists = NULL;
	pool->list_room = pool->block_room = 0;
	make_lists(pool, lists);
	for (uint32_t i = 0; i < lists; i++)
		*perun_pool_list(pool, i) = *perun_pool_list(from, i);
	if (from->form == PERUN_POOL_OF_PACKED) {
		pool->group_room = (uint32_t)texts_for(from->count);
		pool->groups = perun_memdup(from->groups, pool->group_room * sizeof *pool->groups);
	}
	pool->far = perun_memdup(from->far, from->far_count * sizeof *from->far);
	pool->far_capacity = from->far_count;
}

static struct perun_pool *own(struct perun_pool **shared, bool with_slots)
{
	struct perun_pool *from = *shared, *pool;

	if (atomic_load_explicit(&from->refs, memory_order_acquire) == 1)
		return from;
	pool = perun_memdup(from, sizeof *from);
	atomic_init(&pool->refs, 1);
	copy_list(pool, from);
	if (with_slots && from->slots.at) {
		pool->slots.at =
			perun_memdup(from->slots.at, from->slots.count * sizeof *from->slots.at);
		pool->slots.room = from->slots.count;
	} else {
		pool->slots = (struct perun_compact_slots){0};
		pool->hashed = 0;
	}
	perun_blocks_share(&pool->blocks);
	pool->made = NULL;
	perun_pool_unref(from);
	*shared = pool;
	return pool;
}

/* Make the pool ours alone, copying what is needed. */
static struct perun_pool *own_pool(struct perun_pool **shared)
{
	return own(shared, true);
}

/* What an item asks for that is an array: its size is a multiple of that of an element, as are 8 and 4. */
static size_t alignment_of(const struct perun_pool *pool, size_t size)
{
	return size % 8 == 0 && pool->form != PERUN_POOL_OF_IDS ? 8 : size % 4 == 0 ? 4 : 1;
}

/* What is before an item: its size, in the last 4 bytes. */
static size_t head_of(const struct perun_pool *pool, size_t size)
{
	return alignment_of(pool, size) == 8 ? 8 : sizeof(uint32_t);
}

/* Where an item is that has this room, which is aligned. */
static char *item_in(const struct perun_pool *pool, char *room, size_t size)
{
	char *item = room + head_of(pool, size);
	uint32_t bytes = (uint32_t)size;

	memcpy(item - sizeof bytes, &bytes, sizeof bytes);
	return item;
}

/* The copy of an item that stays. */
static inline char *store(struct perun_pool *pool, const void *data, size_t size)
{
	char *to = item_in(pool,
			   perun_blocks_room(&pool->blocks, alignment_of(pool, size),
					     head_of(pool, size) + size),
			   size);

	if (size)
		memcpy(to, data, size);
	return to;
}

static const char *store_text(struct perun_pool *pool, const void *data, size_t size)
{
	bool large = size >= PERUN_POOL_LONG;
	size_t before = large ? sizeof(uint32_t) + 1 : 1;
	char *to = perun_blocks_room(&pool->blocks, 1, before + size + 1) + before;
	uint32_t length = (uint32_t)size;

	to[-1] = (char)(large ? PERUN_POOL_LONG : size);
	if (large)
		memcpy(to - before, &length, sizeof length);
	if (size)
		memcpy(to, data, size);
	to[size] = '\0';
	return to;
}

/* Note that a text is far from the first one: mostly that of the highest number so far. */
static void note_far(struct perun_pool *pool, perun_id id, const char *text)
{
	size_t at = pool->far_count;

	while (at && pool->far[at - 1].id > id)
		at--;
	if (at && pool->far[at - 1].id == id) {
		pool->far[at - 1].text = text;
		return;
	}
	PERUN_GROW(pool->far, pool->far_count, pool->far_capacity);
	memmove(&pool->far[at + 1], &pool->far[at], (pool->far_count - at) * sizeof *pool->far);
	pool->far[at] = (struct perun_pool_far){id, text};
	pool->far_count++;
}

/* Put one into a list of texts. */
static void note_in(struct perun_pool *pool, struct perun_pool_texts *texts, perun_id id,
		    const char *text)
{
	uintptr_t at;

	if (id % PERUN_POOL_TEXTS == 0)
		texts->first = text;
	at = (uintptr_t)text - (uintptr_t)texts->first;
	texts->at[id % PERUN_POOL_TEXTS] = (uint16_t)(at < PERUN_POOL_NEXT ? at : PERUN_POOL_FAR);
	if (at >= PERUN_POOL_NEXT)
		note_far(pool, id, text);
}

static void note_text(struct perun_pool *pool, perun_id id, const char *text)
{
	note_in(pool, perun_pool_list(pool, id / PERUN_POOL_TEXTS), id, text);
}

static bool goes_on(const struct perun_pool_texts *texts, uint32_t place, const void *data,
		    size_t size)
{
	return place > 1 && texts->at[1] < PERUN_POOL_NEXT &&
	       perun_packed_is_next(texts->first, texts->first + texts->at[1], place, data, size);
}

/* The group of the item has a list. */
static void store_listed(struct perun_pool *pool, perun_id id, const void *data, size_t size)
{
	struct perun_pool_texts *texts = perun_pool_list(pool, pool->groups[id / PERUN_POOL_TEXTS]);
	const uint32_t place = id % PERUN_POOL_TEXTS;

	if (goes_on(texts, place, data, size))
		texts->at[place] = PERUN_POOL_NEXT;
	else
		note_in(pool, texts, id,
			perun_packed_add(&pool->blocks, place ? texts->first : NULL, data, size));
}

static void new_list(struct perun_pool *pool, uint32_t group)
{
	make_lists(pool, (size_t)pool->list_count + 1);
	pool->groups[group] = pool->list_count++;
}

/* A group that was a run gets a list of its items up to one. */
static void list_run(struct perun_pool *pool, uint32_t group, perun_id end)
{
	const perun_id first = group * PERUN_POOL_TEXTS;
	struct perun_packed items[PERUN_POOL_TEXTS];

	for (perun_id id = first; id < end; id++)
		perun_pool_get(pool, id, &items[id - first]);
	new_list(pool, group);
	for (perun_id id = first; id < end; id++)
		store_listed(pool, id, items[id - first].data, items[id - first].size);
}

/* A group goes on as the one before it, or has a list. */
static void begin_group(struct perun_pool *pool, uint32_t group, const void *data, size_t size)
{
	uint32_t before = group ? group - 1 : 0;

	if (group && pool->groups[before] & PERUN_POOL_RUN)
		before = pool->groups[before] & ~PERUN_POOL_RUN;
	if (group && goes_on(perun_pool_list(pool, pool->groups[before]),
			     (group - before) * PERUN_POOL_TEXTS, data, size))
		pool->groups[group] = PERUN_POOL_RUN | before;
	else
		new_list(pool, group);
}

/* The last one. */
static void store_packed(struct perun_pool *pool, perun_id id, const void *data, size_t size)
{
	const uint32_t group = id / PERUN_POOL_TEXTS;
	struct perun_pool_place at;

	if (id % PERUN_POOL_TEXTS == 0)
		begin_group(pool, group, data, size);
	if (pool->groups[group] & PERUN_POOL_RUN) {
		at = perun_pool_place(pool, id);
		if (goes_on(at.texts, at.place, data, size))
			return;
		list_run(pool, group, id);
	}
	store_listed(pool, id, data, size);
}

const char *perun_pool_far_text(const struct perun_pool *pool, perun_id id)
{
	size_t low = 0, high = pool->far_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (pool->far[middle].id <= id)
			low = middle;
		else
			high = middle;
	}
	return pool->far[low].text;
}

static uint32_t hash_item(const struct perun_pool *pool, const void *data, size_t size)
{
	return (uint32_t)(perun_hash_bytes(data, size, pool->seed) >> (64 - PERUN_COMPACT_HASH));
}

static bool same_packed(const struct perun_pool *pool, perun_id id, const void *data, size_t size)
{
	const struct perun_pool_place at = perun_pool_place(pool, id);
	const char *first = at.texts->first;

	return at.is_next
		       ? perun_packed_is_next(first, first + at.texts->at[1], at.place, data, size)
		       : perun_packed_is(first, perun_pool_listed(pool, at.texts, id), data, size);
}

static bool same(const struct perun_pool *pool, perun_id id, const void *data, size_t size)
{
	const void *item;
	size_t own;

	if (pool->form == PERUN_POOL_OF_PACKED)
		return same_packed(pool, id, data, size);
	item = perun_pool_at(pool, id, &own);
	return own == size && (size == 0 || memcmp(item, data, size) == 0);
}

static perun_id find(const struct perun_pool *pool, const void *data, size_t size, uint32_t hash)
{
	const struct perun_compact_slots slots = pool->slots;
	uint32_t mark = perun_compact_mark(slots, hash), slot;

	if (!slots.at)
		return PERUN_NO_ID;
	for (uint32_t at = perun_compact_first(slots, hash); (slot = slots.at[at]) != 0;
	     at = perun_compact_next(slots, at)) {
		perun_id id;

		if (!perun_compact_is_marked(slots, slot, mark))
			continue;
		id = perun_compact_number(slots, slot) - 1;
		if (same(pool, id, data, size))
			return id;
	}
	return PERUN_NO_ID;
}

static uint32_t hash_of(const void *data, uint32_t number)
{
	const struct perun_pool *pool = data;
	struct perun_packed packed;
	const void *item;
	size_t size;

	if (pool->form != PERUN_POOL_OF_PACKED) {
		item = perun_pool_at(pool, number - 1, &size);
		return hash_item(pool, item, size);
	}
	perun_pool_get(pool, number - 1, &packed);
	return hash_item(pool, packed.data, packed.size);
}

/* Slots for this many items, of which those that have one keep one. */
static void make_slots(struct perun_pool *pool, uint64_t items)
{
	perun_compact_slots_reserve(&pool->slots, items, hash_of, pool);
}

/* Items that were not looked for when they were added get their slots. */
static void catch_up(struct perun_pool **shared)
{
	struct perun_pool *pool = own_pool(shared);

	make_slots(pool, pool->count);
	while (pool->hashed < pool->count) {
		pool->hashed++;
		perun_compact_put(pool->slots, pool->hashed, hash_of(pool, pool->hashed));
	}
}

/* Room for one more in the list of items. */
static inline void grow(struct perun_pool *pool)
{
	const uint32_t group = pool->count / PERUN_POOL_TEXTS;

	if (pool->count % PERUN_POOL_TEXTS)
		return;
	if (pool->form != PERUN_POOL_OF_PACKED)
		make_lists(pool, (size_t)group + 1);
	else if (group == pool->group_room)
		resize_groups(pool, group ? group * 2 : 1);
}

void perun_pool_reserve(struct perun_pool **shared, uint32_t more)
{
	struct perun_pool *pool = own_pool(shared);
	uint64_t count = (uint64_t)pool->count + more;

	if (count <= INT32_MAX)
		make_slots(pool, count);
}

perun_id perun_pool_find(const struct perun_pool *pool, const void *data, size_t size)
{
	if (size > UINT32_MAX)
		return PERUN_NO_ID;
	return find(pool, data, size, hash_item(pool, data, size));
}

/* The caller owns the pool. */
static inline perun_id append(struct perun_pool *pool, const void *data, size_t size)
{
	perun_id id = pool->count;

	if (pool->made)
		perun_pool_unmake(pool);
	grow(pool);
	if (pool->form == PERUN_POOL_OF_PACKED)
		store_packed(pool, id, data, size);
	else if (pool->form == PERUN_POOL_OF_TEXTS)
		note_text(pool, id, store_text(pool, data, size));
	else
		note_text(pool, id, store(pool, data, size));
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
	id = append(pool, data, size);
	perun_compact_put(pool->slots, id + 1, hash);
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

/* Not looked for; it gets its slot at once where all others have theirs, since its hash is to be had here. */
perun_id perun_pool_add_new(struct perun_pool **shared, const void *data, size_t size)
{
	const struct perun_pool *pool = *shared;

	if (size > UINT32_MAX || pool->count >= INT32_MAX)
		return PERUN_NO_ID;
	if (pool->slots.at && pool->hashed == pool->count)
		return add_missing(shared, data, size, hash_item(pool, data, size));
	return append(own_pool(shared), data, size);
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
		if (pool->slots.at)
			__builtin_prefetch(
				&pool->slots.at[perun_compact_first(pool->slots, entries[i].hash)],
				1);
	}
}

static void fetch_list(const struct perun_pool *pool, perun_id id)
{
	const uint32_t group = id / PERUN_POOL_TEXTS;

	if (pool->form == PERUN_POOL_OF_PACKED)
		__builtin_prefetch(&pool->groups[group]);
	else
		__builtin_prefetch(perun_pool_list(pool, group));
}

static void fetch_items(const struct perun_pool *pool, const struct perun_pool_entry *entries,
			size_t count)
{
	const struct perun_compact_slots slots = pool->slots;

	for (size_t i = 0; i < count && slots.at; i++) {
		uint32_t slot;

		if (entries[i].is_new) /* it has no hash */
			continue;
		slot = slots.at[perun_compact_first(slots, entries[i].hash)];
		if (slot && perun_compact_is_marked(slots, slot,
						    perun_compact_mark(slots, entries[i].hash)))
			fetch_list(pool, perun_compact_number(slots, slot) - 1);
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
	perun_free(pool->slots.at);
	pool->slots = (struct perun_compact_slots){0};
	pool->hashed = 0;
}

void perun_pool_finish(struct perun_pool *pool)
{
	const uint32_t lists = lists_in(pool);

	if (atomic_load_explicit(&pool->refs, memory_order_acquire) != 1 || pool->count == 0)
		return;
	if (pool->form == PERUN_POOL_OF_PACKED)
		resize_groups(pool, (uint32_t)texts_for(pool->count));
	if (lists < pool->list_room && pool->list_room <= PERUN_POOL_LISTS) {
		pool->lists[0] = perun_realloc_array(pool->lists[0], lists, sizeof **pool->lists);
		pool->list_room = lists;
	}
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
	size_t parts;
	char *rooms[APPENDING];
};

static uint32_t first_of(const struct appending *appending, size_t part)
{
	return (uint32_t)((uint64_t)appending->from->count * part / appending->parts);
}

/* The room of an item, so that the next one is aligned whatever it is. */
static size_t room_of(const struct perun_pool *pool, size_t size)
{
	return (head_of(pool, size) + size + 7) & ~(size_t)7;
}

static int append_part(struct perun_ctx *ctx, size_t part, void *data)
{
	const struct appending *appending = data;
	char *room = appending->rooms[part];
	size_t size;

	(void)ctx;
	for (uint32_t i = first_of(appending, part); i < first_of(appending, part + 1); i++) {
		const void *item = perun_pool_at(appending->from, i, &size);

		appending->copy(appending->data, item_in(appending->from, room, size), item, size);
		room += room_of(appending->from, size);
	}
	return PERUN_OK;
}

bool perun_pool_append(struct perun_pool **shared, const struct perun_pool *from,
		       void (*copy)(void *data, void *to, const void *from, size_t size),
		       void *data)
{
	struct appending appending = {.from = from, .copy = copy, .data = data};
	struct perun_pool *pool;
	size_t size;

	if ((uint64_t)(*shared)->count + from->count > INT32_MAX)
		return false;
	pool = own(shared, false);
	forget(pool);
	make_lists(pool, texts_for(pool->count + from->count));
	appending.parts = from->count < MANY_ITEMS ? 1 : APPENDING;
	for (size_t part = 0; part < appending.parts; part++) {
		size_t room = 0;

		for (uint32_t i = first_of(&appending, part); i < first_of(&appending, part + 1);
		     i++) {
			perun_pool_at(from, i, &size);
			room += room_of(from, size);
		}
		appending.rooms[part] = perun_blocks_add(&pool->blocks, room);
	}
	perun_parallel_for(NULL, appending.parts, append_part, &appending);
	for (size_t part = 0; part < appending.parts; part++) {
		char *room = appending.rooms[part];

		for (uint32_t i = first_of(&appending, part); i < first_of(&appending, part + 1);
		     i++) {
			perun_pool_at(from, i, &size);
			note_text(pool, pool->count++, room + head_of(from, size));
			room += room_of(from, size);
		}
	}
	return true;
}

/* ---- changing ---------------------------------------------------------------------------------- */

/* The end of the group of an item. */
static perun_id end_of_group(const struct perun_pool *pool, perun_id id)
{
	perun_id end = id - id % PERUN_POOL_TEXTS + PERUN_POOL_TEXTS;

	return end < pool->count ? end : pool->count;
}

/* Items that another pool holds, too, are copied first. */
static void unshare_items(struct perun_pool *pool)
{
	struct perun_pool_texts before = {0};
	uint32_t size;

	if (!perun_blocks_are_shared(&pool->blocks))
		return;
	for (perun_id id = 0; id < pool->count; id++) {
		const char *item;

		if (id % PERUN_POOL_TEXTS == 0)
			before = *perun_pool_list(pool, id / PERUN_POOL_TEXTS);
		item = perun_pool_listed(pool, &before, id);
		memcpy(&size, item - sizeof size, sizeof size);
		note_text(pool, id, store(pool, item, size));
	}
}

void perun_pool_change(struct perun_pool **shared,
		       void (*change)(void *data, void *item, size_t size), void *data)
{
	struct perun_pool *pool = own_pool(shared);
	size_t size;

	if (!pool->count)
		return;
	unshare_items(pool);
	for (perun_id id = 0; id < pool->count; id++) {
		void *item = (void *)perun_pool_at(pool, id, &size);

		change(data, item, size);
	}
	forget(pool);
}

/* Groups that go on as one of which the first two items change, and a group that goes on as another, get their lists. */
static void list_runs(struct perun_pool *pool, perun_id id)
{
	const uint32_t group = id / PERUN_POOL_TEXTS;

	if (pool->groups[group] & PERUN_POOL_RUN)
		list_run(pool, group, end_of_group(pool, id));
	for (uint32_t i = group + 1; id % PERUN_POOL_TEXTS < 2 && i < texts_for(pool->count); i++) {
		if (pool->groups[i] == (PERUN_POOL_RUN | group))
			list_run(pool, i, end_of_group(pool, i * PERUN_POOL_TEXTS));
	}
}

/* What is packed with one of the first two of a group is packed again with the new one. */
static void replace_packed(struct perun_pool *pool, perun_id id, const void *data, size_t size)
{
	const perun_id end = id % PERUN_POOL_TEXTS > 1 ? id + 1 : end_of_group(pool, id);
	struct perun_packed items[PERUN_POOL_TEXTS];

	list_runs(pool, id);
	for (perun_id other = id + 1; other < end; other++)
		perun_pool_get(pool, other, &items[other % PERUN_POOL_TEXTS]);
	store_listed(pool, id, data, size);
	for (perun_id other = id + 1; other < end; other++) {
		const struct perun_packed *item = &items[other % PERUN_POOL_TEXTS];

		store_listed(pool, other, item->data, item->size);
	}
}

/* What is listed after the first one of a group is listed again after the new one. */
void perun_pool_replace(struct perun_pool **shared, perun_id id, const void *data, size_t size)
{
	struct perun_pool *pool = own_pool(shared);
	const perun_id end = id % PERUN_POOL_TEXTS ? id : end_of_group(pool, id);
	struct perun_pool_texts before;

	if (pool->form == PERUN_POOL_OF_PACKED) {
		replace_packed(pool, id, data, size);
		return;
	}
	before = *perun_pool_list(pool, id / PERUN_POOL_TEXTS);
	note_text(pool, id, store(pool, data, size));
	for (perun_id other = id + 1; other < end; other++)
		note_text(pool, other, perun_pool_listed(pool, &before, other));
}
