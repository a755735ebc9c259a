/* SPDX-License-Identifier: BSD-3-Clause */
/* From the ids in a file, which are any numbers, to places in an array. */
#ifndef PERUN_FORMAT_PPROF_IDS_H
#define PERUN_FORMAT_PPROF_IDS_H

#include <perun/profile.h>

#include "formats/common/stacks-numbers.h"

/* Ids from 1 up to this have a place in a table; others, and 0, are large and found by hashing. */
#define PPROF_SMALL_IDS ((uint64_t)1 << 20)

struct pprof_ids {
	uint32_t *small; /* place + 1, 0 = none */
	size_t small_count;
	struct stacks_numbers large; /* numbers of large ids, in the order in which they were met */
	uint32_t *places;            /* by number; PERUN_NO_ID = none so far */
	size_t room;
};

static inline bool pprof_id_is_small(uint64_t id)
{
	return id - 1 < PPROF_SMALL_IDS;
}

/* False when the id has a place already. */
bool pprof_ids_put(struct pprof_ids *ids, uint64_t id, uint32_t place);
/* The number of a large id, which may have a place later. */
uint32_t pprof_ids_number(struct pprof_ids *ids, uint64_t id);
/* PERUN_NO_ID when there is none. */
uint32_t pprof_ids_get(const struct pprof_ids *ids, uint64_t id);
void pprof_ids_free(struct pprof_ids *ids);

#endif
