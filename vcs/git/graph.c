/* SPDX-License-Identifier: BSD-3-Clause */
/* The commits met on a walk: a table by id, and a queue by date. */
#include <string.h>

#include <perun/lib/hash.h>

#include "gitvcs.h"

#define BLOCK_SIZE ((size_t)1 << 18)

struct gitvcs_block {
	struct gitvcs_block *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

void gitvcs_graph_init(struct gitvcs_graph *graph, struct gitvcs *vcs, bool keeps)
{
	*graph = (struct gitvcs_graph){.vcs = vcs, .keeps = keeps, .table_size = 1024};
	graph->table = perun_alloc_zero(graph->table_size, sizeof(*graph->table));
}

void gitvcs_graph_free(struct gitvcs_graph *graph)
{
	for (size_t i = 0; i < graph->queue_count; i++)
		gitvcs_commit_free(&graph->queue[i]->commit);
	while (graph->blocks) {
		struct gitvcs_block *next = graph->blocks->next;

		perun_free(graph->blocks);
		graph->blocks = next;
	}
	perun_free(graph->table);
	perun_free(graph->queue);
}

static void *graph_alloc(struct gitvcs_graph *graph, size_t size)
{
	struct gitvcs_block *block = graph->blocks;
	void *memory;

	size = (size + 15) & ~(size_t)15;
	if (!block || block->size - block->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		block = perun_alloc(sizeof(*block) + room);
		block->next = graph->blocks;
		block->used = 0;
		block->size = room;
		graph->blocks = block;
	}
	memory = block->bytes + block->used;
	block->used += size;
	return memory;
}

/* Ids are evenly spread, but some can be looked for that begin alike. The slot of `id`, or the empty one where it belongs. */
static struct gitvcs_node **find_slot(struct gitvcs_node **table, size_t size, const git_oid *id)
{
	uint64_t hash;
	size_t i;

	memcpy(&hash, id->id, sizeof(hash));
	for (i = perun_hash_number(hash) & (size - 1); table[i]; i = (i + 1) & (size - 1))
		if (git_oid_equal(&table[i]->id, id))
			break;
	return &table[i];
}

static void grow_table(struct gitvcs_graph *graph)
{
	size_t size = graph->table_size * 2;
	struct gitvcs_node **table = perun_alloc_zero(size, sizeof(*table));

	for (size_t i = 0; i < graph->table_size; i++)
		if (graph->table[i])
			*find_slot(table, size, &graph->table[i]->id) = graph->table[i];
	perun_free(graph->table);
	graph->table = table;
	graph->table_size = size;
}

struct gitvcs_node *gitvcs_graph_node(struct gitvcs_graph *graph, const git_oid *id)
{
	struct gitvcs_node **slot = find_slot(graph->table, graph->table_size, id), *node;

	if (*slot)
		return *slot;
	node = graph_alloc(graph, sizeof(*node));
	memset(node, 0, sizeof(*node));
	git_oid_cpy(&node->id, id);
	*slot = node;
	if (++graph->count * 2 > graph->table_size)
		grow_table(graph);
	return node;
}

int gitvcs_graph_parse(struct gitvcs_graph *graph, struct perun_ctx *ctx, struct gitvcs_node *node)
{
	int status;

	if (node->marks & GITVCS_PARSED)
		return PERUN_OK;
	status = gitvcs_commit_read(graph->vcs, ctx, &node->id, &node->commit);
	if (status != PERUN_OK)
		return status;
	node->marks |= GITVCS_PARSED;
	node->date = node->commit.date;
	node->parent_count = (uint32_t)node->commit.parent_count;
	node->parents = graph_alloc(graph, node->parent_count * sizeof(*node->parents));
	for (size_t i = 0; i < node->parent_count; i++) {
		git_oid id;

		gitvcs_commit_parent(&node->commit, i, &id);
		node->parents[i] = gitvcs_graph_node(graph, &id);
	}
	if (!graph->keeps)
		gitvcs_commit_free(&node->commit);
	return PERUN_OK;
}

/* Whether `one` leaves the queue before `other`: younger, or as young and in it for longer. */
static bool comes_first(const struct gitvcs_node *one, const struct gitvcs_node *other)
{
	if (one->date != other->date)
		return one->date > other->date;
	return one->sequence < other->sequence;
}

/* The queue is a binary heap. */
void gitvcs_graph_push(struct gitvcs_graph *graph, struct gitvcs_node *node)
{
	size_t i = graph->queue_count;

	PERUN_GROW(graph->queue, graph->queue_count, graph->queue_capacity);
	graph->queue_count++;
	node->marks |= GITVCS_QUEUED;
	node->sequence = graph->sequence++;
	while (i && comes_first(node, graph->queue[(i - 1) / 2])) {
		graph->queue[i] = graph->queue[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	graph->queue[i] = node;
}

struct gitvcs_node *gitvcs_graph_pop(struct gitvcs_graph *graph)
{
	struct gitvcs_node *first, *last;
	size_t i = 0, count;

	if (!graph->queue_count)
		return NULL;
	first = graph->queue[0];
	count = --graph->queue_count;
	last = graph->queue[count];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < count && comes_first(graph->queue[child + 1], graph->queue[child]))
			child++;
		if (child >= count || !comes_first(graph->queue[child], last))
			break;
		graph->queue[i] = graph->queue[child];
		i = child;
	}
	graph->queue[i] = last;
	first->marks &= ~(uint32_t)GITVCS_QUEUED;
	return first;
}
