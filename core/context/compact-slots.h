/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by a hash, in open addressing and 4 bytes each: what items of pools and members of objects are found by. */
#ifndef PERUN_CORE_CONTEXT_COMPACT_SLOTS_H
#define PERUN_CORE_CONTEXT_COMPACT_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A slot holds, from its lowest bit on, a number above 0 (0 = free) in as many bits as that takes, how many slots it passed over
 * (MANY: that many or more), and the lowest bits of its hash. The highest ones are, nearly, where it belongs, so that a slot
 * tells its hash, and items need not be read again when slots are added. Where slots are so many that there is no room for that,
 * they hold a number alone.
 */
struct perun_compact_slots {
	uint32_t *at;
	uint32_t count, bits; /* bits: of a number */
	uint64_t room;        /* for slots */
};

enum {
	PERUN_COMPACT_PASSED = 4,
	PERUN_COMPACT_MANY = (1 << PERUN_COMPACT_PASSED) - 1,
	PERUN_COMPACT_HASH = 31 - PERUN_COMPACT_PASSED, /* bits of a hash */
	PERUN_COMPACT_FEW = 1 << 16
};

/* Whether these are too many numbers: half of a few slots are in use at most, three quarters of many. */
static inline bool perun_compact_is_full(uint64_t count, uint64_t numbers)
{
	return count <= PERUN_COMPACT_FEW ? numbers * 2 > count : numbers * 4 > count * 3;
}

/* How many slots are needed for numbers up to this; and these, in memory of the caller's, which are not grown. */
uint64_t perun_compact_size(uint64_t numbers);
struct perun_compact_slots perun_compact_slots_in(uint32_t *memory, uint64_t size);
/* Slots for numbers up to this. `hash_of`: what a number was put in by. */
void perun_compact_slots_grow(struct perun_compact_slots *slots, uint64_t numbers,
			      uint32_t (*hash_of)(const void *data, uint32_t number),
			      const void *data);
static inline void perun_compact_slots_reserve(struct perun_compact_slots *slots, uint64_t numbers,
					       uint32_t (*hash_of)(const void *data,
								   uint32_t number),
					       const void *data)
{
	if (perun_compact_is_full(slots->count, numbers))
		perun_compact_slots_grow(slots, numbers, hash_of, data);
}

/* Where a hash is looked for first, and where next. */
static inline uint32_t perun_compact_first(struct perun_compact_slots slots, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash * slots.count >> PERUN_COMPACT_HASH);
}

static inline uint32_t perun_compact_next(struct perun_compact_slots slots, uint32_t at)
{
	return at + 1 == slots.count ? 0 : at + 1;
}

static inline uint32_t perun_compact_number(struct perun_compact_slots slots, uint32_t slot)
{
	return slot & (uint32_t)((UINT64_C(1) << slots.bits) - 1);
}

/* What a slot has of a hash; other hashes may have the same. */
static inline uint32_t perun_compact_mark(struct perun_compact_slots slots, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash << (slots.bits + PERUN_COMPACT_PASSED));
}

static inline bool perun_compact_is_marked(struct perun_compact_slots slots, uint32_t slot,
					   uint32_t mark)
{
	return (uint64_t)(slot ^ mark) >> (slots.bits + PERUN_COMPACT_PASSED) == 0;
}

/* What a place has where a number is put that found those before taken. */
static inline uint32_t perun_compact_slot(struct perun_compact_slots slots, uint32_t at,
					  uint32_t number, uint32_t hash)
{
	uint32_t first = perun_compact_first(slots, hash);
	uint32_t passed = at < first ? at + slots.count - first : at - first;

	passed = passed < PERUN_COMPACT_MANY ? passed : PERUN_COMPACT_MANY;
	return slots.bits > PERUN_COMPACT_HASH
		       ? number
		       : perun_compact_mark(slots, hash) | passed << slots.bits | number;
}

/* There is room. */
static inline void perun_compact_put(struct perun_compact_slots slots, uint32_t number,
				     uint32_t hash)
{
	uint32_t at = perun_compact_first(slots, hash);

	while (slots.at[at])
		at = perun_compact_next(slots, at);
	slots.at[at] = perun_compact_slot(slots, at, number, hash);
}

#endif
