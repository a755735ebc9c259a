/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by a hash, in open addressing and 4 bytes each. */
#include <string.h>

#include "core/context/context.h"
#include "core/context/compact-slots.h"

/* Few slots are doubled, more take two steps to twice as many, and many four: who has many has less memory to spare. */
enum { LEAST = 16, FEW = 1 << 19, MANY = 1 << 20 };

static uint64_t more_than(uint64_t size)
{
	uint64_t power = UINT64_C(1) << (63 - __builtin_clzll(size));

	return size + (size < FEW ? power : size < MANY ? power / 2 : power / 4);
}

/* The least hash that belongs to a slot of 1, 3, 5 or 7 times 2^n. */
static inline uint64_t least_hash(uint32_t count, uint32_t at)
{
	uint32_t shift = (uint32_t)__builtin_ctz(count);
	uint64_t least = (uint64_t)at << (PERUN_COMPACT_HASH - shift);

	switch (count >> shift) {
	case 3:
		return (least + 2) / 3;
	case 5:
		return (least + 4) / 5;
	case 7:
		return (least + 6) / 7;
	default:
		return least;
	}
}

struct growing {
	struct perun_compact_slots from, to; /* the same memory */
	uint32_t (*hash_of)(const void *data, uint32_t number);
	const void *data;
	uint32_t *others; /* numbers that were taken out */
	size_t count, capacity;
};

/* The hash that a slot was taken by: the one of its lowest bits among those that belong where it belongs. */
static inline uint32_t hash_in(const struct growing *growing, uint32_t at, uint32_t slot)
{
	const struct perun_compact_slots from = growing->from;
	uint32_t passed = slot >> from.bits & PERUN_COMPACT_MANY, least;

	if (from.bits > PERUN_COMPACT_HASH || passed == PERUN_COMPACT_MANY)
		return growing->hash_of(growing->data, perun_compact_number(from, slot));
	least = (uint32_t)least_hash(from.count,
				     at < passed ? at + from.count - passed : at - passed);
	slot >>= from.bits + PERUN_COMPACT_PASSED;
	return least +
	       ((slot - least) & ((UINT32_C(1) << (PERUN_COMPACT_HASH + 1 - from.bits)) - 1));
}

/*
 * In their place, so that no more memory is needed: from the last one on, slots go to a higher place, after which there are none
 * but those that went before. The few that would not, or would begin again at the first place, are put in when all have gone.
 */
static void spread(struct growing *growing)
{
	const struct perun_compact_slots from = growing->from, to = growing->to;

	for (uint32_t at = from.count; at-- > 0;) {
		uint32_t slot = from.at[at], number, hash, place;

		if (!slot)
			continue;
		number = perun_compact_number(from, slot);
		hash = hash_in(growing, at, slot);
		place = perun_compact_first(to, hash);
		to.at[at] = 0;
		while (place >= at && place < to.count && to.at[place])
			place++;
		if (place >= at && place < to.count) {
			to.at[place] = perun_compact_slot(to, place, number, hash);
			continue;
		}
		PERUN_GROW(growing->others, growing->count, growing->capacity);
		growing->others[growing->count++] = number;
	}
	for (size_t i = 0; i < growing->count; i++)
		perun_compact_put(to, growing->others[i],
				  growing->hash_of(growing->data, growing->others[i]));
	perun_free(growing->others);
}

/* Room for many is room for more, which takes no memory before it is used: then growing moves nothing. */
static void make_room(struct perun_compact_slots *slots, uint64_t size)
{
	const struct perun_compact_slots from = *slots;

	if (size <= from.room)
		return;
	slots->room = size < FEW ? size : size < MANY ? size * 6 : size * 3;
	slots->at = size < FEW ? perun_alloc(size * sizeof *slots->at)
			       : perun_alloc_large(slots->room * sizeof *slots->at);
	if (from.count)
		memcpy(slots->at, from.at, from.count * sizeof *slots->at);
	perun_free(from.at);
}

static uint64_t size_for(uint64_t size, uint64_t numbers)
{
	while (perun_compact_is_full(size, numbers) && size < UINT64_C(3) << 30)
		size = more_than(size);
	return size;
}

uint64_t perun_compact_size(uint64_t numbers)
{
	return size_for(LEAST, numbers);
}

struct perun_compact_slots perun_compact_slots_in(uint32_t *memory, uint64_t size)
{
	memset(memory, 0, size * sizeof *memory);
	return (struct perun_compact_slots){.at = memory,
					    .count = (uint32_t)size,
					    .bits = 64 - (uint32_t)__builtin_clzll(size - 1),
					    .room = size};
}

void perun_compact_slots_grow(struct perun_compact_slots *slots, uint64_t numbers,
			      uint32_t (*hash_of)(const void *data, uint32_t number),
			      const void *data)
{
	struct growing growing = {.from = *slots, .hash_of = hash_of, .data = data};
	uint64_t size = size_for(slots->count ? slots->count : LEAST, numbers);

	make_room(slots, size);
	memset(slots->at + slots->count, 0, (size - slots->count) * sizeof *slots->at);
	slots->count = (uint32_t)size;
	slots->bits = 64 - (uint32_t)__builtin_clzll(size - 1);
	growing.from.at = slots->at;
	growing.to = *slots;
	spread(&growing);
}
