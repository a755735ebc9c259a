/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mapping of an address: the first of those that cover it, in a logarithm of the time. The edges of all mappings
 * cut the address space into pieces, the leaves of a tree; a mapping is noted at the few nodes that cover it.
 */
#include <stdlib.h>

#include "legacy.h"

/* One that could begin earlier, at a node of that part; the first mappings come first. */
struct legacy_gap {
	uint32_t mapping, next; /* next: index of a gap, or LEGACY_NONE */
};

static int compare_edges(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

static bool has_gap(const struct perun_mapping *mapping)
{
	return mapping->offset && mapping->offset <= mapping->start;
}

static void find_edges(struct legacy_places *places, const struct legacy_profile *profile)
{
	size_t count = 0;

	places->edges =
		perun_realloc_array(NULL, 3 * profile->mapping_count + 1, sizeof *places->edges);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		const struct perun_mapping *mapping = &profile->mappings[i];

		places->edges[count++] = mapping->start;
		places->edges[count++] = mapping->limit;
		if (has_gap(mapping))
			places->edges[count++] = mapping->start - mapping->offset;
	}
	if (count)
		qsort(places->edges, count, sizeof *places->edges, compare_edges);
	for (size_t i = 0; i < count; i++) {
		if (!places->count || places->edges[places->count - 1] != places->edges[i])
			places->edges[places->count++] = places->edges[i];
	}
}

/* The piece that begins at the last edge up to the address; places->count when there is none. */
static size_t piece_of(const struct legacy_places *places, uint64_t address)
{
	size_t low = 0, high = places->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places->edges[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : places->count;
}

static void note_cover(struct legacy_places *places, size_t node, uint32_t mapping)
{
	/* LEGACY_NONE is the largest number. */
	if (mapping < places->cover[node])
		places->cover[node] = mapping;
}

static void note_gap(struct legacy_places *places, size_t node, uint32_t mapping)
{
	PERUN_GROW(places->gaps, places->gap_count, places->gap_capacity);
	places->gaps[places->gap_count] = (struct legacy_gap){mapping, places->first_gap[node]};
	places->first_gap[node] = (uint32_t)places->gap_count++;
}

/* Note the mapping at the nodes that make up the addresses from `start` to before `limit`. */
static void note(struct legacy_places *places, uint64_t start, uint64_t limit, uint32_t mapping,
		 void (*at)(struct legacy_places *, size_t, uint32_t))
{
	size_t low, high;

	if (start >= limit)
		return;
	low = piece_of(places, start) + places->count;
	high = piece_of(places, limit) + places->count;
	for (; low < high; low /= 2, high /= 2) {
		if (low % 2)
			at(places, low++, mapping);
		if (high % 2)
			at(places, --high, mapping);
	}
}

void legacy_places_make(struct legacy_places *places, const struct legacy_profile *profile)
{
	*places = (struct legacy_places){0};
	find_edges(places, profile);
	places->cover = perun_realloc_array(NULL, 2 * places->count + 1, sizeof *places->cover);
	places->first_gap =
		perun_realloc_array(NULL, 2 * places->count + 1, sizeof *places->first_gap);
	for (size_t node = 0; node < 2 * places->count; node++)
		places->cover[node] = places->first_gap[node] = LEGACY_NONE;
	for (size_t i = profile->mapping_count; i-- > 0;) {
		const struct perun_mapping *mapping = &profile->mappings[i];

		note(places, mapping->start, mapping->limit, (uint32_t)i, note_cover);
		if (has_gap(mapping))
			note(places, mapping->start - mapping->offset, mapping->start, (uint32_t)i,
			     note_gap);
	}
}

void legacy_places_free(struct legacy_places *places)
{
	perun_free(places->edges);
	perun_free(places->cover);
	perun_free(places->first_gap);
	perun_free(places->gaps);
}

uint32_t legacy_places_find(const struct legacy_places *places, uint64_t address)
{
	uint32_t found = LEGACY_NONE;
	size_t piece = piece_of(places, address);

	if (piece == places->count)
		return LEGACY_NONE;
	for (size_t node = piece + places->count; node > 0; node /= 2) {
		if (places->cover[node] < found)
			found = places->cover[node];
	}
	return found;
}

/* The first gap at a node whose mapping was not extended. */
static uint32_t open_gap(struct legacy_places *places, const struct legacy_profile *profile,
			 size_t node)
{
	uint32_t *first = &places->first_gap[node];

	while (*first != LEGACY_NONE && !profile->mappings[places->gaps[*first].mapping].offset)
		*first = places->gaps[*first].next;
	return *first == LEGACY_NONE ? LEGACY_NONE : places->gaps[*first].mapping;
}

uint32_t legacy_places_extend(struct legacy_places *places, struct legacy_profile *profile,
			      uint64_t address)
{
	uint32_t found = LEGACY_NONE;
	size_t piece = piece_of(places, address);
	struct perun_mapping *mapping;

	if (piece == places->count)
		return LEGACY_NONE;
	for (size_t node = piece + places->count; node > 0; node /= 2) {
		uint32_t gap = open_gap(places, profile, node);

		if (gap < found)
			found = gap;
	}
	if (found == LEGACY_NONE)
		return LEGACY_NONE;
	mapping = &profile->mappings[found];
	mapping->start -= mapping->offset;
	mapping->offset = 0;
	note(places, mapping->start, mapping->limit, found, note_cover);
	return found;
}
