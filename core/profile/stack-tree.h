/* SPDX-License-Identifier: BSD-3-Clause */
/* Many stacks that begin alike: a tree of their paths. For the files of this folder, and for call graphs. */
#ifndef PERUN_CORE_PROFILE_STACK_TREE_H
#define PERUN_CORE_PROFILE_STACK_TREE_H

#include <stdatomic.h>

#include "core/profile/pool.h"
#include "core/profile/slots.h"

/*
 * A node is a struct perun_stack_path: the path of its caller and one location more. Callers come before what goes on from
 * them. Where stacks were appended from another tree, a path may be there twice. Of a tree from the leaf on, as of stacks whose
 * files list the callers of each leaf, a node goes on from what its location calls, and stacks end with their roots.
 *
 * The stacks of a million samples of bench/pprof-make.c, 18 locations each, take 16 bytes each so, and 90 as arrays. To find out
 * what most of them go on from takes two look-ups, of the whole stack and of all but its leaf; whole stacks that are met again
 * and again are found faster as arrays (bench/stacks.c: 0.8 of the time).
 */
#define PERUN_NO_NODE UINT32_MAX

struct perun_stack_table;
struct perun_stack_block;

/* One that several owners share is immutable, but for the arrays that were handed out. */
struct perun_stack_tree {
	atomic_uint refs;
	bool from_leaf;
	struct perun_stack_path *nodes;
	uint32_t node_count, node_capacity;
	/*
	 * Of a tree whose table was given back; what the table knows of stacks is not here. Use perun_stack_tree_node() and
	 * perun_stack_tree_stack_length().
	 */
	uint32_t *
		ends; /* of each stack: its last node, or PERUN_NO_NODE where it is empty; NULL: stack i ends with node i */
	uint16_t *lengths; /* of each stack, up to PERUN_LONG_STACK */
	uint32_t count, capacity;
	uint32_t checked;                /* nodes before this one are known to hold valid ids */
	struct perun_stack_table *table; /* what only adding needs; NULL when it was given back */
	uint64_t seed;
	/* Stacks as arrays, many at a time, made when the first of them is asked for; NULL until the tree is finished. */
	struct perun_stack_block *_Atomic *blocks;
};

enum { PERUN_LONG_STACK = UINT16_MAX };

/* The last node of a stack that is there. */
static inline uint32_t perun_stack_tree_node(const struct perun_stack_tree *tree, perun_id stack)
{
	return tree->ends ? tree->ends[stack] : stack;
}

/* The locations of a path that is PERUN_LONG_STACK or longer: walks through it. */
uint32_t perun_stack_tree_long(const struct perun_stack_path *nodes, uint32_t node);

/* How many locations a stack that is there has. */
static inline uint32_t perun_stack_tree_stack_length(const struct perun_stack_tree *tree,
						     perun_id stack)
{
	uint32_t length = tree->lengths[stack];

	return length < PERUN_LONG_STACK
		       ? length
		       : perun_stack_tree_long(tree->nodes, perun_stack_tree_node(tree, stack));
}

/* Of the stacks [first, end) of a pool, with numbers from 0 on. */
struct perun_stack_tree *perun_stack_tree_new(const struct perun_pool *pool, uint32_t first,
					      uint32_t end, bool from_leaf);
/* The same stacks from the other end on. */
struct perun_stack_tree *perun_stack_tree_turned(const struct perun_stack_tree *tree);
struct perun_stack_tree *perun_stack_tree_ref(struct perun_stack_tree *tree);
void perun_stack_tree_unref(struct perun_stack_tree *tree);

/* As perun_pool_add_many(); at most this many. */
enum { PERUN_STACKS_AT_ONCE = 32 };
void perun_stack_tree_add(struct perun_stack_tree **tree, struct perun_pool_entry *entries,
			  size_t count);
/*
 * Paths step by step: the node of `location`, after a path of the same tree (PERUN_NO_NODE: after nothing); the locations of
 * a path; the number of the stack that it is. A path keeps its number as long as nothing but paths and stacks is added.
 * PERUN_NO_NODE, PERUN_NO_ID: there are too many.
 */
uint32_t perun_stack_tree_step(struct perun_stack_tree **tree, uint32_t caller, perun_id location);
uint32_t perun_stack_tree_length(const struct perun_stack_tree *tree, uint32_t path);
perun_id perun_stack_tree_end(struct perun_stack_tree **tree, uint32_t path);
/* As perun_pool_append(), of a tree from the same end on, with locations[l] for each location l; false when they are too many. */
bool perun_stack_tree_append(struct perun_stack_tree **tree, const struct perun_stack_tree *from,
			     const perun_id *locations);
/*
 * Stacks of another tree, both from the root on, in any order, each of its nodes once: with renumber(data, l) for each
 * location l, which gives the same whenever it is asked. Their numbers are stored in `moved`, PERUN_NO_ID for one too many. What is known of the other tree
 * meanwhile holds for one tree to which nothing else is appended.
 */
struct perun_stack_move;
struct perun_stack_move *perun_stack_move_new(const struct perun_stack_tree *from);
void perun_stack_move_free(struct perun_stack_move *move);
void perun_stack_tree_move(struct perun_stack_tree **tree, struct perun_stack_move *move,
			   const perun_id *stacks, size_t count,
			   perun_id (*renumber)(void *data, perun_id location), void *data,
			   perun_id *moved);
/* Put another location in the place of each, so that different ones stay different. */
void perun_stack_tree_renumber(struct perun_stack_tree **tree,
			       perun_id (*renumber)(void *data, perun_id location), void *data);
/* Give back what only adding needs: all stacks have their ends then. */
void perun_stack_tree_forget(struct perun_stack_tree *tree);
/* The same, and make room for arrays; of a shared tree that was done before. */
void perun_stack_tree_finish(struct perun_stack_tree *tree);

/* Room for arrays of a tree, which it is finished with; give it and them back. Both in stack-arrays.c, as what follows. */
void perun_stack_arrays_reserve(struct perun_stack_tree *tree);
void perun_stack_arrays_free(struct perun_stack_tree *tree);
/*
 * The locations of a stack of a finished tree, the leaf first; they stay as long as the tree. Any number of threads may ask.
 * NULL when there is no such stack.
 */
const perun_id *perun_stack_tree_at(const struct perun_stack_tree *tree, perun_id stack,
				    size_t *count);
/* Those of many stacks to where there is room for each; none of what is no stack. The places in `to` move. */
void perun_stack_tree_unfold(const struct perun_stack_tree *tree, const perun_id *stacks,
			     size_t count, perun_id *to[]);
/* The location that a stack ends with on the side of the leaf; PERUN_NO_ID when it has none, or is none. */
perun_id perun_stack_tree_leaf(const struct perun_stack_tree *tree, perun_id stack);
/* The stacks of a profile; NULL when they are arrays, or a tree from the leaf on. It stays as long as the profile. */
const struct perun_stack_tree *perun_profile_stack_tree(const struct perun_profile *profile);

#endif
