/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up of array elements by a key of two numbers that they hold themselves. */
#ifndef AFPERF_MAP_H
#define AFPERF_MAP_H

#include <string.h>

#include <perun/context.h>

#define AFPERF_NONE UINT32_MAX

/* The first member of each element that is looked up; a third of it would be padding. */
struct __attribute__((packed, aligned(4))) afperf_key {
	uint64_t first;
	uint32_t second;
};

/* Open addressing; cells hold indexes into the array, which the caller keeps, and hashes of keys. */
struct afperf_cell_of_map {
	uint32_t index, hash;
};
struct afperf_map {
	struct afperf_cell_of_map *cells;
	uint32_t capacity, count; /* a power of two, or 0 */
	uint64_t seed;            /* of the process: keys come from files */
};

void afperf_map_grow(struct afperf_map *map);

/* Ids are often counted up: sixteen in a row share a line of the cache. */
static inline uint32_t afperf_hash(const struct afperf_map *map, uint64_t first, uint32_t second)
{
	uint64_t hash = (first >> 4 ^ map->seed) * 0x9E3779B97F4A7C15u;

	hash ^= hash >> 32;
	hash = (hash + second) * 0xD6E8FEB86659FD93u;
	return (uint32_t)(hash >> 32) + (uint32_t)(first & 15);
}

static inline const struct afperf_key *afperf_key_at(const void *elements, size_t stride,
						     uint32_t i)
{
	return (const struct afperf_key *)(const void *)((const char *)elements + i * stride);
}

/* The index of the element with the key, or AFPERF_NONE. */
static inline uint32_t afperf_map_find(const struct afperf_map *map, const void *elements,
				       size_t stride, uint64_t first, uint32_t second)
{
	uint32_t hash, at;

	if (!map->count)
		return AFPERF_NONE;
	hash = afperf_hash(map, first, second);
	at = hash & (map->capacity - 1);
	for (; map->cells[at].index != AFPERF_NONE; at = (at + 1) & (map->capacity - 1)) {
		const struct afperf_key *key;

		if (map->cells[at].hash != hash)
			continue;
		key = afperf_key_at(elements, stride, map->cells[at].index);
		if (key->first == first && key->second == second)
			return map->cells[at].index;
	}
	return AFPERF_NONE;
}

/* Add element `i`, whose key is not in the map; the array holds it already. */
static inline void afperf_map_add(struct afperf_map *map, const void *elements, size_t stride,
				  uint32_t i)
{
	const struct afperf_key *key = afperf_key_at(elements, stride, i);
	uint32_t hash, at;

	if (map->count >= map->capacity - map->capacity / 3)
		afperf_map_grow(map);
	hash = afperf_hash(map, key->first, key->second);
	at = hash & (map->capacity - 1);
	while (map->cells[at].index != AFPERF_NONE)
		at = (at + 1) & (map->capacity - 1);
	map->cells[at] = (struct afperf_cell_of_map){i, hash};
	map->count++;
}

static inline void afperf_map_free(struct afperf_map *map)
{
	perun_free(map->cells);
	memset(map, 0, sizeof *map);
}

/* ---- texts ------------------------------------------------------------------------------------------ */

/* Texts that occur often, each kept once; id 0 is "". */
struct afperf_text_entry {
	struct afperf_key key; /* hash and length */
	uint32_t next;         /* another text of the same hash and length */
	uint64_t offset;
};
struct afperf_texts {
	struct afperf_text_entry *entries;
	uint32_t count, capacity;
	struct afperf_map map;
	struct perun_buffer bytes;
};

uint32_t afperf_texts_add(struct afperf_texts *texts, const char *data, size_t length);
/* NUL-terminated; valid until the next text is added. */
static inline const char *afperf_texts_at(const struct afperf_texts *texts, uint32_t id,
					  size_t *length)
{
	if (length)
		*length = texts->entries[id].key.second;
	return texts->bytes.data + texts->entries[id].offset;
}
void afperf_texts_free(struct afperf_texts *texts);

#endif
