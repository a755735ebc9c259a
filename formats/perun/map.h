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

#endif
