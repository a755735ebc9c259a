/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up of array elements and of texts. */
#include <sys/random.h>

#include "map.h"

uint64_t afperf_seed(void)
{
	uint64_t seed = 0x51AFD6E3C0A9B7F1u;

	/* Without randomness it is a little easier to make a slow file; nothing more. */
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
		seed ^= (uint64_t)(uintptr_t)&seed;
	return seed;
}

static void put(struct afperf_map *map, const void *elements, size_t stride, uint32_t i)
{
	const struct afperf_key *key = afperf_key_at(elements, stride, i);
	uint32_t at = afperf_hash(map, key->first, key->second) & (map->capacity - 1);

	while (map->cells[at] != AFPERF_NONE)
		at = (at + 1) & (map->capacity - 1);
	map->cells[at] = i;
}

/* `next`: the element that is to be added; if all before it are in the map, they are taken in order. */
void afperf_map_grow(struct afperf_map *map, const void *elements, size_t stride, uint32_t next)
{
	uint32_t *old = map->cells, old_capacity = map->capacity;

	if (!map->seed)
		map->seed = afperf_seed() | 1;
	map->capacity = old_capacity ? old_capacity * 2 : 16;
	map->cells = perun_alloc(map->capacity * sizeof *map->cells);
	memset(map->cells, 0xFF, map->capacity * sizeof *map->cells);
	if (map->count == next) {
		for (uint32_t i = 0; i < next; i++)
			put(map, elements, stride, i);
	} else {
		for (uint32_t i = 0; i < old_capacity; i++)
			if (old[i] != AFPERF_NONE)
				put(map, elements, stride, old[i]);
	}
	perun_free(old);
}

/* FNV-1a, eight bytes at a time; the map's seed is mixed in when it is looked up. */
static uint64_t hash_text(const char *data, size_t length)
{
	uint64_t hash = 0xCBF29CE484222325u, word;

	for (; length >= sizeof word; data += sizeof word, length -= sizeof word) {
		memcpy(&word, data, sizeof word);
		hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
		hash ^= hash >> 29;
	}
	word = 0;
	if (length)
		memcpy(&word, data, length);
	hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 31;
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
			texts->count = 1;
			perun_buffer_add_char(&texts->bytes, '\0');
		}
		return 0;
	}
	if (!texts->count)
		afperf_texts_add(texts, "", 0);
	hash = hash_text(data, length);
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
