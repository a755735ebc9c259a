/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of a tree as arrays: many at a time, made when the first of them is asked for. */
#include <string.h>

#include "core/context/context.h"
#include "core/profile/stack-tree.h"

/* Stacks that become arrays together, and that are followed together. */
enum { BLOCK = 256, AT_ONCE = 32 };

struct perun_stack_block {
	size_t starts[BLOCK + 1];
	perun_id locations[];
};

void perun_stack_arrays_reserve(struct perun_stack_tree *tree)
{
	tree->blocks = perun_alloc_zero((size_t)tree->count / BLOCK + 1, sizeof *tree->blocks);
}

void perun_stack_arrays_free(struct perun_stack_tree *tree)
{
	for (uint32_t i = 0; tree->blocks && i <= tree->count / BLOCK; i++)
		perun_free(atomic_load_explicit(&tree->blocks[i], memory_order_relaxed));
	perun_free(tree->blocks);
	tree->blocks = NULL;
}

/*
 * Some stacks to where they belong, step by step all of them: to follow one alone is to wait for memory. `to`: where each begins;
 * of a tree from the leaf on, where it ends.
 */
static void unfold_some(const struct perun_stack_tree *tree, uint32_t *nodes, perun_id **to,
			uint32_t count)
{
	const bool from_leaf = tree->from_leaf;

	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < count; i++) {
			if (nodes[i] == PERUN_NO_NODE)
				continue;
			to[i] -= from_leaf;
			*to[i] = tree->nodes[nodes[i]].location;
			to[i] += !from_leaf;
			nodes[i] = tree->nodes[nodes[i]].caller;
			more = true;
		}
	}
}

static void unfold_range(const struct perun_stack_tree *tree, struct perun_stack_block *block,
			 uint32_t first, uint32_t from, uint32_t count)
{
	uint32_t nodes[AT_ONCE];
	perun_id *to[AT_ONCE];

	for (uint32_t i = 0; i < count; i++) {
		nodes[i] = perun_stack_tree_node(tree, first + from + i);
		to[i] = block->locations + block->starts[from + i + tree->from_leaf];
	}
	unfold_some(tree, nodes, to, count);
}

static struct perun_stack_block *unfold(const struct perun_stack_tree *tree, uint32_t number)
{
	uint32_t first = number * BLOCK, count = tree->count - first;
	struct perun_stack_block *block;
	size_t starts[BLOCK + 1] = {0};

	if (count > BLOCK)
		count = BLOCK;
	for (uint32_t i = 0; i < count; i++)
		starts[i + 1] = starts[i] + perun_stack_tree_stack_length(tree, first + i);
	block = perun_alloc(sizeof *block + starts[count] * sizeof *block->locations);
	memcpy(block->starts, starts, sizeof starts);
	for (uint32_t i = 0; i < count; i += AT_ONCE)
		unfold_range(tree, block, first, i, count - i < AT_ONCE ? count - i : AT_ONCE);
	return block;
}

/* The first of several threads that make a block keeps it. */
static struct perun_stack_block *make_block(const struct perun_stack_tree *tree, uint32_t number)
{
	struct perun_stack_block *block = unfold(tree, number), *other = NULL;

	if (atomic_compare_exchange_strong_explicit(&tree->blocks[number], &other, block,
						    memory_order_acq_rel, memory_order_acquire))
		return block;
	perun_free(block);
	return other;
}

const perun_id *perun_stack_tree_at(const struct perun_stack_tree *tree, perun_id stack,
				    size_t *count)
{
	struct perun_stack_block *block;
	uint32_t i = stack % BLOCK;

	*count = 0;
	if (stack >= tree->count)
		return NULL;
	block = atomic_load_explicit(&tree->blocks[stack / BLOCK], memory_order_acquire);
	if (!block)
		block = make_block(tree, stack / BLOCK);
	*count = block->starts[i + 1] - block->starts[i];
	return block->locations + block->starts[i];
}

void perun_stack_tree_unfold(const struct perun_stack_tree *tree, const perun_id *stacks,
			     size_t count, perun_id *to[])
{
	uint32_t nodes[AT_ONCE];

	for (size_t i = 0; i < count; i += AT_ONCE) {
		size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;

		for (size_t k = 0; k < some; k++) {
			bool is_there = stacks[i + k] < tree->count;

			nodes[k] = is_there ? perun_stack_tree_node(tree, stacks[i + k])
					    : PERUN_NO_NODE;
			if (is_there && tree->from_leaf)
				to[i + k] += perun_stack_tree_stack_length(tree, stacks[i + k]);
		}
		unfold_some(tree, nodes, to + i, (uint32_t)some);
	}
}

perun_id perun_stack_tree_leaf(const struct perun_stack_tree *tree, perun_id stack)
{
	uint32_t node = stack < tree->count ? perun_stack_tree_node(tree, stack) : PERUN_NO_NODE;

	if (node == PERUN_NO_NODE)
		return PERUN_NO_ID;
	while (tree->from_leaf && tree->nodes[node].caller != PERUN_NO_NODE)
		node = tree->nodes[node].caller;
	return tree->nodes[node].location;
}
