/* SPDX-License-Identifier: BSD-3-Clause */
/* From the ids in a file, which are any numbers, to places in an array. */
#ifndef PERUN_FORMAT_PPROF_IDS_H
#define PERUN_FORMAT_PPROF_IDS_H

#include <perun/profile.h>

/* Ids below this have a place in a table; others are found by hashing. */
#define PPROF_SMALL_IDS ((uint64_t)1 << 20)

struct pprof_ids {
	uint32_t *small; /* place + 1, 0 = none */
	size_t small_count;
	struct perun_builder *large; /* its strings are the bytes of the ids; "" is number 0 */
	uint32_t *places;            /* of them */
	size_t count, room;
};

/* False when the id has a place already. */
bool pprof_ids_put(struct pprof_ids *ids, uint64_t id, uint32_t place);
/* PERUN_NO_ID when there is none. Only when nothing is put any more. */
uint32_t pprof_ids_get(const struct pprof_ids *ids, uint64_t id);
void pprof_ids_free(struct pprof_ids *ids);

#endif
