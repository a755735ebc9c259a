/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up of array elements and of texts. */
#include <sys/random.h>

#include "map.h"

static uint64_t afperf_seed(void)
{
	uint64_t seed = 0x51AFD6E3C0A9B7F1u;

	/* Without randomness it is a little easier to make a slow file; nothing more. */
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
		seed ^= (uint64_t)(uintptr_t)&seed;
	return seed;
}

/* Cells move to one of two places in the new array, in the order of both: it is gone through once. */
void afperf_map_grow(struct afperf_map *map)
{
	struct afperf_cell_of_map *old = map->cells;
	uint32_t old_capacity = map->capacity;

	if (!map->seed)
		map->seed = afperf_seed() | 1;
	map->capacity = old_capacity ? old_capacity * 2 : 16;
	map->cells = perun_alloc(map->capacity * sizeof *map->cells);
	memset(map->cells, 0xFF, map->capacity * sizeof *map->cells);
	for (uint32_t i = 0; i < old_capacity; i++) {
		uint32_t at = old[i].hash & (map->capacity - 1);

		if (old[i].index == AFPERF_NONE)
			continue;
		while (map->cells[at].index != AFPERF_NONE)
			at = (at + 1) & (map->capacity - 1);
		map->cells[at] = old[i];
	}
	perun_free(old);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 29;
}

/* Eight bytes at a time, the last eight once more. */
static uint64_t hash_text(uint64_t seed, const char *data, size_t length)
{
	uint64_t hash = seed ^ length, word = 0;

	if (length < sizeof word) {
		for (size_t i = 0; i < length; i++)
			word = word << 8 | (unsigned char)data[i];
		return mix(hash, word);
	}
	for (size_t i = 0; i + sizeof word < length; i += sizeof word) {
		memcpy(&word, data + i, sizeof word);
		hash = mix(hash, word);
	}
	memcpy(&word, data + length - sizeof word, sizeof word);
	return mix(hash, word);
}

uint32_t afperf_texts_add(struct afperf_texts *texts, const char *data, size_t length)
{
	uint64_t hash;
	uint32_t first, i;
	struct afperf_text_entry *entry;

	if (!length) {
		if (!texts->count) {
			texts->entries = perun_alloc_zero(8, sizeof *texts->entries);
			texts->capacity = 8;
			texts->map.seed = afperf_seed() | 1;
			texts->count = 1;
			perun_buffer_add_char(&texts->bytes, '\0');
		}
		return 0;
	}
	if (!texts->count)
		afperf_texts_add(texts, "", 0);
	hash = hash_text(texts->map.seed, data, length);
	first = afperf_map_find(&texts->map, texts->entries, sizeof *texts->entries, hash,
				(uint32_t)length);
	for (i = first; i != AFPERF_NONE; i = texts->entries[i].next)
		if (memcmp(texts->bytes.data + texts->entries[i].offset, data, length) == 0)
			return i;
	PERUN_GROW(texts->entries, texts->count, texts->capacity);
	i = texts->count++;
	entry = &texts->entries[i];
	*entry = (struct afperf_text_entry){
		{hash, (uint32_t)length}, AFPERF_NONE, texts->bytes.length};
	perun_buffer_add(&texts->bytes, data, length);
	perun_buffer_add_char(&texts->bytes, '\0');
	if (first == AFPERF_NONE) {
		afperf_map_add(&texts->map, texts->entries, sizeof *texts->entries, i);
	} else {
		entry->next = texts->entries[first].next;
		texts->entries[first].next = i;
	}
	return i;
}

void afperf_texts_free(struct afperf_texts *texts)
{
	perun_free(texts->entries);
	afperf_map_free(&texts->map);
	perun_buffer_free(&texts->bytes);
	memset(texts, 0, sizeof *texts);
}
