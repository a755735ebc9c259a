/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stacks of a profile: nothing while each is the location of its own number alone, a pool of arrays while they are few, a tree
 * when they are many and begin alike, a pool of packed ones when they do not.
 */
#include <string.h>

#include "core/profile/model.h"
#include "core/profile/packed-stacks.h"

/*
 * From this many stacks on, or bytes of stacks that are as deep as recursion makes them, some of them show how much they have in
 * common. A few have too little to be worth that.
 */
enum {
	FEW_STACKS = 16,
	MANY_STACKS = 1 << 18,
	MANY_BYTES = 1 << 24,
	WORTH_PACKING = 1 << 23,
	DEEP_BYTES = 2048,
	SHOWING = 1 << 15,
	SHOWING_BYTES = 1 << 20
};
/* As many as a pool takes. */
#define MOST_PLAIN ((size_t)INT32_MAX)

static bool begin_alike(const struct perun_pool *pool)
{
	uint32_t first = pool->count, last = pool->count > SHOWING ? pool->count - SHOWING : 0;
	struct perun_stack_tree *shown;
	/* Deep ones show it sooner, and none is to take more than all stacks do. */
	const size_t enough = pool->blocks.bytes / pool->count < DEEP_BYTES / 4 ? SHOWING_BYTES
										: SHOWING_BYTES / 4;
	uint64_t bytes = 0, nodes;
	size_t size;

	for (; first > last && bytes < enough; first--, bytes += size)
		perun_pool_at(pool, first - 1, &size);
	shown = perun_stack_tree_new(pool, first, pool->count, false);
	nodes = shown->node_count;
	perun_stack_tree_unref(shown);
	return nodes * 3 < bytes / sizeof(perun_id);
}

static void replace_pool(struct perun_pool **pool, struct perun_pool *other)
{
	perun_pool_unref(*pool);
	*pool = other;
}

static void make_packed(struct perun_pools *pools)
{
	struct perun_pool **pool = &pools->pool[PERUN_POOL_STACKS];

	if (!perun_stacks_are_packed(*pool))
		replace_pool(pool, perun_stacks_pack(*pool));
}

/* All stacks are a tree from this end on. */
static void make_tree(struct perun_pools *pools, bool from_leaf)
{
	struct perun_pool **pool = &pools->pool[PERUN_POOL_STACKS];
	struct perun_stack_tree *before = pools->tree;

	if (before && before->from_leaf == from_leaf)
		return;
	if (before) {
		pools->tree = perun_stack_tree_turned(before);
		perun_stack_tree_unref(before);
		return;
	}
	if (perun_stacks_are_packed(*pool))
		replace_pool(pool, perun_stacks_unpack(*pool));
	pools->tree = perun_stack_tree_new(*pool, 0, (*pool)->count, from_leaf);
	perun_pool_unref(*pool);
	*pool = perun_pool_new_ids();
}

static bool are_many(const struct perun_pool *pool)
{
	return pool->count >= MANY_STACKS ||
	       (pool->count >= FEW_STACKS && pool->blocks.bytes >= MANY_BYTES &&
		pool->blocks.bytes / pool->count >= DEEP_BYTES);
}

/* After stacks were added to the pool as arrays: some of them are looked at once. */
static void try_tree(struct perun_pools *pools)
{
	const struct perun_pool *pool = pools->pool[PERUN_POOL_STACKS];
	const bool many = are_many(pool);

	if (!many && (pools->are_alike || pool->blocks.bytes < WORTH_PACKING))
		return;
	if (!pools->are_alike && !pools->are_apart) {
		pools->are_alike = begin_alike(pool);
		pools->are_apart = !pools->are_alike;
	}
	if (pools->are_alike && many)
		make_tree(pools, false);
	else if (pools->are_apart && pool->blocks.bytes >= WORTH_PACKING)
		make_packed(pools);
}

/* Whether all stacks are plain ones so far, and this one is, too; then it is there. */
static bool add_plain(struct perun_pools *pools, struct perun_pool_entry *entry)
{
	uint32_t count = pools->plain ? pools->plain->count : 0;
	perun_id location;

	if (entry->size != sizeof location || pools->tree || pools->pool[PERUN_POOL_STACKS]->count)
		return false;
	memcpy(&location, entry->data, sizeof location);
	if (location > count || location >= MOST_PLAIN)
		return false;
	if (location == count)
		perun_plain_stacks_add(&pools->plain, 1);
	entry->id = location;
	return true;
}

/* Another stack is to follow: all are arrays from now on. */
static void keep_plain(struct perun_pools *pools)
{
	uint32_t count = pools->plain ? pools->plain->count : 0;

	for (perun_id i = 0; i < count; i++)
		perun_pool_add_new(&pools->pool[PERUN_POOL_STACKS], &i, sizeof i);
	perun_plain_stacks_unref(pools->plain);
	pools->plain = NULL;
}

void perun_pools_add_stacks(struct perun_pools *pools, struct perun_pool_entry *entries,
			    size_t count)
{
	while (count && add_plain(pools, entries)) {
		entries++;
		count--;
	}
	if (!count)
		return;
	keep_plain(pools);
	if (pools->tree) {
		perun_stack_tree_add(&pools->tree, entries, count);
		return;
	}
	if (perun_stacks_are_packed(pools->pool[PERUN_POOL_STACKS])) {
		perun_packed_stacks_add(&pools->pool[PERUN_POOL_STACKS], entries, count);
		return;
	}
	perun_pool_add_many(&pools->pool[PERUN_POOL_STACKS], entries, count);
	try_tree(pools);
}

uint32_t perun_pools_add_path(struct perun_pools *pools, uint32_t before, perun_id location,
			      bool from_leaf)
{
	keep_plain(pools);
	pools->leaves_used = UINT64_MAX; /* not known any more */
	make_tree(pools, from_leaf);
	return perun_stack_tree_step(&pools->tree, before, location);
}

size_t perun_pools_stack_count(const struct perun_pools *pools)
{
	if (pools->plain)
		return pools->plain->count;
	return pools->tree ? pools->tree->count : pools->pool[PERUN_POOL_STACKS]->count;
}

const perun_id *perun_pools_stack(const struct perun_pools *pools, perun_id id, size_t *count)
{
	const perun_id *stack;
	size_t bytes;

	if (pools->tree)
		return perun_stack_tree_at(pools->tree, id, count);
	if (pools->plain)
		return perun_plain_stacks_at(pools->plain, id, count);
	if (perun_stacks_are_packed(pools->pool[PERUN_POOL_STACKS]))
		return perun_packed_stacks_at(pools->pool[PERUN_POOL_STACKS], id, count);
	stack = perun_pool_at(pools->pool[PERUN_POOL_STACKS], id, &bytes);
	*count = bytes / sizeof *stack;
	return stack;
}

void perun_pools_reserve_stacks(struct perun_pools *pools, size_t more)
{
	if (!pools->tree && more < MANY_STACKS)
		perun_pool_reserve(&pools->pool[PERUN_POOL_STACKS], (uint32_t)more);
}

/* ---- all of them -------------------------------------------------------------------------------- */

struct renumbering {
	perun_id (*renumber)(void *data, perun_id location);
	void *data;
};

static void renumber_stack(void *data, void *item, size_t size)
{
	const struct renumbering *how = data;
	perun_id *stack = item;

	for (size_t i = 0; i < size / sizeof *stack; i++)
		stack[i] = how->renumber(how->data, stack[i]);
}

void perun_pools_renumber_stacks(struct perun_pools *pools,
				 perun_id (*renumber)(void *data, perun_id location), void *data)
{
	struct renumbering how = {renumber, data};
	struct perun_pool **pool = &pools->pool[PERUN_POOL_STACKS], *renumbered;

	pools->leaves_used = UINT64_MAX; /* not known any more */
	keep_plain(pools);
	if (pools->tree) {
		perun_stack_tree_renumber(&pools->tree, renumber, data);
	} else if (perun_stacks_are_packed(*pool)) {
		renumbered = perun_pool_new(true);
		perun_packed_stacks_append(&renumbered, *pool, renumber, data);
		replace_pool(pool, renumbered);
	} else
		perun_pool_change(pool, renumber_stack, &how);
}

static perun_id location_in(void *data, perun_id location)
{
	const perun_id *locations = data;

	return locations[location];
}

static void copy_stack(void *data, void *to, const void *from, size_t size)
{
	const perun_id *locations = data, *frames = from;
	perun_id *copied = to;

	for (size_t i = 0; i < size / sizeof *frames; i++)
		copied[i] = locations[frames[i]];
}

/* Whether stacks of these locations are plain as well after those that are there; then they are added. */
static bool append_plain(struct perun_pools *pools, uint32_t count, const perun_id *locations)
{
	size_t first = pools->plain ? pools->plain->count : 0;
	bool plain = !pools->tree && pools->pool[PERUN_POOL_STACKS]->count == 0 &&
		     first + count <= MOST_PLAIN;

	for (uint32_t i = 0; plain && i < count; i++)
		plain = locations[i] == first + i;
	if (plain)
		perun_plain_stacks_add(&pools->plain, count);
	return plain;
}

/* Neither has plain ones. */
static bool append_kept(struct perun_pools *pools, struct perun_pools *from,
			const perun_id *locations)
{
	const struct perun_pool *others = from->pool[PERUN_POOL_STACKS];

	if (!pools->tree && !from->tree &&
	    (perun_stacks_are_packed(pools->pool[PERUN_POOL_STACKS]) ||
	     perun_stacks_are_packed(others))) {
		make_packed(pools);
		return perun_packed_stacks_append(&pools->pool[PERUN_POOL_STACKS], others,
						  location_in, (void *)locations);
	}
	if (!pools->tree && !from->tree)
		return perun_pool_append(&pools->pool[PERUN_POOL_STACKS],
					 from->pool[PERUN_POOL_STACKS], copy_stack,
					 (void *)locations);
	if (!pools->tree)
		make_tree(pools, from->tree->from_leaf);
	make_tree(from, pools->tree->from_leaf);
	return perun_stack_tree_append(&pools->tree, from->tree, locations);
}

bool perun_pools_append_stacks(struct perun_pools *pools, const struct perun_pools *from,
			       const perun_id *locations)
{
	struct perun_pools others = {.pool[PERUN_POOL_STACKS] =
					     perun_pool_ref(from->pool[PERUN_POOL_STACKS]),
				     .plain = perun_plain_stacks_ref(from->plain),
				     .tree = perun_stack_tree_ref(from->tree)};
	bool done = from->plain && append_plain(pools, from->plain->count, locations);

	pools->leaves_used = UINT64_MAX; /* not known of these stacks */
	if (!done) {
		keep_plain(pools);
		keep_plain(&others);
		done = append_kept(pools, &others, locations);
	}
	perun_pool_unref(others.pool[PERUN_POOL_STACKS]);
	perun_plain_stacks_unref(others.plain);
	perun_stack_tree_unref(others.tree);
	return done;
}

void perun_pools_move_stacks(struct perun_pools *pools, struct perun_stack_move *move,
			     const perun_id *stacks, size_t count,
			     perun_id (*renumber)(void *data, perun_id location), void *data,
			     perun_id *moved)
{
	keep_plain(pools);
	make_tree(pools, false);
	perun_stack_tree_move(&pools->tree, move, stacks, count, renumber, data, moved);
}

void perun_pools_trust_stacks(struct perun_pools *pools)
{
	pools->pool[PERUN_POOL_STACKS]->checked = pools->pool[PERUN_POOL_STACKS]->count;
	if (pools->tree)
		pools->tree->checked = pools->tree->node_count;
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* Without a branch for each frame: nearly all stacks are good. */
static bool is_good(const struct perun_pool *pool, perun_id id, uint32_t locations)
{
	size_t size;
	const perun_id *stack;
	bool wrong = false;

	if (perun_stacks_are_packed(pool))
		return perun_packed_stack_is_good(pool, id, locations);
	stack = perun_pool_at(pool, id, &size);

	for (size_t i = 0; i < size / sizeof *stack; i++)
		wrong |= stack[i] >= locations;
	return !wrong;
}

/* The first stack of a tree that passes through a location that is not there. */
static perun_id first_wrong(struct perun_stack_tree *tree, uint32_t locations)
{
	perun_stack_tree_forget(tree);
	for (perun_id i = 0; i < tree->count; i++) {
		for (uint32_t node = perun_stack_tree_node(tree, i); node != PERUN_NO_NODE;
		     node = tree->nodes[node].caller) {
			if (tree->nodes[node].location >= locations)
				return i;
		}
	}
	return PERUN_NO_ID;
}

perun_id perun_pools_wrong_stack(struct perun_pools *pools)
{
	uint32_t locations = pools->pool[PERUN_POOL_LOCATIONS]->count;
	struct perun_pool *pool = pools->pool[PERUN_POOL_STACKS];
	struct perun_stack_tree *tree = pools->tree;
	bool wrong = false;

	if (pools->plain)
		return pools->plain->count > locations ? locations : PERUN_NO_ID;
	/* One that is shared was checked: it is left alone. */
	for (; pool->checked < pool->count; pool->checked++) {
		if (!is_good(pool, pool->checked, locations))
			return pool->checked;
	}
	if (!tree || tree->checked == tree->node_count)
		return PERUN_NO_ID;
	for (uint32_t i = tree->checked; i < tree->node_count; i++)
		wrong |= tree->nodes[i].location >= locations;
	tree->checked = tree->node_count;
	return wrong ? first_wrong(tree, locations) : PERUN_NO_ID;
}
