/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool: distinct things, each stored once and named by its number. */
#ifndef PERUN_CORE_PROFILE_POOL_H
#define PERUN_CORE_PROFILE_POOL_H

#include <stdatomic.h>
#include <string.h>

#include "core/profile/blocks.h"
#include "core/context/compact-slots.h"
#include "core/profile/packed.h"
#include "perun/profile.h"

/*
 * All pools of a profile (strings, functions, stacks ...) are alike: an item is a string of bytes,
 * interned by its contents. Items never move. A pool that several owners share is immutable; who
 * wants to add copies its lists first (not its items: the blocks that hold them are counted too).
 *
 * Stacks are in a pool as arrays while they are few; many that begin alike are a tree (stacks.c).
 */
enum { PERUN_POOL_TEXTS = 28, PERUN_POOL_FAR = UINT16_MAX, PERUN_POOL_NEXT = PERUN_POOL_FAR - 1 };
/* Of a group of packed items: all of it goes on as the first two of an earlier group, whose number follows. */
#define PERUN_POOL_RUN (UINT32_C(1) << 31)

/*
 * Where items of a group, which follow each other, are: after the first one, or far from it; or nowhere, a packed item that goes
 * on as the first two do (see perun_packed_next()). As large as a line of the cache.
 */
struct perun_pool_texts {
	const char *first;
	uint16_t at[PERUN_POOL_TEXTS];
};

struct perun_pool_far {
	perun_id id;
	const char *text;
};

struct perun_pool {
	atomic_uint refs;
	uint32_t count;
	/*
	 * Texts are NUL-terminated, and their length is before them, since most are short; packed items have no bytes of their
	 * own (packed.h); all others are aligned as their size asks for, ids to 4 bytes, and that size is in the 4 bytes before.
	 */
	enum {
		PERUN_POOL_OF_ITEMS,
		PERUN_POOL_OF_IDS,
		PERUN_POOL_OF_TEXTS,
		PERUN_POOL_OF_PACKED
	} form;
	struct perun_pool_texts *
		*lists; /* LISTS at a time: of each group; of packed items, as `groups` says */
	size_t list_room, block_room; /* lists, and blocks of lists, that there is room for */
	uint32_t *
		groups; /* the number of the list of each group in `texts`, or RUN and an earlier group */
	uint32_t group_room, list_count; /* groups and lists of packed items */
	struct perun_pool_far *far;      /* items, by their numbers */
	size_t far_count, far_capacity;
	struct perun_compact_slots slots; /* the numbers of items + 1 */
	uint32_t
		hashed; /* items before this one are in the slots; others when one is looked for, to be added */
	uint32_t checked; /* items before this one are known to hold valid ids */
	uint64_t seed;
	struct perun_blocks blocks; /* the bytes of items */
	/* Structures that were made of items, PERUN_POOL_MADE at a time, when they were asked for (places.c); or NULL. */
	void *_Atomic *_Atomic made;
};

/* LISTS: in a block, which does not move when there are more; the first one grows up to there. */
enum { PERUN_POOL_MADE = 64, PERUN_POOL_LISTS = 256 };

struct perun_pool *perun_pool_new(bool text);
/* One of arrays of ids. */
struct perun_pool *perun_pool_new_ids(void);
/* One of packed items: perun_pool_get() has them, and not perun_pool_at(). */
struct perun_pool *perun_pool_new_packed(void);
struct perun_pool *perun_pool_ref(struct perun_pool *pool);
void perun_pool_unref(struct perun_pool *pool);
/* The number of an equal item, or PERUN_NO_ID. Not of those that were added as new, or appended, before another was added. */
perun_id perun_pool_find(const struct perun_pool *pool, const void *data, size_t size);
/* The same, added if there is none. PERUN_NO_ID when the pool is full or the item too large. */
perun_id perun_pool_add(struct perun_pool **pool, const void *data, size_t size);
/* The same of an item that is known not to be there: it is not looked for. */
perun_id perun_pool_add_new(struct perun_pool **pool, const void *data, size_t size);
/* A thing to add, and what became of it. */
struct perun_pool_entry {
	const void *data;
	uint32_t size, hash;
	perun_id id;
	bool is_new; /* known not to be there; it is not looked for in a pool */
};
/*
 * The same for many at once, in their order: memory is fetched ahead, which halves the time of a large
 * pool. Sets `id` of each.
 */
void perun_pool_add_many(struct perun_pool **pool, struct perun_pool_entry *entries, size_t count);
/* Make room for this many more: nothing needs to be moved while they are added. */
void perun_pool_reserve(struct perun_pool **pool, uint32_t more);
/* Give back memory that was kept for growing. */
void perun_pool_finish(struct perun_pool *pool);
/* Give back the table by which items are found, where nobody else has the pool: none is found until one is added. */
void perun_pool_forget(struct perun_pool *pool);
/*
 * Change every item, no text, in its place, so that different items stay different and as long as they are; their
 * numbers stay.
 */
void perun_pool_change(struct perun_pool **pool,
		       void (*change)(void *data, void *item, size_t size), void *data);
/*
 * Append all items of `from`, neither of texts, as `copy` makes them, which is called from several threads: of the same
 * size, and no two alike. They are not compared with those that are there, so that equal ones stay
 * apart, nor can any item of the pool be found until one is added: adding needs them all, and hashes
 * them then. False, and nothing happened, when they are too many.
 */
bool perun_pool_append(struct perun_pool **pool, const struct perun_pool *from,
		       void (*copy)(void *data, void *to, const void *from, size_t size),
		       void *data);
/* Free what was made of items: the pool is ours alone. */
void perun_pool_unmake(struct perun_pool *pool);
/* Put other bytes in the place of an item, not a text; it is not found by its contents any more. */
void perun_pool_replace(struct perun_pool **pool, perun_id id, const void *data, size_t size);

/* A text that is longer says so, and its length comes before that. */
enum { PERUN_POOL_LONG = 255 };

static inline uint32_t perun_pool_text_length(const char *text)
{
	uint32_t length = (unsigned char)text[-1];

	if (length == PERUN_POOL_LONG)
		memcpy(&length, text - 1 - sizeof length, sizeof length);
	return length;
}

const char *perun_pool_far_text(const struct perun_pool *pool, perun_id id);

static inline struct perun_pool_texts *perun_pool_list(const struct perun_pool *pool, uint32_t list)
{
	return &pool->lists[list / PERUN_POOL_LISTS][list % PERUN_POOL_LISTS];
}

static inline const char *perun_pool_listed(const struct perun_pool *pool,
					    const struct perun_pool_texts *texts, perun_id id)
{
	uint16_t at = texts->at[id % PERUN_POOL_TEXTS];

	return at == PERUN_POOL_FAR ? perun_pool_far_text(pool, id) : texts->first + at;
}

/* An item that is there, and not a packed one. */
static inline const char *perun_pool_text(const struct perun_pool *pool, perun_id id)
{
	return perun_pool_listed(pool, perun_pool_list(pool, id / PERUN_POOL_TEXTS), id);
}

/* A packed item: the list that it is in, and its place there, or after the first two of that. */
struct perun_pool_place {
	const struct perun_pool_texts *texts;
	uint32_t place;
	bool is_next;
};

static inline struct perun_pool_place perun_pool_place(const struct perun_pool *pool, perun_id id)
{
	uint32_t group = id / PERUN_POOL_TEXTS, list = pool->groups[group];
	struct perun_pool_place place = {.place = id % PERUN_POOL_TEXTS};

	if (list & PERUN_POOL_RUN) {
		list &= ~PERUN_POOL_RUN;
		place.place = id - list * PERUN_POOL_TEXTS;
		place.is_next = true;
		place.texts = perun_pool_list(pool, pool->groups[list]);
		return place;
	}
	place.texts = perun_pool_list(pool, list);
	place.is_next = place.texts->at[place.place] == PERUN_POOL_NEXT;
	return place;
}

static inline void perun_pool_get(const struct perun_pool *pool, perun_id id,
				  struct perun_packed *packed)
{
	const struct perun_pool_place at = perun_pool_place(pool, id);
	const char *first = at.texts->first;

	if (at.is_next)
		perun_packed_next(first, first + at.texts->at[1], at.place, packed);
	else
		perun_packed_get(first, perun_pool_listed(pool, at.texts, id), packed);
}

static inline const void *perun_pool_at(const struct perun_pool *pool, perun_id id, size_t *size)
{
	const char *item;
	uint32_t bytes;

	if (id >= pool->count || pool->form == PERUN_POOL_OF_PACKED) {
		if (size)
			*size = 0;
		return NULL;
	}
	item = perun_pool_text(pool, id);
	if (pool->form == PERUN_POOL_OF_TEXTS)
		bytes = perun_pool_text_length(item);
	else
		memcpy(&bytes, item - sizeof bytes, sizeof bytes);
	if (size)
		*size = bytes;
	return item;
}

/*
 * What was made of the PERUN_POOL_MADE items that one which is there is among; perun_pool_make() makes it, in one piece of memory.
 * Any number of threads may ask.
 */
const void *perun_pool_make(struct perun_pool *pool, perun_id id,
			    void *(*make_them)(const struct perun_pool *pool, perun_id first));

static inline const void *perun_pool_made(struct perun_pool *pool, perun_id id,
					  void *(*make_them)(const struct perun_pool *pool,
							     perun_id first))
{
	void *_Atomic *made = atomic_load_explicit(&pool->made, memory_order_acquire);
	const void *them = NULL;

	if (made)
		them = atomic_load_explicit(&made[id / PERUN_POOL_MADE], memory_order_acquire);
	return them ? them : perun_pool_make(pool, id, make_them);
}

#endif
