/* SPDX-License-Identifier: BSD-3-Clause */
/* From the ids in a file to places in an array. */
#include <string.h>

#include "ids.h"

static bool put_small(struct pprof_ids *ids, size_t id, uint32_t place)
{
	if (id >= ids->small_count) {
		size_t count = ids->small_count ? ids->small_count : 256;

		while (count <= id)
			count += count / 2;
		ids->small = perun_realloc_array(ids->small, count, sizeof *ids->small);
		memset(ids->small + ids->small_count, 0,
		       (count - ids->small_count) * sizeof *ids->small);
		ids->small_count = count;
	}
	if (ids->small[id])
		return false;
	ids->small[id] = place + 1;
	return true;
}

uint32_t pprof_ids_number(struct pprof_ids *ids, uint64_t id)
{
	const uint32_t number = stacks_numbers_find(&ids->large, id),
		       count = (uint32_t)ids->large.count;

	if (number != UINT32_MAX)
		return number;
	stacks_numbers_add(&ids->large, id, count);
	PERUN_GROW(ids->places, count, ids->room);
	ids->places[count] = PERUN_NO_ID;
	return count;
}

bool pprof_ids_put(struct pprof_ids *ids, uint64_t id, uint32_t place)
{
	uint32_t number;

	if (pprof_id_is_small(id))
		return put_small(ids, (size_t)id, place);
	number = pprof_ids_number(ids, id);
	if (ids->places[number] != PERUN_NO_ID)
		return false;
	ids->places[number] = place;
	return true;
}

uint32_t pprof_ids_get(const struct pprof_ids *ids, uint64_t id)
{
	uint32_t number;

	if (pprof_id_is_small(id))
		return id < ids->small_count && ids->small[id] ? ids->small[id] - 1 : PERUN_NO_ID;
	number = stacks_numbers_find(&ids->large, id);
	return number == UINT32_MAX ? PERUN_NO_ID : ids->places[number];
}

void pprof_ids_free(struct pprof_ids *ids)
{
	perun_free(ids->small);
	stacks_numbers_free(&ids->large);
	perun_free(ids->places);
	*ids = (struct pprof_ids){0};
}
