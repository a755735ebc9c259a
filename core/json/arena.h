/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of a document that was read: its values follow each other, and go together when its root is freed. What is
 * put into such a document later is memory of its own.
 */
#ifndef PERUN_JSON_ARENA_H
#define PERUN_JSON_ARENA_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct json_chunk;

struct json_arena {
	struct json_chunk *chunks;
	char *room; /* in the first one, or after the arena */
	size_t left, size;
	size_t taken;               /* in chunks */
	bool changed;               /* memory of its own may be below a value of the arena */
	struct json_beside *beside; /* NULL: nothing */
};

/* What large documents have, too. */
struct json_beside {
	pthread_mutex_t lock;     /* of who adds to a document that others may read */
	struct json_arena *first; /* of the arenas that go with this one */
	struct json_arena *next;  /* of those that go with the same one */
};

struct json_arena *json_arena_new(void);
void json_arena_free(struct json_arena *arena); /* NULL is allowed */
struct json_beside *
json_arena_beside(struct json_arena *arena); /* made when it is first asked for */
/* An arena that goes with another one. */
struct json_arena *json_arena_new_below(struct json_arena *arena);
/* From now on, `arena` goes with the other one. */
void json_arena_join(struct json_arena *arena, struct json_arena *other);
/* Whether memory of its own may be below a value of it, or of one that goes with it. */
bool json_arena_is_changed(const struct json_arena *arena);
/* All that was taken goes, but not what is beside it. */
void json_arena_clear(struct json_arena *arena);
/* `size` bytes, aligned for values; not zeroed. */
void *json_arena_take(struct json_arena *arena, size_t size);
/* `size` bytes of perun_alloc() that are freed with the arena. */
void json_arena_adopt(struct json_arena *arena, void *memory, size_t size);

#endif
