/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by a hash, in open addressing. */
#include "core/context/context.h"
#include "core/profile/slots.h"

/* From the old slots, whose order is nearly that of the new ones. */
void perun_slots_grow(struct perun_slot **slots, uint32_t *mask, uint64_t items)
{
	struct perun_slot *old = *slots;
	uint64_t now = old ? (uint64_t)*mask + 1 : 0, size = now ? now : 16;

	while (items * 3 > size * 2 && size <= UINT32_MAX)
		size *= 2;
	if (size == now)
		return;
	*slots = perun_alloc_large_zero(size, sizeof *old);
	*mask = (uint32_t)(size - 1);
	for (uint64_t i = 0; i < now; i++) {
		if (old[i].number)
			perun_slots_occupy(*slots, *mask, old[i]);
	}
	perun_free(old);
}
