/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from 64-bit numbers to 32-bit numbers: open addressing, at most half full. */
#include <string.h>

#include <perun/lib/hash.h>

#include "map.h"

void perunjson_map_free(struct map *map)
{
	perun_free(map->keys);
	perun_free(map->values);
	*map = (struct map){0};
}

/* Keys are numbers that things got one after the other: those that follow each other are beside each other. */
enum { BESIDE = 4 }; /* bits */

/* The place of a key, or the free one where it would go. */
static size_t find(const struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1, i = (size_t)perun_hash_number(key >> BESIDE) << BESIDE;

	i = (i | (key & ((1 << BESIDE) - 1))) & mask;

	while (map->values[i] != MAP_NONE && map->keys[i] != key)
		i = (i + 1) & mask;
	return i;
}

uint32_t perunjson_map_get(const struct map *map, uint64_t key)
{
	return map->capacity ? map->values[find(map, key)] : MAP_NONE;
}

static void grow(struct map *map)
{
	struct map old = *map;
	size_t i, to;

	map->capacity = old.capacity ? old.capacity * 2 : 16;
	map->keys = perun_alloc_zero(map->capacity, sizeof *map->keys);
	map->values = perun_alloc_zero(map->capacity, sizeof *map->values);
	memset(map->values, 0xff, map->capacity * sizeof *map->values);
	for (i = 0; i < old.capacity; i++) {
		if (old.values[i] == MAP_NONE)
			continue;
		to = find(map, old.keys[i]);
		map->keys[to] = old.keys[i];
		map->values[to] = old.values[i];
	}
	perun_free(old.keys);
	perun_free(old.values);
}

void perunjson_map_set(struct map *map, uint64_t key, uint32_t value)
{
	size_t i;

	if ((map->count + 1) * 2 > map->capacity)
		grow(map);
	i = find(map, key);
	map->count += map->values[i] == MAP_NONE;
	map->keys[i] = key;
	map->values[i] = value;
}

/* ---- of numbers that were given one after the other ------------------------------------------- */

enum { PAGE = 1024 };

void perunjson_ids_free(struct id_map *map)
{
	for (size_t i = 0; i < map->page_count; i++)
		perun_free(map->pages[i]);
	perun_free(map->pages);
	*map = (struct id_map){0};
}

uint32_t perunjson_ids_get(const struct id_map *map, uint32_t id)
{
	const size_t page = id / PAGE;

	return page < map->page_count && map->pages[page] ? map->pages[page][id % PAGE] : MAP_NONE;
}

void perunjson_ids_set(struct id_map *map, uint32_t id, uint32_t value)
{
	const size_t page = id / PAGE;
	size_t count = map->page_count;

	if (page >= count) {
		count = page < count * 2 ? count * 2 : page + 1;
		map->pages = perun_realloc_array(map->pages, count, sizeof *map->pages);
		memset(map->pages + map->page_count, 0,
		       (count - map->page_count) * sizeof *map->pages);
		map->page_count = count;
	}
	if (!map->pages[page]) {
		map->pages[page] = perun_alloc(PAGE * sizeof **map->pages);
		memset(map->pages[page], 0xff, PAGE * sizeof **map->pages);
	}
	map->pages[page][id % PAGE] = value;
}
