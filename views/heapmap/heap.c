/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of memory with their lifetimes, from what was allocated and freed. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heapmap.h"

/* ---- snapshots ------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void make_snapshots(struct heap *heap)
{
	const size_t count = heap->allocations.count;
	int64_t *numbers = perun_alloc_zero(count + 1, sizeof *numbers);

	for (size_t i = 0; i < count; i++)
		numbers[i] = heap->allocations.items[i].snapshot;
	qsort(numbers, count, sizeof *numbers, compare_numbers);
	heap->snapshots = perun_alloc_zero(count + 1, sizeof *heap->snapshots);
	for (size_t i = 0; i < count; i++) {
		if (i && numbers[i] == numbers[i - 1])
			continue;
		heap->snapshots[heap->snapshot_count].time = NAN;
		heap->snapshots[heap->snapshot_count++].number = numbers[i];
	}
	perun_free(numbers);
}

static uint32_t find_snapshot(const struct heap *heap, int64_t number)
{
	size_t low = 0, high = heap->snapshot_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (heap->snapshots[middle].number <= number)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

/* Blocks in use by their addresses: open addressing, at most half full. */
struct live {
	uint32_t *slots; /* number of a block + 1; 0 = free */
	size_t mask;
};

static uint32_t *find_slot(const struct heap *heap, const struct live *live, uint64_t address)
{
	size_t at = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & live->mask;

	while (live->slots[at] && heap->blocks[live->slots[at] - 1].start != address)
		at = (at + 1) & live->mask;
	return &live->slots[at];
}

static uint64_t size_of(const struct heap *heap, const struct views_allocation *one)
{
	const double bytes = one->amount * (double)heap->allocations.unit.factor;
	const uint64_t room = UINT64_MAX - one->address;

	if (!(bytes >= 1))
		return 1;
	/* 2^62: beyond what a double can be cast from, and beyond any memory. */
	return bytes > 4e18 || (uint64_t)bytes > room ? room : (uint64_t)bytes;
}

/* Slots keep dead blocks: one of the same address takes the slot again. */
static void take(struct heap *heap, struct live *live, uint32_t number, uint32_t snapshot)
{
	const struct views_allocation *one = &heap->allocations.items[number];
	uint32_t *slot = find_slot(heap, live, one->address);
	struct heap_block *before = *slot ? &heap->blocks[*slot - 1] : NULL, *block;

	if (before && before->died == UINT32_MAX)
		before->died = snapshot;
	heap->snapshots[snapshot].freed += one->freed;
	if (one->freed)
		return;
	heap->snapshots[snapshot].allocated++;
	PERUN_GROW(heap->blocks, heap->count, heap->capacity);
	block = &heap->blocks[heap->count++];
	*block = (struct heap_block){.start = one->address,
				     .size = size_of(heap, one),
				     .born = snapshot,
				     .died = UINT32_MAX,
				     .allocation = number};
	*slot = (uint32_t)heap->count;
}

static int compare_order(const void *a, const void *b, void *data)
{
	const struct views_allocation *items = data;
	const struct views_allocation *x = &items[*(const uint32_t *)a];
	const struct views_allocation *y = &items[*(const uint32_t *)b];

	if (x->snapshot != y->snapshot)
		return x->snapshot < y->snapshot ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void replay(struct heap *heap)
{
	struct views_allocations *allocations = &heap->allocations;
	uint32_t *order = perun_alloc_zero(allocations->count + 1, sizeof *order);
	struct live live = {.mask = 15};

	while (live.mask < 2 * allocations->count)
		live.mask = 2 * live.mask + 1;
	live.slots = perun_alloc_zero(live.mask + 1, sizeof *live.slots);
	for (size_t i = 0; i < allocations->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, allocations->count, sizeof *order, compare_order, allocations->items);
	for (size_t i = 0; i < allocations->count; i++) {
		const struct views_allocation *one = &allocations->items[order[i]];
		uint32_t snapshot = find_snapshot(heap, one->snapshot);

		if (isnan(heap->snapshots[snapshot].time))
			heap->snapshots[snapshot].time = one->time;
		/* No memory is at the last address. */
		if (one->has_address && one->address < UINT64_MAX)
			take(heap, &live, order[i], snapshot);
	}
	perun_free(live.slots);
	perun_free(order);
}

static void sum_snapshots(struct heap *heap)
{
	double amount = 0, *changes = perun_alloc_zero(heap->snapshot_count + 1, sizeof *changes);
	int64_t blocks = 0, *counts = perun_alloc_zero(heap->snapshot_count + 1, sizeof *counts);

	for (size_t i = 0; i < heap->count; i++) {
		const struct heap_block *block = &heap->blocks[i];
		size_t end =
			block->died < heap->snapshot_count ? block->died : heap->snapshot_count;

		changes[block->born] += (double)block->size;
		counts[block->born]++;
		changes[end] -= (double)block->size;
		counts[end]--;
	}
	for (size_t i = 0; i < heap->snapshot_count; i++) {
		heap->snapshots[i].amount = amount += changes[i];
		heap->snapshots[i].blocks = (size_t)(blocks += counts[i]);
		heap->peak = fmax(heap->peak, amount);
	}
	perun_free(changes);
	perun_free(counts);
}

/* ---- places ---------------------------------------------------------------------------------- */

static int compare_places(const struct views_frame *a, const struct views_frame *b)
{
	int order = strcmp(a->function, b->function);

	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static const struct views_frame *place_of(const struct heap *heap, uint32_t block)
{
	return &heap->allocations.items[heap->blocks[block].allocation].place;
}

static int compare_by_place(const void *a, const void *b, void *data)
{
	return compare_places(place_of(data, *(const uint32_t *)a),
			      place_of(data, *(const uint32_t *)b));
}

static int compare_amounts(const void *a, const void *b, void *data)
{
	const struct heap *heap = data;
	const struct heap_place *x = &heap->places[*(const uint32_t *)a];
	const struct heap_place *y = &heap->places[*(const uint32_t *)b];

	if (x->amount != y->amount)
		return x->amount < y->amount ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* The places of the most bytes first, and the blocks' numbers of places with them. */
static void sort_places(struct heap *heap)
{
	uint32_t *order = perun_alloc_zero(heap->place_count + 1, sizeof *order);
	uint32_t *numbers = perun_alloc_zero(heap->place_count + 1, sizeof *numbers);
	struct heap_place *places = perun_alloc_zero(heap->place_count + 1, sizeof *places);

	for (uint32_t i = 0; i < heap->place_count; i++)
		order[i] = i;
	qsort_r(order, heap->place_count, sizeof *order, compare_amounts, heap);
	for (uint32_t i = 0; i < heap->place_count; i++) {
		places[i] = heap->places[order[i]];
		numbers[order[i]] = i;
	}
	for (size_t i = 0; i < heap->count; i++)
		heap->blocks[i].place = numbers[heap->blocks[i].place];
	perun_free(heap->places);
	heap->places = places;
	perun_free(order);
	perun_free(numbers);
}

static void make_places(struct heap *heap)
{
	uint32_t *order = perun_alloc_zero(heap->count + 1, sizeof *order);
	size_t capacity = 0;

	for (uint32_t i = 0; i < heap->count; i++)
		order[i] = i;
	qsort_r(order, heap->count, sizeof *order, compare_by_place, heap);
	for (size_t i = 0; i < heap->count; i++) {
		const struct views_frame *frame = place_of(heap, order[i]);
		struct heap_block *block = &heap->blocks[order[i]];

		if (!i || compare_places(&heap->places[heap->place_count - 1].frame, frame) != 0) {
			PERUN_GROW(heap->places, heap->place_count, capacity);
			heap->places[heap->place_count++] = (struct heap_place){.frame = *frame};
		}
		block->place = (uint32_t)heap->place_count - 1;
		heap->places[block->place].amount += (double)block->size;
		heap->places[block->place].count++;
	}
	perun_free(order);
	sort_places(heap);
}

/* ---- all ------------------------------------------------------------------------------------- */

int heap_open(struct perun_ctx *ctx, struct perun_profile *profile, const char *name,
	      const struct perun_options *options, struct heap *heap)
{
	int status;

	*heap = (struct heap){.name = name};
	status =
		views_allocations_open(ctx, profile, name, options, NULL, true, &heap->allocations);
	if (status)
		return status;
	make_snapshots(heap);
	replay(heap);
	if (!heap->count)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s: nothing was allocated, memory was only freed", name);
	sum_snapshots(heap);
	make_places(heap);
	return PERUN_OK;
}

void heap_close(struct heap *heap)
{
	views_allocations_close(&heap->allocations);
	perun_free(heap->blocks);
	perun_free(heap->snapshots);
	perun_free(heap->places);
}
