/* SPDX-License-Identifier: BSD-3-Clause */
/* The heaps of the measured processes: live blocks in a hash table, amounts by stack and snapshot. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "heap.h"

#define NO_ROW    UINT32_MAX
#define NO_BLOCK  UINT32_MAX
#define LIVE_BITS 12 /* of the first table of live blocks */

void heap_init(struct heap *heap, const struct heap_options *options)
{
	*heap = (struct heap){.options = *options,
			      .live_capacity = (size_t)1 << LIVE_BITS,
			      .live_shift = 64 - LIVE_BITS,
			      .live_secret = perun_hash_number(0) | 1};
	heap->live = perun_alloc_zero(heap->live_capacity, sizeof *heap->live);
}

void heap_free(struct heap *heap)
{
	perun_free(heap->rows);
	perun_free(heap->blocks);
	perun_free(heap->last_rows);
	perun_free(heap->live);
}

double heap_weight(const struct heap *heap, uint64_t bytes)
{
	if (!heap->options.sample)
		return 1;
	/* The chance that one of this many bytes is a sample; an empty block counts as a byte. */
	return -1 / expm1(-(double)(bytes ? bytes : 1) / (double)heap->options.sample);
}

/* ---- live blocks ------------------------------------------------------------------------------- */

/* By the upper bits of a product with an odd number that nobody knows: every event asks for it. */
static size_t place_of(const struct heap *heap, uint64_t key)
{
	return (size_t)(key * heap->live_secret >> heap->live_shift);
}

static struct heap_live *find_live(const struct heap *heap, uint64_t key)
{
	size_t i = place_of(heap, key);

	while (heap->live[i].key && heap->live[i].key != key)
		i = (i + 1) & (heap->live_capacity - 1);
	return &heap->live[i];
}

static void grow_live(struct heap *heap)
{
	struct heap_live *old = heap->live;
	size_t count = heap->live_capacity;

	heap->live_capacity *= 2;
	heap->live_shift--;
	heap->live = perun_alloc_zero(heap->live_capacity, sizeof *heap->live);
	for (size_t i = 0; i < count; i++)
		if (old[i].key)
			*find_live(heap, old[i].key) = old[i];
	perun_free(old);
}

/* Close the gap, so that searches need no marks of removed entries. */
static void remove_live(struct heap *heap, struct heap_live *entry)
{
	size_t mask = heap->live_capacity - 1, gap = (size_t)(entry - heap->live), i = gap;

	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!heap->live[i].key)
			break;
		home = place_of(heap, heap->live[i].key);
		if (((i - home) & mask) >= ((i - gap) & mask)) {
			heap->live[gap] = heap->live[i];
			gap = i;
		}
	}
	heap->live[gap].key = 0;
	heap->live_used--;
}

/* ---- rows -------------------------------------------------------------------------------------- */

void heap_add_stack(struct heap *heap, uint32_t stack)
{
	size_t count = stack + 1 > 64 ? heap->stack_count : 64;

	while (count <= stack)
		count *= 2;
	if (count <= heap->stack_count)
		return;
	heap->last_rows = perun_realloc_array(heap->last_rows, count, sizeof *heap->last_rows);
	for (size_t i = heap->stack_count; i < count; i++)
		heap->last_rows[i] = NO_ROW;
	heap->stack_count = count;
}

uint32_t heap_snapshot(const struct heap *heap, uint64_t time)
{
	if (time <= heap->first_time || !heap->options.interval)
		return 0;
	return (uint32_t)((time - heap->first_time) / heap->options.interval);
}

/* Half as many, twice as long. */
static void widen_snapshots(struct heap *heap)
{
	heap->options.interval *= 2;
	for (size_t i = 0; i < heap->row_count; i++)
		heap->rows[i].snapshot /= 2;
}

static uint32_t find_row(struct heap *heap, uint32_t stack, uint32_t kind, uint32_t snapshot)
{
	uint32_t first = heap->last_rows[stack];

	for (uint32_t i = first; i != NO_ROW && heap->rows[i].snapshot == snapshot;
	     i = heap->rows[i].next)
		if (heap->rows[i].kind == kind)
			return i;
	PERUN_GROW(heap->rows, heap->row_count, heap->row_capacity);
	heap->rows[heap->row_count] = (struct heap_row){
		.stack = stack, .kind = kind, .snapshot = snapshot, .next = first};
	heap->rows[heap->row_count].peak_seen = heap->peaks;
	return heap->last_rows[stack] = (uint32_t)heap->row_count++;
}

/*
 * What lives of a row is about to change. The amounts at the peak are taken only then: a row that did not
 * change since the last peak still has those of it.
 */
static void change_row(struct heap *heap, struct heap_row *row, double bytes, double count)
{
	if (row->peak_seen != heap->peaks) {
		row->peak_bytes = row->live_bytes;
		row->peak_count = row->live_count;
		row->peak_seen = heap->peaks;
	}
	row->live_bytes += bytes;
	row->live_count += count;
	heap->live_bytes += bytes;
	heap->live_count += count;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static uint32_t add_block(struct heap *heap, const struct heap_block *block)
{
	if (heap->too_many)
		return NO_BLOCK;
	if (heap->block_count == heap->options.blocks) {
		perun_free(heap->blocks);
		heap->blocks = NULL;
		heap->block_count = heap->block_capacity = 0;
		heap->too_many = true;
		return NO_BLOCK;
	}
	PERUN_GROW(heap->blocks, heap->block_count, heap->block_capacity);
	heap->blocks[heap->block_count] = *block;
	return (uint32_t)heap->block_count++;
}

static void release(struct heap *heap, struct heap_live *entry)
{
	double weight = heap_weight(heap, entry->bytes);

	change_row(heap, &heap->rows[entry->row], -weight * (double)entry->bytes, -weight);
	if (!heap->too_many && entry->block != NO_BLOCK) {
		heap->blocks[entry->block].freed = heap->events;
		heap->blocks[entry->block].end = heap->snapshot_start;
	}
	remove_live(heap, entry);
}

static void move_snapshot(struct heap *heap, uint64_t time)
{
	uint64_t interval;

	if (heap->snapshot_end == 0)
		heap->first_time = time;
	heap->last_time = time;
	while (heap_snapshot(heap, time) >= HEAP_MAX_SNAPSHOTS)
		widen_snapshots(heap);
	interval = heap->options.interval;
	heap->snapshot = heap_snapshot(heap, time);
	heap->snapshot_start = heap->first_time + heap->snapshot * interval;
	heap->snapshot_end = interval ? heap->snapshot_start + interval : UINT64_MAX;
}

static void clock_is(struct heap *heap, uint64_t time)
{
	heap->events++;
	if (time < heap->snapshot_start || time >= heap->snapshot_end)
		move_snapshot(heap, time);
}

void heap_allocated(struct heap *heap, uint64_t key, uint64_t bytes, uint32_t kind, uint32_t stack,
		    uint64_t time)
{
	double weight = heap_weight(heap, bytes), amount = weight * (double)bytes;
	struct heap_live *entry = find_live(heap, key);
	uint32_t row;

	clock_is(heap, time);
	heap->last_allocated = key;
	row = find_row(heap, stack, kind, heap->snapshot);
	heap->allocations++;
	/* Its free() was not seen: it was before the recording of its thread, or was lost. */
	if (entry->key) {
		release(heap, entry);
		entry = find_live(heap, key);
	}
	*entry = (struct heap_live){key, bytes, row, NO_BLOCK};
	if (!heap->too_many) {
		const struct heap_block block = {.freed_by = HEAP_NO_STACK,
						 .address = MEMORY_ADDRESS(key),
						 .bytes = bytes,
						 .time = time,
						 .made = heap->events,
						 .freed = UINT64_MAX,
						 .stack = stack,
						 .kind = kind};

		entry->block = add_block(heap, &block);
	}
	if (++heap->live_used * 2 > heap->live_capacity)
		grow_live(heap);
	heap->rows[row].count += weight;
	heap->rows[row].bytes += amount;
	heap->bytes += amount;
	change_row(heap, &heap->rows[row], amount, weight);
	if (heap->live_bytes > heap->peak_bytes) {
		heap->peak_bytes = heap->live_bytes;
		heap->peak_event = heap->events;
		heap->peak_time = time;
		heap->peaks++;
	}
}

void heap_freed(struct heap *heap, uint64_t key, uint64_t time, struct heap_live *last)
{
	struct heap_live *entry = find_live(heap, key);

	clock_is(heap, time);
	*last = *entry;
	if (entry->key) {
		heap->frees++;
		heap->temporary += key == heap->last_allocated;
		release(heap, entry);
	} else {
		heap->foreign_frees++;
	}
	heap->last_allocated = 0;
}

void heap_freed_by(struct heap *heap, const struct heap_live *last, uint32_t stack)
{
	if (last->key && !heap->too_many && last->block != NO_BLOCK)
		heap->blocks[last->block].freed_by = stack;
}

void heap_kept(struct heap *heap, const struct heap_live *last)
{
	double weight = heap_weight(heap, last->bytes);
	struct heap_live *entry;

	if (!last->key)
		return;
	entry = find_live(heap, last->key);
	if (entry->key)
		return;
	*entry = *last;
	if (++heap->live_used * 2 > heap->live_capacity)
		grow_live(heap);
	heap->frees--;
	change_row(heap, &heap->rows[last->row], weight * (double)last->bytes, weight);
	if (!heap->too_many && last->block != NO_BLOCK) {
		heap->blocks[last->block].freed = UINT64_MAX;
		heap->blocks[last->block].freed_by = HEAP_NO_STACK;
	}
}

void heap_finish(struct heap *heap)
{
	for (size_t i = 0; i < heap->row_count; i++)
		change_row(heap, &heap->rows[i], 0, 0);
	for (size_t i = heap->row_count; i-- > 0;) {
		struct heap_row *row = &heap->rows[i];

		for (uint32_t k = row->next; k != NO_ROW; k = heap->rows[k].next) {
			struct heap_row *other = &heap->rows[k];

			if (other->snapshot != row->snapshot)
				break;
			if (other->kind != row->kind)
				continue;
			other->count += row->count;
			other->bytes += row->bytes;
			other->live_count += row->live_count;
			other->live_bytes += row->live_bytes;
			other->peak_count += row->peak_count;
			other->peak_bytes += row->peak_bytes;
			row->count = 0; /* left out */
			break;
		}
	}
}
