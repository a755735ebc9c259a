/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of which each is the location of its own number alone. For the files of this folder. */
#ifndef PERUN_CORE_PROFILE_PLAIN_STACKS_H
#define PERUN_CORE_PROFILE_PLAIN_STACKS_H

#include <stdatomic.h>

#include "perun/profile.h"

/*
 * Profiles without stacks, as those of callgrind, make a stack of each location as they meet it: nothing has to be kept of these
 * but how many there are. One that several owners share is immutable, but for the array that is handed out.
 */
struct perun_plain_stacks {
	atomic_uint refs;
	uint32_t count;
	perun_id *_Atomic locations; /* 0, 1, 2 ..., made when a stack is asked for */
};

struct perun_plain_stacks *perun_plain_stacks_ref(struct perun_plain_stacks *stacks);
void perun_plain_stacks_unref(struct perun_plain_stacks *stacks);
/* Add `more` stacks, each of the location with its number. `*stacks` may be NULL: there is none yet. */
void perun_plain_stacks_add(struct perun_plain_stacks **stacks, uint32_t more);
/* As perun_pools_stack(). Any number of threads may ask. */
const perun_id *perun_plain_stacks_at(struct perun_plain_stacks *stacks, perun_id id,
				      size_t *count);

#endif
