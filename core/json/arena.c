/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a document that was read. */
#include "arena.h"
#include "perun/context.h"

/* Small documents take one small piece, with the arena; large ones pieces that go back to the system when they are freed. */
#define FIRST_ROOM    960
#define FIRST_CHUNK   2048
#define LARGEST_CHUNK ((size_t)1 << 18)

struct json_chunk {
	struct json_chunk *next;
	void *adopted;
	_Alignas(8) char data[];
};

static char *add_chunk(struct json_arena *arena, size_t room)
{
	struct json_chunk *chunk = perun_alloc(sizeof *chunk + room);

	chunk->next = arena->chunks;
	chunk->adopted = NULL;
	arena->chunks = chunk;
	arena->taken += room;
	return chunk->data;
}

void json_arena_adopt(struct json_arena *arena, void *memory, size_t size)
{
	add_chunk(arena, 0);
	arena->chunks->adopted = memory;
	arena->taken += size;
}

/* The room that comes with the arena is free. */
static void begin(struct json_arena *arena)
{
	arena->chunks = NULL;
	arena->room = (char *)(arena + 1);
	arena->left = FIRST_ROOM;
	arena->size = FIRST_CHUNK;
	arena->taken = 0;
}

struct json_arena *json_arena_new(void)
{
	struct json_arena *arena = perun_alloc(sizeof *arena + FIRST_ROOM);

	begin(arena);
	arena->changed = false;
	arena->beside = NULL;
	return arena;
}

struct json_beside *json_arena_beside(struct json_arena *arena)
{
	if (!arena->beside) {
		arena->beside = perun_alloc_zero(1, sizeof *arena->beside);
		pthread_mutex_init(&arena->beside->lock, NULL);
	}
	return arena->beside;
}

struct json_arena *json_arena_new_below(struct json_arena *arena)
{
	struct json_arena *made = json_arena_new();

	json_arena_join(made, arena);
	return made;
}

void json_arena_join(struct json_arena *arena, struct json_arena *other)
{
	struct json_beside *beside = json_arena_beside(other);

	json_arena_beside(arena)->next = beside->first;
	beside->first = arena;
}

bool json_arena_is_changed(const struct json_arena *arena)
{
	bool changed = arena->changed;

	for (const struct json_arena *below = arena->beside ? arena->beside->first : NULL;
	     !changed && below; below = below->beside->next)
		changed = json_arena_is_changed(below);
	return changed;
}

static void free_chunks(struct json_arena *arena)
{
	while (arena->chunks != NULL) {
		struct json_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		perun_free(chunk->adopted);
		perun_free(chunk);
	}
}

void json_arena_clear(struct json_arena *arena)
{
	free_chunks(arena);
	begin(arena);
}

static void free_beside(struct json_beside *beside)
{
	for (struct json_arena *arena = beside->first, *next; arena; arena = next) {
		next = arena->beside->next;
		json_arena_free(arena);
	}
	pthread_mutex_destroy(&beside->lock);
	perun_free(beside);
}

void json_arena_free(struct json_arena *arena)
{
	if (arena == NULL)
		return;
	free_chunks(arena);
	if (arena->beside)
		free_beside(arena->beside);
	perun_free(arena);
}

void *json_arena_take(struct json_arena *arena, size_t size)
{
	char *taken;

	size = (size + 7) & ~(size_t)7;
	if (size > arena->left) {
		/* What is large has a piece of its own, after which the room of the last one is still used. */
		if (size > arena->size / 4)
			return add_chunk(arena, size);
		arena->room = add_chunk(arena, arena->size);
		arena->left = arena->size;
		if (arena->size < LARGEST_CHUNK)
			arena->size *= 2;
	}
	taken = arena->room;
	arena->room += size;
	arena->left -= size;
	return taken;
}
