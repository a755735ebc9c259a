/* SPDX-License-Identifier: BSD-3-Clause */
/* The stacks as a tree of their distinct paths: found among arrays. Those of a profile that holds a tree: kept-paths.c. */
#include <string.h>

#include "core/callgraph/paths.h"
#include "core/context/context.h"
#include "core/context/hash.h"
#include "core/profile/slots.h"

#define NO_PATH UINT32_MAX

/* No stack is begun when this many paths are there. */
enum { MAX_PATHS = 1 << 20 };

/* A path in the order in which they are met. */
struct met {
	uint32_t parent;
	uint32_t depth;
	const perun_id
		*at; /* its location in the first stack that begins so; those before it follow */
};

/* A stack whose turn comes soon: what is known of it is fetched from memory meanwhile. */
struct next_stack {
	const perun_id *locations; /* the leaf first */
	uint32_t length;
	perun_id number;
	size_t hashes; /* where those of its paths are, the shortest first */
};
enum { BATCH = 32 };

struct gathering {
	const struct perun_stacks *stacks;
	struct perun_paths *paths;
	struct met *met;
	uint32_t count, capacity;
	int64_t *sums; /* of the stacks that end with a path, later of all that begin with it */
	struct perun_slot
		*slots; /* of the paths, by the upper half of the hash of their locations */
	uint32_t mask;
	struct next_stack batch[BATCH];
	size_t batched;
	uint64_t *hashes;
	size_t hash_count, hash_capacity;
	uint64_t *known; /* locations */
	size_t location_capacity;
	uint64_t frames; /* of all stacks */
};

/* ---- paths by their hash ------------------------------------------------------------------------ */

/* For somewhat more paths than stacks, which is what most profiles have. */
static void make_room(struct gathering *g, size_t stacks)
{
	g->capacity = (uint32_t)(stacks < MAX_PATHS ? stacks + stacks / 4 + 1024 : MAX_PATHS);
	g->met = perun_alloc_large(g->capacity * sizeof *g->met);
	g->sums = perun_alloc_large(g->capacity * g->stacks->weights * sizeof *g->sums);
	perun_slots_reserve(&g->slots, &g->mask, stacks < MAX_PATHS ? stacks : MAX_PATHS);
}

/* Whether a path is the first `length` locations of a stack. */
static bool is_path(const struct gathering *g, uint32_t path, const struct next_stack *stack,
		    uint32_t length)
{
	const struct met *met = &g->met[path];

	return met->depth == length - 1 &&
	       memcmp(met->at, stack->locations + stack->length - length,
		      length * sizeof *met->at) == 0;
}

static uint32_t find_path(const struct gathering *g, const struct next_stack *stack,
			  uint32_t length)
{
	uint32_t hash = (uint32_t)(g->hashes[stack->hashes + length - 1] >> 32);

	for (uint32_t at = hash & g->mask; g->slots[at].number; at = (at + 1) & g->mask) {
		if (g->slots[at].hash == hash && is_path(g, g->slots[at].number - 1, stack, length))
			return g->slots[at].number - 1;
	}
	return NO_PATH;
}

static inline void note_location(struct gathering *g, perun_id location)
{
	if (perun_bit(g->known, location))
		return;
	g->known[location / 64] |= UINT64_C(1) << location % 64;
	PERUN_GROW(g->paths->locations, g->paths->location_count, g->location_capacity);
	g->paths->locations[g->paths->location_count++] = location;
}

/* The first `length` locations of a stack, of which `parent` is all but the last. */
static uint32_t add_path(struct gathering *g, const struct next_stack *stack, uint32_t length,
			 uint32_t parent)
{
	uint32_t hash = (uint32_t)(g->hashes[stack->hashes + length - 1] >> 32);
	const perun_id *location = &stack->locations[stack->length - length];
	size_t weights = g->stacks->weights;

	perun_slots_reserve(&g->slots, &g->mask, (uint64_t)g->count + 1);
	if (g->count == g->capacity) {
		g->capacity *= 2;
		g->met = perun_realloc_array(g->met, g->capacity, sizeof *g->met);
		g->sums = perun_realloc_array(g->sums, g->capacity * weights, sizeof *g->sums);
	}
	g->met[g->count] = (struct met){parent, length - 1, location};
	memset(g->sums + g->count * weights, 0, weights * sizeof *g->sums);
	note_location(g, *location);
	perun_slots_occupy(g->slots, g->mask, (struct perun_slot){hash, g->count + 1});
	return g->count++;
}

/* ---- stacks ------------------------------------------------------------------------------------- */

static void note_stack(struct gathering *g, const perun_id *locations, uint32_t length,
		       perun_id number)
{
	struct next_stack *stack = &g->batch[g->batched++];
	uint64_t hash = 0, place = perun_hash_secret;

	*stack = (struct next_stack){locations, length, number, g->hash_count};
	g->frames += length;
	if (g->hash_capacity - g->hash_count < length) {
		g->hash_capacity = (g->hash_capacity + length) * 2;
		g->hashes = perun_realloc_array(g->hashes, g->hash_capacity, sizeof *g->hashes);
	}
	/* A sum of what each place has by itself, so that none waits for the one before it. */
	for (uint32_t i = length; i-- > 0; place += PERUN_HASH_2)
		g->hashes[g->hash_count++] = hash +=
			perun_hash_mix(place ^ locations[i], PERUN_HASH_1);
	for (uint32_t i = 1; i <= 2 && i <= length; i++)
		__builtin_prefetch(&g->slots[g->hashes[g->hash_count - i] >> 32 & g->mask]);
}

/* The longest path that is known is searched for from the leaf on, which is where most stacks differ. */
static void take_stack(struct gathering *g, const struct next_stack *stack)
{
	size_t weights = g->stacks->weights;
	uint32_t length = stack->length, path = NO_PATH;

	for (; length > 0; length--) {
		path = find_path(g, stack, length);
		if (path != NO_PATH)
			break;
	}
	while (length < stack->length)
		path = add_path(g, stack, ++length, path);
	if (path != NO_PATH)
		perun_add_weights(g->sums + path * weights,
				  g->stacks->sums + stack->number * weights, weights);
}

/* What most stacks go on from is all of another but its leaf: its place in the table was fetched before. */
static void fetch_paths(struct gathering *g)
{
	const struct met *met[BATCH];

	for (size_t i = 0; i < g->batched && g->count; i++) {
		const struct next_stack *stack = &g->batch[i];
		const struct perun_slot *slot = &g->slots[0];

		if (stack->length > 1)
			slot = &g->slots[g->hashes[stack->hashes + stack->length - 2] >> 32 &
					 g->mask];
		met[i] = &g->met[slot->number ? slot->number - 1 : 0];
		__builtin_prefetch(met[i]);
	}
	for (size_t i = 0; i < g->batched && g->count; i++) {
		__builtin_prefetch(met[i]->at);
		__builtin_prefetch(met[i]->at + met[i]->depth);
	}
}

static void take_batch(struct gathering *g)
{
	fetch_paths(g);
	for (size_t i = 0; i < g->batched; i++)
		take_stack(g, &g->batch[i]);
	g->batched = 0;
	g->hash_count = 0;
}

static void take_stacks(struct gathering *g, size_t from, size_t to)
{
	size_t length, i;

	for (i = from; i < to && g->count < MAX_PATHS; i++) {
		const perun_id *locations = perun_stacks_live_locations(g->stacks, i, &length);

		if (!locations)
			continue;
		note_stack(g, locations, (uint32_t)length, (perun_id)i);
		if (g->batched == BATCH)
			take_batch(g);
	}
	take_batch(g);
	g->paths->end = i;
}

/* ---- the tree ----------------------------------------------------------------------------------- */

/* Sums of all stacks that begin with a path, and how many paths do. */
static uint32_t *add_up(struct gathering *g)
{
	size_t weights = g->stacks->weights;
	uint32_t *sizes = perun_alloc(((size_t)g->count + 1) * sizeof *sizes);

	for (uint32_t i = 0; i < g->count; i++)
		sizes[i] = 1;
	for (uint32_t i = g->count; i-- > 0;) {
		uint32_t parent = g->met[i].parent;

		if (parent == NO_PATH)
			continue;
		sizes[parent] += sizes[i];
		perun_add_weights(g->sums + parent * weights, g->sums + i * weights, weights);
	}
	return sizes;
}

/* Paths get their place as soon as the place of the one before them is known. */
static void put_in_order(struct gathering *g)
{
	struct perun_paths *paths = g->paths;
	size_t weights = g->stacks->weights;
	uint32_t *sizes = add_up(g), *next = sizes, root = 0;

	paths->count = g->count;
	paths->items = perun_alloc_large(((size_t)g->count + 1) * sizeof *paths->items);
	paths->sums = perun_alloc_large((g->count * weights + 1) * sizeof *paths->sums);
	for (uint32_t i = 0; i < g->count; i++) {
		const struct met *met = &g->met[i];
		uint32_t *place = met->parent == NO_PATH ? &root : &next[met->parent], at = *place;

		*place += sizes[i];
		next[i] = at + 1;
		paths->items[at] = (struct perun_path){met->depth, i, *met->at};
		memcpy(paths->sums + at * weights, g->sums + i * weights,
		       weights * sizeof *g->sums);
	}
	perun_free(sizes);
}

/* Returns how many locations the stacks have, together. */
static uint64_t gather(struct perun_paths *paths, const struct perun_stacks *stacks, size_t first,
		       size_t end)
{
	struct gathering g = {.stacks = stacks, .paths = paths};

	*paths = (struct perun_paths){0};
	g.known = perun_alloc_zero(stacks->location_count / 64 + 1, sizeof *g.known);
	make_room(&g, end - first);
	take_stacks(&g, first, end);
	perun_free(g.slots);
	perun_free(g.hashes);
	perun_free(g.known);
	put_in_order(&g);
	perun_free(g.met);
	perun_free(g.sums);
	return g.frames;
}

/* ---- stacks that have little in common ------------------------------------------------------------ */

/* From this many stacks on some of them show how much stacks have in common. */
enum { MANY_STACKS = 65536, SOME_STACKS = 4096, SHOWING = 4096 };

bool perun_stacks_are_apart(const struct perun_stacks *stacks)
{
	struct perun_stacks *kept = (struct perun_stacks *)stacks;
	struct perun_paths paths;
	size_t first = stacks->stack_count / 2, showing = stacks->stack_count / 16;
	uint64_t frames;

	if (perun_paths_are_kept(stacks))
		return false;
	if (stacks->common == PERUN_COMMON_UNKNOWN && stacks->stack_count >= SOME_STACKS) {
		frames = gather(&paths, stacks, first,
				first + (showing < SHOWING ? showing : SHOWING));
		kept->common =
			paths.count > frames / 3 * 2 ? PERUN_COMMON_LITTLE : PERUN_COMMON_MUCH;
		perun_paths_clear(&paths);
	}
	return stacks->common == PERUN_COMMON_LITTLE;
}

/* ---- parts -------------------------------------------------------------------------------------- */

struct parts {
	const struct perun_stacks *stacks;
	struct perun_paths *paths;
	size_t first, count;
};

static size_t first_of(const struct parts *parts, size_t part)
{
	return parts->first + (parts->stacks->stack_count - parts->first) * part / parts->count;
}

static int gather_part(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct parts *parts = data;

	(void)ctx;
	gather(&parts->paths[i], parts->stacks, first_of(parts, i), first_of(parts, i + 1));
	return PERUN_OK;
}

size_t perun_paths_gather_parts(struct perun_paths paths[PERUN_PATH_PARTS],
				const struct perun_stacks *stacks, size_t first)
{
	struct parts parts = {stacks, paths, first, 1};
	size_t end = first;

	memset(paths, 0, PERUN_PATH_PARTS * sizeof *paths);
	if (perun_paths_are_kept(stacks)) {
		perun_paths_take_kept(&paths[0], stacks);
		return stacks->stack_count;
	}
	if (stacks->stack_count >= MANY_STACKS) /* by several threads */
		parts.count = perun_thread_count(PERUN_PATH_PARTS);
	perun_parallel_for(NULL, parts.count, gather_part, &parts);
	for (size_t i = 0; i < parts.count; i++) {
		if (end == first_of(&parts, i))
			end = paths[i].end;
		else
			perun_paths_clear(&paths[i]);
	}
	return end;
}

const struct perun_paths *perun_paths_of(const struct perun_stacks *stacks)
{
	struct perun_paths *parts = stacks->paths;

	if (parts)
		return parts;
	if (perun_stacks_are_apart(stacks))
		return NULL;
	parts = perun_alloc(PERUN_PATH_PARTS * sizeof *parts);
	((struct perun_stacks *)stacks)->paths = parts;
	if (perun_paths_gather_parts(parts, stacks, 0) == stacks->stack_count)
		return parts;
	perun_stacks_forget_paths((struct perun_stacks *)stacks);
	return NULL;
}

void perun_stacks_forget_paths(struct perun_stacks *stacks)
{
	for (size_t i = 0; stacks->paths && i < PERUN_PATH_PARTS; i++)
		perun_paths_clear(&stacks->paths[i]);
	perun_free(stacks->paths);
	stacks->paths = NULL;
	stacks->common = PERUN_COMMON_UNKNOWN;
}

bool perun_paths_join(struct perun_paths *joined, const struct perun_stacks *stacks)
{
	const struct perun_paths *parts = perun_paths_of(stacks);
	size_t weights = stacks->weights, count = 0;

	*joined = (struct perun_paths){0};
	if (!parts)
		return false;
	for (size_t i = 0; i < PERUN_PATH_PARTS; i++)
		count += parts[i].count;
	joined->items = perun_alloc_large((count + 1) * sizeof *joined->items);
	joined->sums = perun_alloc_large((count * weights + 1) * sizeof *joined->sums);
	for (size_t i = 0; i < PERUN_PATH_PARTS; i++) {
		uint32_t before = joined->count;

		for (uint32_t k = 0; k < parts[i].count; k++) {
			joined->items[before + k] = parts[i].items[k];
			joined->items[before + k].met += before;
		}
		if (parts[i].count)
			memcpy(joined->sums + before * weights, parts[i].sums,
			       parts[i].count * weights * sizeof *joined->sums);
		joined->count += parts[i].count;
	}
	return true;
}

void perun_paths_clear(struct perun_paths *paths)
{
	perun_free(paths->items);
	perun_free(paths->sums);
	perun_free(paths->locations);
	*paths = (struct perun_paths){0};
}
