/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a file as a tree of their frames. */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

enum { FIRST_SLOTS = 1024 };
#define MOST_NODES ((uint32_t)INT32_MAX)

void collapsed_paths_init(struct collapsed_paths *paths)
{
	*paths = (struct collapsed_paths){.texts = perun_builder_new(), .mask = FIRST_SLOTS - 1};
	paths->slots = perun_alloc_zero(FIRST_SLOTS, sizeof *paths->slots);
	PERUN_GROW(paths->nodes, paths->count, paths->capacity);
	paths->nodes[paths->count++] = (struct collapsed_node){.line = COLLAPSED_NO_LINE};
}

void collapsed_paths_clear(struct collapsed_paths *paths)
{
	perun_builder_free(paths->texts);
	perun_free(paths->nodes);
	perun_free(paths->slots);
}

static uint32_t slot_of(const struct collapsed_paths *paths, uint32_t parent, perun_id text)
{
	uint64_t word = ((uint64_t)parent << 32 | text) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(word >> 32) & paths->mask;
}

static void occupy(struct collapsed_paths *paths, uint32_t node)
{
	uint32_t slot = slot_of(paths, paths->nodes[node].parent, paths->nodes[node].text);

	while (paths->slots[slot])
		slot = (slot + 1) & paths->mask;
	paths->slots[slot] = node + 1;
}

/* At most two thirds of the slots are in use. */
static void grow_slots(struct collapsed_paths *paths)
{
	if ((uint64_t)paths->count * 3 < ((uint64_t)paths->mask + 1) * 2)
		return;
	perun_free(paths->slots);
	paths->mask = paths->mask * 2 + 1;
	paths->slots = perun_alloc_zero((size_t)paths->mask + 1, sizeof *paths->slots);
	for (uint32_t node = 1; node < paths->count; node++)
		occupy(paths, node);
}

uint32_t collapsed_paths_add(struct collapsed_paths *paths, uint32_t parent, perun_id text)
{
	for (uint32_t slot = slot_of(paths, parent, text); paths->slots[slot];
	     slot = (slot + 1) & paths->mask) {
		const struct collapsed_node *node = &paths->nodes[paths->slots[slot] - 1];

		if (node->parent == parent && node->text == text)
			return paths->slots[slot] - 1;
	}
	if (paths->count == MOST_NODES)
		return PERUN_NO_ID;
	grow_slots(paths);
	PERUN_GROW(paths->nodes, paths->count, paths->capacity);
	paths->nodes[paths->count] = (struct collapsed_node){parent, text, COLLAPSED_NO_LINE};
	if (text >= paths->text_count)
		paths->text_count = text + 1;
	occupy(paths, paths->count);
	return paths->count++;
}

static const char *text_of(const struct collapsed_paths *paths, uint32_t node, size_t *length)
{
	return perun_builder_string_at(paths->texts, paths->nodes[node].text, length);
}

void collapsed_paths_print(const struct collapsed_paths *paths, uint32_t node,
			   struct perun_buffer *text)
{
	size_t length = 0, size;
	char *end;

	perun_buffer_clear(text);
	for (uint32_t at = node; at; at = paths->nodes[at].parent) {
		text_of(paths, at, &size);
		length += size + (at != node);
	}
	end = perun_buffer_reserve(text, length) + length;
	*end = '\0';
	text->length = length;
	for (uint32_t at = node; at; at = paths->nodes[at].parent) {
		const char *frame = text_of(paths, at, &size);

		if (at != node)
			*--end = ';';
		end -= size;
		memcpy(end, frame, size);
	}
}

/* ---- in the order of their texts ----------------------------------------------------------------- */

/*
 * Of paths that go on from the same one, what follows the text of a frame decides as well: the end of the line comes before
 * everything, `;` after a blank and before a letter. So each text has two places among all: with its end, and with a `;`.
 */
struct key {
	const char *text;
	uint32_t number; /* of the text * 2 + 1 with a `;` */
};

static int compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	const char *x = a->text, *y = b->text;
	unsigned char c, d;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	c = (unsigned char)(*x ? *x : a->number % 2 ? ';' : 0);
	d = (unsigned char)(*y ? *y : b->number % 2 ? ';' : 0);
	return c != d ? (c < d ? -1 : 1) : a->number < b->number ? -1 : a->number > b->number;
}

static uint32_t *rank_keys(const struct collapsed_paths *paths)
{
	size_t count = (size_t)paths->text_count * 2;
	struct key *keys = perun_alloc_zero(count + 1, sizeof *keys);
	uint32_t *ranks = perun_alloc_zero(count + 1, sizeof *ranks);

	for (size_t i = 0; i < count; i++)
		keys[i] =
			(struct key){perun_builder_string_at(paths->texts, (perun_id)(i / 2), NULL),
				     (uint32_t)i};
	qsort(keys, count, sizeof *keys, compare_keys);
	for (size_t i = 0; i < count; i++)
		ranks[keys[i].number] = (uint32_t)i;
	perun_free(keys);
	return ranks;
}

/*
 * What follows a path, in order: a line that ends with a node, or all that goes on from it. An item is the number of the
 * node * 2 + 1 for what goes on.
 */
struct items {
	uint32_t *of;     /* the items */
	uint32_t *starts; /* of each node: the first item that follows it */
	uint32_t count;
};

/* What items are sorted by: the place of the text, or without `ranks` the path that they follow. */
static inline uint32_t number_of(const struct collapsed_paths *paths, const uint32_t *ranks,
				 uint32_t item)
{
	const struct collapsed_node *node = &paths->nodes[item / 2];

	return ranks ? ranks[node->text * 2 + item % 2] : node->parent;
}

/* Sort stably by numbers below `limit`; `starts` becomes where each number begins. */
static uint32_t *sort_items(const struct collapsed_paths *paths, uint32_t *items, uint32_t count,
			    const uint32_t *ranks, size_t limit, uint32_t *starts)
{
	uint32_t *sorted = perun_alloc(((size_t)count + 1) * sizeof *sorted);

	memset(starts, 0, (limit + 1) * sizeof *starts);
	for (uint32_t i = 0; i < count; i++)
		starts[number_of(paths, ranks, items[i]) + 1]++;
	for (size_t i = 0; i < limit; i++)
		starts[i + 1] += starts[i];
	for (uint32_t i = 0; i < count; i++)
		sorted[starts[number_of(paths, ranks, items[i])]++] = items[i];
	for (size_t i = limit; i; i--) /* each start is the end of what began there */
		starts[i] = starts[i - 1];
	starts[0] = 0;
	perun_free(items);
	return sorted;
}

static void find_items(const struct collapsed_paths *paths, struct items *items)
{
	uint64_t *parents = perun_alloc_zero(paths->count / 64 + 1, sizeof *parents);
	uint32_t *ranks = rank_keys(paths), *places;
	size_t texts = (size_t)paths->text_count * 2;

	items->of = perun_alloc(((size_t)paths->count * 2 + 1) * sizeof *items->of);
	for (uint32_t node = 1; node < paths->count; node++)
		parents[paths->nodes[node].parent / 64] |= UINT64_C(1)
							   << paths->nodes[node].parent % 64;
	for (uint32_t node = 1; node < paths->count; node++) {
		if (paths->nodes[node].line != COLLAPSED_NO_LINE)
			items->of[items->count++] = node * 2;
		if (parents[node / 64] >> node % 64 & 1)
			items->of[items->count++] = node * 2 + 1;
	}
	perun_free(parents);
	places = perun_alloc((texts + 1) * sizeof *places);
	items->of = sort_items(paths, items->of, items->count, ranks, texts, places);
	perun_free(places);
	perun_free(ranks);
	items->starts = perun_alloc(((size_t)paths->count + 1) * sizeof *items->starts);
	items->of = sort_items(paths, items->of, items->count, NULL, paths->count, items->starts);
}

/* The next item that follows the path of a node, each once; PERUN_NO_ID when there are no more. */
static uint32_t next_item(const struct collapsed_paths *paths, struct items *items, uint32_t node)
{
	uint32_t at = items->starts[node];

	if (at == items->count || paths->nodes[items->of[at] / 2].parent != node)
		return PERUN_NO_ID;
	items->starts[node]++;
	return items->of[at];
}

int collapsed_paths_walk(const struct collapsed_paths *paths,
			 int (*visit)(void *data, uint32_t line, const char *text), void *data)
{
	struct items items = {0};
	struct perun_buffer text = {0};
	int status = PERUN_OK;
	uint32_t item;

	if (paths->nodes[0].line != COLLAPSED_NO_LINE)
		status = visit(data, paths->nodes[0].line, "");
	find_items(paths, &items);
	for (uint32_t node = 0; !status;) {
		size_t before = text.length, length;
		const char *frame;

		item = next_item(paths, &items, node);
		if (item == PERUN_NO_ID) {
			if (!node)
				break;
			text_of(paths, node, &length);
			text.length -= length + 1;
			node = paths->nodes[node].parent;
			continue;
		}
		frame = text_of(paths, item / 2, &length);
		perun_buffer_add(&text, frame, length);
		if (item % 2) {
			perun_buffer_add_char(&text, ';');
			node = item / 2;
			continue;
		}
		status = visit(data, paths->nodes[item / 2].line, text.data);
		text.length = before;
	}
	perun_buffer_free(&text);
	perun_free(items.of);
	perun_free(items.starts);
	return status;
}
