/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark: a million stacks kept as sequences (what the model does) and as a tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "core/context/hash.h"
#include "perun/profile.h"

/*
 * usage: bench/stacks [SAMPLES [NODES [DEPTH]]]
 *
 * The samples are paths of a random call tree of NODES nodes (default 200,000; about half of them are
 * hit by a million samples) with a mean depth of about DEPTH. Both designs intern all of them, then
 * every frame of every sample is read once, as flat and cumulative values do.
 */
/* ---- the call tree and its samples ------------------------------------------------------------ */

struct call {
	uint32_t parent, location, depth;
};

enum { DEEPEST = 512, LOCATIONS = 20000 };

static struct call *make_calls(uint32_t count, uint32_t depth)
{
	struct call *calls = perun_alloc(count * sizeof *calls);

	calls[0] = (struct call){UINT32_MAX, 0, 1};
	for (uint32_t i = 1; i < count; i++) {
		/* Trying several parents and taking the deepest that is not too deep makes long stacks. */
		uint32_t parent = random_below(i);

		for (int k = 0; k < 6; k++) {
			uint32_t other = random_below(i);

			if (calls[other].depth > calls[parent].depth &&
			    calls[other].depth < depth + depth / 2)
				parent = other;
		}
		calls[i] = (struct call){parent, random_below(LOCATIONS), calls[parent].depth + 1};
	}
	return calls;
}

static size_t path(const struct call *calls, uint32_t node, perun_id *stack)
{
	size_t count = 0;

	for (; node != UINT32_MAX && count < DEEPEST; node = calls[node].parent)
		stack[count++] = calls[node].location;
	return count;
}

/* ---- a tree ----------------------------------------------------------------------------------- */

struct node {
	uint32_t parent, location;
};

struct tree {
	struct node *nodes;
	uint32_t count, capacity, *slots, mask;
};

static void tree_grow(struct tree *tree)
{
	size_t slots = tree->slots ? ((size_t)tree->mask + 1) * 2 : 1024;

	perun_free(tree->slots);
	tree->slots = perun_alloc_zero(slots, sizeof *tree->slots);
	tree->mask = (uint32_t)slots - 1;
	for (uint32_t i = 0; i < tree->count; i++) {
		uint64_t key;
		uint32_t slot;

		memcpy(&key, &tree->nodes[i], sizeof key);
		slot = (uint32_t)perun_hash_word(key, 1) & tree->mask;
		while (tree->slots[slot])
			slot = (slot + 1) & tree->mask;
		tree->slots[slot] = i + 1;
	}
}

static uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t location)
{
	struct node node = {parent, location};
	uint64_t key;
	uint32_t slot;

	memcpy(&key, &node, sizeof key);
	if (((size_t)tree->count + 1) * 3 > ((size_t)tree->mask + 1) * 2 || !tree->slots)
		tree_grow(tree);
	slot = (uint32_t)perun_hash_word(key, 1) & tree->mask;
	for (; tree->slots[slot]; slot = (slot + 1) & tree->mask) {
		if (memcmp(&tree->nodes[tree->slots[slot] - 1], &node, sizeof node) == 0)
			return tree->slots[slot] - 1;
	}
	PERUN_GROW(tree->nodes, tree->count, tree->capacity);
	tree->nodes[tree->count++] = node;
	tree->slots[slot] = tree->count;
	return tree->count - 1;
}

static void run_tree(const struct call *calls, const uint32_t *samples, size_t count)
{
	struct tree tree = {0};
	uint32_t *ids = perun_alloc(count * sizeof *ids), stack[DEEPEST];
	uint64_t *sums = perun_alloc_zero(LOCATIONS, sizeof *sums), frames = 0;
	double start = now(), built;

	for (size_t i = 0; i < count; i++) {
		uint32_t node = UINT32_MAX;

		for (size_t k = path(calls, samples[i], stack); k-- > 0;)
			node = tree_child(&tree, node, stack[k]);
		ids[i] = node;
	}
	built = now();
	for (size_t i = 0; i < count; i++) {
		for (uint32_t node = ids[i]; node != UINT32_MAX; node = tree.nodes[node].parent) {
			sums[tree.nodes[node].location] += i;
			frames++;
		}
	}
	printf("tree       interned in %.3f s, read in %.3f s, %.1f MB, %u nodes, %.1f frames "
	       "each\n",
	       built - start, now() - built,
	       ((double)tree.capacity * sizeof *tree.nodes + 4.0 * tree.mask) / 1e6, tree.count,
	       (double)frames / (double)count);
	perun_free(tree.nodes);
	perun_free(tree.slots);
	perun_free(ids);
	perun_free(sums);
}

/* ---- sequences -------------------------------------------------------------------------------- */

static void run_sequences(const struct call *calls, const uint32_t *samples, size_t count)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile;
	uint32_t *ids = perun_alloc(count * sizeof *ids), stack[DEEPEST];
	uint64_t *sums = perun_alloc_zero(LOCATIONS, sizeof *sums), held = 0;
	double start, built;
	size_t n;

	for (uint32_t i = 0; i < LOCATIONS; i++)
		perun_builder_location(
			builder, &(struct perun_location){.mapping = PERUN_NO_ID, .address = i});
	start = now();
	for (size_t i = 0; i < count; i++)
		ids[i] = perun_builder_stack(builder, stack, path(calls, samples[i], stack));
	built = now();
	if (perun_builder_finish(NULL, builder, &profile) != PERUN_OK)
		exit(1);
	start += now() - built; /* finishing is not part of it */
	built = now();
	for (size_t i = 0; i < count; i++) {
		const perun_id *locations = perun_profile_stack(profile, ids[i], &n);

		for (size_t k = 0; k < n; k++)
			sums[locations[k]] += i;
	}
	n = perun_profile_stacks(profile);
	for (uint32_t i = 0; i < n; i++) {
		size_t depth;

		perun_profile_stack(profile, i, &depth);
		held += (depth + 1) / 2 * 8 + 16; /* the sequence and its item */
	}
	printf("sequences  interned in %.3f s, read in %.3f s, %.1f MB, %zu stacks\n",
	       built - start, now() - built, (double)(held + n * 6) / 1e6, n);
	perun_profile_unref(profile);
	perun_free(ids);
	perun_free(sums);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint32_t nodes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 200000;
	uint32_t depth = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 20;
	struct call *calls = make_calls(nodes, depth);
	uint32_t *samples = perun_alloc(count * sizeof *samples);

	for (size_t i = 0; i < count; i++) /* some are hot */
		samples[i] = random_below(4) ? random_below(nodes) : random_below(nodes / 1000 + 1);
	run_sequences(calls, samples, count);
	run_tree(calls, samples, count);
	perun_free(calls);
	perun_free(samples);
	return 0;
}
