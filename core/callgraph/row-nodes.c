/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of single rows, each once: of stacks that the profile holds as a tree, path by path. */
#include "core/callgraph/graph.h"
#include "core/profile/stack-tree.h"

/* A node that a path has, and those of its callers: paths share them. */
struct chain {
	uint32_t node, next; /* the number of the next one; NO_NODE: none */
};

/* Of a path of the tree. */
struct path_nodes {
	uint32_t chain; /* its nodes that are wanted, NO_NODE: none */
	uint32_t leaf;  /* its last node, wanted or not; NO_NODE: it has none */
	uint32_t state; /* as perun_callgraph_node_at() has it */
};

struct perun_row_nodes {
	const struct perun_callgraph *graph;
	const uint64_t *wanted;
	const struct perun_stack_tree *tree; /* NULL: stacks are walked one by one */
	struct path_nodes *paths;
	uint64_t *entered; /* of these */
	uint32_t *order;
	size_t order_capacity;
	struct chain *chains;
	size_t chain_count, chain_capacity;
	uint32_t *nodes;
	size_t capacity;
	uint64_t *seen;
};

static bool has(const struct perun_row_nodes *rows, uint32_t chain, uint32_t node)
{
	while (chain != NO_NODE && rows->chains[chain].node != node)
		chain = rows->chains[chain].next;
	return chain != NO_NODE;
}

static void enter_path(struct perun_row_nodes *rows, uint32_t i)
{
	struct perun_frames *frames = (struct perun_frames *)&whole_of(rows->graph)->frames;
	const struct perun_stack_path *path = &rows->tree->nodes[i];
	struct path_nodes at = {NO_NODE, NO_NODE, NO_NODE};
	const uint32_t *list;
	uint32_t count;

	if (path->caller != PERUN_NO_NODE)
		at = rows->paths[path->caller];
	list = perun_frames_of(frames, path->location, &count);
	while (count-- > 0) {
		uint32_t node = perun_callgraph_node_at(rows->graph, list[count], &at.state);

		if (node == NO_NODE)
			continue;
		at.leaf = node;
		if (!perun_bit(rows->wanted, node) || has(rows, at.chain, node))
			continue;
		PERUN_GROW(rows->chains, rows->chain_count, rows->chain_capacity);
		rows->chains[rows->chain_count] = (struct chain){node, at.chain};
		at.chain = (uint32_t)rows->chain_count++;
	}
	rows->paths[i] = at;
	rows->entered[i / 64] |= UINT64_C(1) << i % 64;
}

/* A path after its callers. Those that no row asks for have no frames in the graph. */
static const struct path_nodes *find_path(struct perun_row_nodes *rows, uint32_t leaf)
{
	size_t count = 0;

	for (uint32_t i = leaf; i != PERUN_NO_NODE && !perun_bit(rows->entered, i);
	     i = rows->tree->nodes[i].caller) {
		PERUN_GROW(rows->order, count, rows->order_capacity);
		rows->order[count++] = i;
	}
	while (count > 0)
		enter_path(rows, rows->order[--count]);
	return &rows->paths[leaf];
}

struct perun_row_nodes *perun_row_nodes_new(const struct perun_callgraph *graph,
					    const uint64_t *wanted)
{
	struct perun_row_nodes *rows = perun_alloc_zero(1, sizeof *rows);

	rows->graph = graph;
	rows->wanted = wanted;
	rows->seen = perun_alloc_zero((size_t)graph->count / 64 + 1, sizeof *rows->seen);
	if (!perun_paths_are_kept(graph->stacks))
		return rows;
	rows->tree = perun_profile_stack_tree(graph->stacks->profile);
	rows->paths = perun_alloc(((size_t)rows->tree->node_count + 1) * sizeof *rows->paths);
	rows->entered =
		perun_alloc_zero((size_t)rows->tree->node_count / 64 + 1, sizeof *rows->entered);
	return rows;
}

static void add_node(struct perun_row_nodes *rows, size_t *count, uint32_t node)
{
	PERUN_GROW(rows->nodes, *count, rows->capacity);
	rows->nodes[(*count)++] = node;
}

static size_t walk_chain(struct perun_row_nodes *rows, size_t row, uint32_t *leaf)
{
	perun_id stack;
	size_t first, end, count = 0;
	const struct path_nodes *at;

	if (!perun_stacks_row(rows->graph->stacks, row, &stack, &first, &end) ||
	    !perun_bit(rows->graph->stacks->live, stack) ||
	    perun_stack_tree_node(rows->tree, stack) == PERUN_NO_NODE)
		return 0;
	at = find_path(rows, perun_stack_tree_node(rows->tree, stack));
	*leaf = at->leaf;
	for (uint32_t i = at->chain; i != NO_NODE; i = rows->chains[i].next)
		add_node(rows, &count, rows->chains[i].node);
	return count;
}

/* The distinct ones of the whole path take the place of its first ones. */
static size_t walk_stack(struct perun_row_nodes *rows, size_t row, uint32_t *leaf)
{
	size_t all = perun_callgraph_path(rows->graph, row, rows->nodes, rows->capacity);
	size_t count = 0;

	if (all > rows->capacity) {
		rows->capacity = all * 2;
		rows->nodes = perun_realloc_array(rows->nodes, rows->capacity, sizeof *rows->nodes);
		perun_callgraph_path(rows->graph, row, rows->nodes, rows->capacity);
	}
	if (all)
		*leaf = rows->nodes[0];
	for (size_t i = 0; i < all; i++) {
		uint32_t node = rows->nodes[i];

		if (!perun_bit(rows->wanted, node) || perun_bit(rows->seen, node))
			continue;
		rows->seen[node / 64] |= UINT64_C(1) << node % 64;
		rows->nodes[count++] = node;
	}
	for (size_t i = 0; i < count; i++)
		rows->seen[rows->nodes[i] / 64] = 0;
	return count;
}

const uint32_t *perun_row_nodes_at(struct perun_row_nodes *rows, size_t row, uint32_t *leaf,
				   size_t *count)
{
	*leaf = NO_NODE;
	*count = rows->tree ? walk_chain(rows, row, leaf) : walk_stack(rows, row, leaf);
	return rows->nodes;
}

void perun_row_nodes_free(struct perun_row_nodes *rows)
{
	if (!rows)
		return;
	perun_free(rows->paths);
	perun_free(rows->entered);
	perun_free(rows->order);
	perun_free(rows->chains);
	perun_free(rows->nodes);
	perun_free(rows->seen);
	perun_free(rows);
}
