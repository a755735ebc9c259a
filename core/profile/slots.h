/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by a hash, in open addressing: what tables of items in other arrays are found by. */
#ifndef PERUN_CORE_PROFILE_SLOTS_H
#define PERUN_CORE_PROFILE_SLOTS_H

#include <stdint.h>

/* The hash beside the number: items that are not meant are passed over without a look at them. */
struct perun_slot {
	uint32_t hash;
	uint32_t number; /* id + 1, 0 = free */
};

/* Make slots for this many items, so that at most two thirds of them are in use. `mask`: their number - 1. */
void perun_slots_grow(struct perun_slot **slots, uint32_t *mask, uint64_t items);
static inline void perun_slots_reserve(struct perun_slot **slots, uint32_t *mask, uint64_t items)
{
	if (!*slots || items * 3 > ((uint64_t)*mask + 1) * 2)
		perun_slots_grow(slots, mask, items);
}

/* There is room. */
static inline void perun_slots_occupy(struct perun_slot *slots, uint32_t mask,
				      struct perun_slot slot)
{
	uint32_t at = slot.hash & mask;

	while (slots[at].number)
		at = (at + 1) & mask;
	slots[at] = slot;
}

#endif
