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

bool pprof_ids_put(struct pprof_ids *ids, uint64_t id, uint32_t place)
{
	perun_id number;

	if (id < PPROF_SMALL_IDS)
		return put_small(ids, (size_t)id, place);
	if (!ids->large) {
		ids->large = perun_builder_new();
		PERUN_GROW(ids->places, ids->count, ids->room);
		ids->places[ids->count++] = PERUN_NO_ID; /* of "" */
	}
	number = perun_builder_string(ids->large, (const char *)&id, sizeof id);
	if (number < ids->count)
		return false;
	PERUN_GROW(ids->places, ids->count, ids->room);
	ids->places[ids->count++] = place;
	return true;
}

uint32_t pprof_ids_get(const struct pprof_ids *ids, uint64_t id)
{
	perun_id number;

	if (id < PPROF_SMALL_IDS)
		return id < ids->small_count && ids->small[id] ? ids->small[id] - 1 : PERUN_NO_ID;
	if (!ids->large)
		return PERUN_NO_ID;
	/* Adds what is not there, which nobody minds: its number is beyond the places. */
	number = perun_builder_string(ids->large, (const char *)&id, sizeof id);
	return number < ids->count ? ids->places[number] : PERUN_NO_ID;
}

void pprof_ids_free(struct pprof_ids *ids)
{
	perun_free(ids->small);
	perun_builder_free(ids->large);
	perun_free(ids->places);
}
