/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a document that was read: its values follow each other, and go together when its root is freed. What is
 * put into such a document later is memory of its own.
 */
#ifndef PERUN_JSON_ARENA_H
#define PERUN_JSON_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct json_chunk;

struct json_arena {
	struct json_chunk *chunks;
	char *room; /* in the first one, or after the arena */
	size_t left, size;
	bool changed; /* memory of its own may be below a value of the arena */
};

struct json_arena *json_arena_new(void);
void json_arena_free(struct json_arena *arena); /* NULL is allowed */
/* `size` bytes, aligned for values; not zeroed. */
void *json_arena_take(struct json_arena *arena, size_t size);
/* Memory of perun_alloc() that is freed with the arena. */
void json_arena_adopt(struct json_arena *arena, void *memory);

#endif
