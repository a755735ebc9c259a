/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of entries: their memory and their order. */
#include <string.h>

#include "core/store/store.h"

#define BLOCK_SIZE 16384

struct perun_text_block {
	struct perun_text_block *next;
	size_t used, size;
	char text[];
};

void perun_entries_start(struct perun_entries *entries)
{
	memset(entries, 0, sizeof *entries);
	entries->memory = perun_alloc_zero(1, sizeof(struct perun_entries_memory));
}

void perun_entries_free(struct perun_entries *entries)
{
	struct perun_entries_memory *memory = entries ? entries->memory : NULL;

	if (!memory)
		return;
	while (memory->blocks) {
		struct perun_text_block *next = memory->blocks->next;

		perun_free(memory->blocks);
		memory->blocks = next;
	}
	perun_free(memory);
	perun_free(entries->items);
	memset(entries, 0, sizeof *entries);
}

const char *perun_entries_text(struct perun_entries *entries, const char *text, size_t length)
{
	struct perun_entries_memory *memory = entries->memory;
	struct perun_text_block *block = memory->blocks;
	char *copy;

	if (length == 0)
		return "";
	if (!block || block->size - block->used <= length) {
		size_t size = length < BLOCK_SIZE ? BLOCK_SIZE : length + 1;

		block = perun_alloc(sizeof *block + size);
		block->next = memory->blocks;
		block->used = 0;
		block->size = size;
		memory->blocks = block;
	}
	copy = block->text + block->used;
	memcpy(copy, text, length);
	copy[length] = '\0';
	block->used += length + 1;
	return copy;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

void perun_entries_append(struct perun_entries *entries, const struct perun_entry *entry)
{
	struct perun_entries_memory *memory = entries->memory;
	struct perun_entry *copy;

	PERUN_GROW(entries->items, entries->count, memory->capacity);
	copy = &entries->items[entries->count++];
	entries->stride = sizeof *entries->items;
	*copy = *entry;
	copy->struct_size = sizeof *copy;
	copy->path = or_empty(entry->path);
	copy->type = or_empty(entry->type);
	copy->cmd = or_empty(entry->cmd);
	copy->args = or_empty(entry->args);
	copy->workload = or_empty(entry->workload);
	copy->collector = or_empty(entry->collector);
	copy->postprocessors = or_empty(entry->postprocessors);
	copy->labels = or_empty(entry->labels);
}

/* Before the first with a greater name, or the same name and no smaller time. */
size_t perun_entries_place(const struct perun_entries *entries, const struct perun_entry *entry,
			   bool *there)
{
	size_t place = entries->count;

	*there = false;
	for (size_t i = 0; i < entries->count; i++) {
		int order = strcmp(entries->items[i].path, entry->path);

		if (order == 0 && entries->items[i].time == entry->time)
			*there = true;
		if (place == entries->count &&
		    (order > 0 || (order == 0 && entries->items[i].time >= entry->time)))
			place = i;
	}
	return place;
}
