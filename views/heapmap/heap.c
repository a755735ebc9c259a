/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of memory with their lifetimes, from what was allocated and freed. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heapmap.h"
#include "starts.h"

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

/* The first snapshot that has no more what was freed in one of this number; UINT32_MAX = none has. */
static uint32_t find_end(const struct heap *heap, int64_t number)
{
	uint32_t at = find_snapshot(heap, number);

	if (heap->snapshots[at].number < number)
		at++;
	return at < heap->snapshot_count ? at : UINT32_MAX;
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

/* What is in use at a moment of the replay: blocks that do not overlap, by where they begin. */
struct live {
	uint64_t *addresses; /* all at which any block begins, ascending */
	size_t count;
	struct starts starts; /* numbers of addresses at which a block in use begins */
	uint32_t *blocks;     /* of each address */
};

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void open_live(const struct heap *heap, struct live *live)
{
	const size_t count = heap->allocations.count;
	size_t kept = 0;

	live->addresses = perun_alloc_zero(count + 1, sizeof *live->addresses);
	for (size_t i = 0; i < count; i++)
		live->addresses[i] = heap->allocations.items[i].address;
	qsort(live->addresses, count, sizeof *live->addresses, compare_addresses);
	for (size_t i = 0; i < count; i++) {
		if (!kept || live->addresses[i] != live->addresses[kept - 1])
			live->addresses[kept++] = live->addresses[i];
	}
	live->count = kept;
	live->blocks = perun_alloc_zero(kept + 1, sizeof *live->blocks);
	starts_make(&live->starts, kept);
}

static void close_live(struct live *live)
{
	starts_free(&live->starts);
	perun_free(live->addresses);
	perun_free(live->blocks);
}

static size_t find_address(const struct live *live, uint64_t address)
{
	size_t low = 0, high = live->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (live->addresses[middle] <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Each of several that are together has the same size. */
static uint64_t size_of(const struct heap *heap, const struct views_allocation *one)
{
	const double bytes = one->amount * (double)heap->allocations.unit.factor /
			     (one->count > 1 ? one->count : 1);
	const uint64_t room = UINT64_MAX - one->address;

	if (!(bytes >= 1))
		return 1;
	/* 2^62: beyond what a double can be cast from, and beyond any memory. */
	return bytes > 4e18 || (uint64_t)bytes > room ? room : (uint64_t)bytes;
}

static void end_block(struct heap *heap, struct live *live, size_t number, uint32_t snapshot)
{
	struct heap_block *block = &heap->blocks[live->blocks[number]];

	if (block->died > snapshot)
		block->died = snapshot;
	starts_remove(&live->starts, number);
}

/* What an allocation overlaps was freed before, even where nothing says so. */
static void make_room(struct heap *heap, struct live *live, const struct heap_block *block,
		      size_t number)
{
	const uint64_t end = block->start + block->size;
	size_t other = starts_before(&live->starts, number);

	if (other != SIZE_MAX) {
		const struct heap_block *before = &heap->blocks[live->blocks[other]];

		if (before->start + before->size > block->start)
			end_block(heap, live, other, block->born);
	}
	other = starts_next(&live->starts, number);
	while (other != SIZE_MAX && live->addresses[other] < end) {
		end_block(heap, live, other, block->born);
		other = starts_next(&live->starts, other);
	}
}

static void take(struct heap *heap, struct live *live, uint32_t number, uint32_t snapshot)
{
	const struct views_allocation *one = &heap->allocations.items[number];
	const size_t at = find_address(live, one->address);
	struct heap_block block = {.start = one->address,
				   .size = size_of(heap, one),
				   .born = snapshot,
				   .died = UINT32_MAX,
				   .allocation = number};

	if (one->freed) {
		if (starts_next(&live->starts, at) == at)
			end_block(heap, live, at, snapshot);
		return;
	}
	if (one->until >= one->snapshot)
		block.died = find_end(heap, one->until);
	/* Where the profile knows the end, the order of what happened in one snapshot does not matter. */
	if (one->until == -2) {
		make_room(heap, live, &block, at);
		live->blocks[at] = (uint32_t)heap->count;
		starts_add(&live->starts, at);
	}
	PERUN_GROW(heap->blocks, heap->count, heap->capacity);
	heap->blocks[heap->count++] = block;
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
	struct live live;

	open_live(heap, &live);
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
	close_live(&live);
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

		heap->snapshots[block->born].allocated++;
		if (block->died < heap->snapshot_count)
			heap->snapshots[block->died].freed++;
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
