/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from 64-bit numbers to 32-bit numbers. */
#ifndef PERUN_FORMATS_PERUN_MAP_H
#define PERUN_FORMATS_PERUN_MAP_H

#include <perun/context.h>

#define MAP_NONE UINT32_MAX /* not there; never a value */

/* {0} is an empty one. */
struct map {
	uint64_t *keys;
	uint32_t *values; /* MAP_NONE = free place */
	size_t count, capacity;
};

void perunjson_map_free(struct map *map);
uint32_t perunjson_map_get(const struct map *map, uint64_t key);
void perunjson_map_set(struct map *map, uint64_t key, uint32_t value);

/*
 * The same for numbers that were given one after the other, as those of texts: half of the memory and of the time. Pages where
 * there is none do not exist.
 */
struct id_map {
	uint32_t **pages;
	size_t page_count;
};

void perunjson_ids_free(struct id_map *map);
uint32_t perunjson_ids_get(const struct id_map *map, uint32_t id);
void perunjson_ids_set(struct id_map *map, uint32_t id, uint32_t value);

#endif
