/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by a hash, in open addressing and 4 bytes each. */
#include "core/context/context.h"
#include "core/profile/compact-slots.h"

/* Up to here slots are doubled. More are raised by half and by a third in turn: who has many has less memory to spare. */
enum { FEW = 1 << 19 };

/* The least hash that belongs to a slot of 2^n or 3 * 2^n. */
static inline uint64_t least_hash(uint32_t count, uint32_t at)
{
	uint32_t shift = (uint32_t)__builtin_ctz(count);
	uint64_t least = (uint64_t)at << (PERUN_COMPACT_HASH - shift);

	return count >> shift == 3 ? (least + 2) / 3 : least;
}

/* Those of other slots, in their order, which nearly is that of the new ones: the hash of each is the one with its lowest bits. */
static void put_all(struct perun_compact_slots slots, struct perun_compact_slots from,
		    uint32_t (*hash_of)(const void *data, uint32_t number), const void *data)
{
	uint32_t lowest = (UINT32_C(1) << (PERUN_COMPACT_HASH + 1 - from.bits)) - 1;

	for (uint32_t at = 0; at < from.count; at++) {
		uint32_t slot = from.at[at], number = perun_compact_number(from, slot);
		uint32_t passed = slot >> from.bits & PERUN_COMPACT_MANY, least;

		if (!slot)
			continue;
		if (passed == PERUN_COMPACT_MANY) {
			perun_compact_put(slots, number, hash_of(data, number));
			continue;
		}
		least = (uint32_t)least_hash(from.count,
					     at < passed ? at + from.count - passed : at - passed);
		slot >>= from.bits + PERUN_COMPACT_PASSED;
		perun_compact_put(slots, number, least + ((slot - least) & lowest));
	}
}

void perun_compact_slots_grow(struct perun_compact_slots *slots, uint64_t numbers,
			      uint32_t (*hash_of)(const void *data, uint32_t number),
			      const void *data)
{
	struct perun_compact_slots from = *slots;
	uint64_t size = from.count ? from.count : 16;

	while (numbers * 4 > size * 3 && size < UINT64_C(3) << 30)
		size = size & (size - 1) ? size / 3 * 4 : size < FEW ? size * 2 : size / 2 * 3;
	slots->at = perun_alloc_large_zero(size, sizeof *slots->at);
	slots->count = (uint32_t)size;
	slots->bits = 64 - (uint32_t)__builtin_clzll(size - 1);
	if (from.count && from.bits <= PERUN_COMPACT_HASH) {
		put_all(*slots, from, hash_of, data);
	} else {
		for (uint32_t at = 0; at < from.count; at++)
			if (from.at[at])
				perun_compact_put(*slots, from.at[at], hash_of(data, from.at[at]));
	}
	perun_free(from.at);
}
