/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths of stacks that the profile holds as a tree: those that live stacks pass, in their order. */
#include <string.h>

#include "core/callgraph/paths.h"
#include "core/context/context.h"
#include "core/profile/stack-tree.h"

struct taking {
	const struct perun_stacks *stacks;
	const struct perun_stack_tree *tree;
	struct perun_paths *paths;
	uint32_t *order;  /* the nodes as stacks meet them; NULL: all, as they are numbered */
	uint32_t *places; /* of each node: that of its path, until then whether it was met */
	uint32_t *next; /* of each node: how many paths begin so, later the place of the next one */
	uint64_t *known; /* locations */
	size_t capacity; /* of the paths' locations */
	uint32_t deepest;
};

static inline uint32_t node_at(const struct taking *t, uint32_t i)
{
	return t->order ? t->order[i] : i;
}

static void note_location(struct taking *t, perun_id location)
{
	if (perun_bit(t->known, location))
		return;
	t->known[location / 64] |= UINT64_C(1) << location % 64;
	PERUN_GROW(t->paths->locations, t->paths->location_count, t->capacity);
	t->paths->locations[t->paths->location_count++] = location;
}

/* ---- which paths, in which order ----------------------------------------------------------------- */

static bool are_all_live(const struct perun_stacks *stacks)
{
	size_t live = 0;

	for (size_t i = 0; i < (stacks->stack_count + 63) / 64; i++)
		live += (size_t)__builtin_popcountll(stacks->live[i]);
	return live == stacks->stack_count;
}

/* The paths of a stack that are new, from the root on: those below a known one. */
static void meet(struct taking *t, uint32_t leaf)
{
	uint32_t first = t->paths->count, end = first;

	for (uint32_t node = leaf; node != PERUN_NO_NODE && !t->places[node];
	     node = t->tree->nodes[node].caller) {
		t->order[end++] = node;
		t->places[node] = 1;
	}
	for (uint32_t a = first, b = end; a + 1 < b; a++) {
		uint32_t node = t->order[a];

		t->order[a] = t->order[--b];
		t->order[b] = node;
	}
	t->paths->count = end;
}

/* Nodes have their numbers in the order in which all stacks meet them. */
static void choose_order(struct taking *t)
{
	const struct perun_stacks *stacks = t->stacks;

	if (are_all_live(stacks)) {
		t->paths->count = t->tree->node_count;
		return;
	}
	t->order = perun_alloc_large(((size_t)t->tree->node_count + 1) * sizeof *t->order);
	for (size_t i = 0; i < stacks->stack_count; i++) {
		if (perun_bit(stacks->live, i))
			meet(t, perun_stack_tree_node(t->tree, i));
	}
}

/* ---- the paths ----------------------------------------------------------------------------------- */

/* Parents come before what goes on from them. */
static void count_paths(struct taking *t)
{
	t->next = perun_alloc_large_zero((size_t)t->tree->node_count + 1, sizeof *t->next);
	for (uint32_t i = t->paths->count; i-- > 0;) {
		uint32_t node = node_at(t, i), parent = t->tree->nodes[node].caller;

		t->next[node]++;
		if (parent != PERUN_NO_NODE)
			t->next[parent] += t->next[node];
	}
}

/* Paths get their place as soon as the place of the one before them is known. */
static void put_in_order(struct taking *t)
{
	struct perun_path *items;
	uint32_t root = 0;

	items = t->paths->items = perun_alloc_large(((size_t)t->paths->count + 1) * sizeof *items);
	for (uint32_t i = 0; i < t->paths->count; i++) {
		uint32_t node = node_at(t, i), *next = &root, depth = 0, at;
		const struct perun_stack_path *path = &t->tree->nodes[node];

		if (path->caller != PERUN_NO_NODE) {
			next = &t->next[path->caller];
			depth = items[t->places[path->caller]].depth + 1;
		}
		at = *next;
		*next += t->next[node];
		t->next[node] = at + 1;
		t->places[node] = at;
		items[at] = (struct perun_path){depth, i, path->location};
		if (depth > t->deepest)
			t->deepest = depth;
		note_location(t, path->location);
	}
}

/* From the sums of the stacks that end with a path to those of all that begin with it; `below`: by depth, zero. */
static void add_below(struct perun_paths *paths, int64_t *below, size_t weights)
{
	for (uint32_t i = paths->count; i-- > 0;) {
		size_t depth = paths->items[i].depth;
		int64_t *sums = paths->sums + i * weights, *own = below + (depth + 1) * weights;

		perun_add_weights(sums, own, weights);
		memset(own, 0, weights * sizeof *own);
		perun_add_weights(below + depth * weights, sums, weights);
	}
}

static void add_up(struct taking *t)
{
	const struct perun_stacks *stacks = t->stacks;
	size_t weights = stacks->weights;
	int64_t *sums, *below;

	sums = t->paths->sums = perun_alloc_large_zero(t->paths->count * weights + 1, sizeof *sums);
	for (size_t i = 0; i < stacks->stack_count; i++) {
		if (perun_bit(stacks->live, i) &&
		    perun_stack_tree_node(t->tree, i) != PERUN_NO_NODE)
			perun_add_weights(sums + t->places[perun_stack_tree_node(t->tree, i)] *
							  weights,
					  stacks->sums + i * weights, weights);
	}
	below = perun_alloc_zero(((size_t)t->deepest + 2) * weights, sizeof *below);
	add_below(t->paths, below, weights);
	perun_free(below);
}

bool perun_paths_are_kept(const struct perun_stacks *stacks)
{
	return !stacks->cuts && perun_profile_stack_tree(stacks->profile);
}

void perun_paths_take_kept(struct perun_paths *paths, const struct perun_stacks *stacks)
{
	struct taking t = {.stacks = stacks, .paths = paths};

	*paths = (struct perun_paths){.end = stacks->stack_count};
	t.tree = perun_profile_stack_tree(stacks->profile);
	t.places = perun_alloc_large_zero((size_t)t.tree->node_count + 1, sizeof *t.places);
	t.known = perun_alloc_zero(stacks->location_count / 64 + 1, sizeof *t.known);
	choose_order(&t);
	count_paths(&t);
	put_in_order(&t);
	perun_free(t.next);
	add_up(&t);
	perun_free(t.known);
	perun_free(t.places);
	perun_free(t.order);
}
