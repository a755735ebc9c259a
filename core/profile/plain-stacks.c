/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of which each is the location of its own number alone. */
#include "core/context/context.h"
#include "core/profile/plain-stacks.h"

struct perun_plain_stacks *perun_plain_stacks_ref(struct perun_plain_stacks *stacks)
{
	if (stacks)
		atomic_fetch_add_explicit(&stacks->refs, 1, memory_order_relaxed);
	return stacks;
}

void perun_plain_stacks_unref(struct perun_plain_stacks *stacks)
{
	if (!stacks || atomic_fetch_sub_explicit(&stacks->refs, 1, memory_order_acq_rel) != 1)
		return;
	perun_free(stacks->locations);
	perun_free(stacks);
}

static struct perun_plain_stacks *make(uint32_t count)
{
	struct perun_plain_stacks *stacks = perun_alloc_zero(1, sizeof *stacks);

	atomic_init(&stacks->refs, 1);
	stacks->count = count;
	return stacks;
}

/* One that is ours alone, and from which no array was handed out. */
static struct perun_plain_stacks *own(struct perun_plain_stacks **shared)
{
	struct perun_plain_stacks *from = *shared;

	if (from && !from->locations &&
	    atomic_load_explicit(&from->refs, memory_order_acquire) == 1)
		return from;
	*shared = make(from ? from->count : 0);
	perun_plain_stacks_unref(from);
	return *shared;
}

void perun_plain_stacks_add(struct perun_plain_stacks **stacks, uint32_t more)
{
	own(stacks)->count += more;
}

/* Several threads may make the same: one of them is kept. */
static const perun_id *locations_of(struct perun_plain_stacks *stacks)
{
	perun_id *made = perun_alloc_large(stacks->count * sizeof *made), *others = NULL;

	for (uint32_t i = 0; i < stacks->count; i++)
		made[i] = i;
	if (atomic_compare_exchange_strong(&stacks->locations, &others, made))
		return made;
	perun_free(made);
	return others;
}

const perun_id *perun_plain_stacks_at(struct perun_plain_stacks *stacks, perun_id id, size_t *count)
{
	const perun_id *locations = atomic_load_explicit(&stacks->locations, memory_order_acquire);

	*count = id < stacks->count;
	if (!*count)
		return NULL;
	return (locations ? locations : locations_of(stacks)) + id;
}
