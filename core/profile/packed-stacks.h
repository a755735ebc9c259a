/* SPDX-License-Identifier: BSD-3-Clause */
/* Many stacks that do not begin alike: a pool of their locations as varints. For the files of this folder. */
#ifndef PERUN_CORE_PROFILE_PACKED_STACKS_H
#define PERUN_CORE_PROFILE_PACKED_STACKS_H

#include "core/profile/pool.h"

/*
 * Locations are few where stacks are many: one or two bytes each, where arrays have four. The pool is one of texts, whose lengths
 * take a byte. Arrays are made, some stacks at a time, when one of them is asked for.
 */
static inline bool perun_stacks_are_packed(const struct perun_pool *pool)
{
	return pool->form == PERUN_POOL_OF_TEXTS;
}

/* The same stacks packed, or as arrays. */
struct perun_pool *perun_stacks_pack(const struct perun_pool *arrays);
struct perun_pool *perun_stacks_unpack(const struct perun_pool *packed);
/* As perun_pool_add_many(), of arrays. */
void perun_packed_stacks_add(struct perun_pool **pool, struct perun_pool_entry *entries,
			     size_t count);
/* A stack that is there. Any number of threads may ask. */
const perun_id *perun_packed_stacks_at(struct perun_pool *pool, perun_id id, size_t *count);
/* Append all stacks of another pool, packed or not, as perun_pool_append() does, with renumber(data, l) for each location l. */
bool perun_packed_stacks_append(struct perun_pool **pool, const struct perun_pool *from,
				perun_id (*renumber)(void *data, perun_id location), void *data);
/* Whether each location of a stack is below `locations`. */
bool perun_packed_stack_is_good(const struct perun_pool *pool, perun_id id, uint32_t locations);

#endif
