/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory laid out as lines of cells, and what a snapshot puts into them. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "heapmap.h"

enum { SMALL_GAP = 1 }; /* lines between two segments that are shown as they are */

/* ---- lines ----------------------------------------------------------------------------------- */

static int compare_segments(const void *a, const void *b)
{
	const struct heap_segment *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->last < y->last ? -1 : x->last > y->last;
}

static uint64_t line_bytes(const struct heap_map *map)
{
	return map->cell * map->columns;
}

/* One for each block, then those that touch become one. */
static void lay_out(struct heap_map *map)
{
	const struct heap *heap = map->heap;
	const uint64_t bytes = line_bytes(map);
	struct heap_segment *segments = perun_alloc_zero(heap->count + 1, sizeof *segments);
	size_t count = 0;

	for (size_t i = 0; i < heap->count; i++) {
		const struct heap_block *block = &heap->blocks[i];

		segments[i].first = block->start / bytes;
		segments[i].last = (block->start + (block->size - 1)) / bytes;
	}
	qsort(segments, heap->count, sizeof *segments, compare_segments);
	for (size_t i = 0; i < heap->count; i++) {
		struct heap_segment *before = count ? &segments[count - 1] : NULL;

		if (before && segments[i].first <= before->last + 1 + SMALL_GAP) {
			if (segments[i].last > before->last)
				before->last = segments[i].last;
		} else {
			segments[count++] = segments[i];
		}
	}
	map->lines = 0;
	for (size_t i = 0; i < count; i++) {
		segments[i].at = map->lines + (i ? 1 : 0);
		map->lines = segments[i].at + (size_t)(segments[i].last - segments[i].first) + 1;
	}
	map->segments = segments;
	map->segment_count = count;
}

void heap_map_make(const struct heap *heap, uint64_t cell, size_t columns, size_t most,
		   struct heap_map *map)
{
	*map = (struct heap_map){
		.heap = heap, .cell = cell ? cell : HEAP_MIN_CELL, .columns = columns};
	lay_out(map);
	while (!cell && map->lines > most && map->cell < (uint64_t)1 << 50) {
		heap_map_clear(map);
		map->cell *= 2;
		lay_out(map);
	}
}

void heap_map_clear(struct heap_map *map)
{
	perun_free(map->segments);
	map->segments = NULL;
}

/* The last segment that begins at the line or before. */
static size_t segment_of(const struct heap_map *map, size_t line)
{
	size_t low = 0, high = map->segment_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (map->segments[middle].at <= line)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct heap_segment *heap_map_line(const struct heap_map *map, size_t line, uint64_t *address,
					 uint64_t *gap)
{
	const size_t number = segment_of(map, line);
	const struct heap_segment *segment = &map->segments[number];
	const uint64_t offset = segment->first + (line - segment->at);

	*address = offset * line_bytes(map);
	*gap = 0;
	if (offset <= segment->last)
		return segment;
	if (number + 1 < map->segment_count)
		*gap = (map->segments[number + 1].first - segment->last - 1) * line_bytes(map);
	return NULL;
}

size_t heap_map_find(const struct heap_map *map, uint64_t address)
{
	const uint64_t wanted = address / line_bytes(map);
	size_t number = 0;

	while (number + 1 < map->segment_count && map->segments[number].last < wanted)
		number++;
	if (wanted < map->segments[number].first)
		return map->segments[number].at;
	if (wanted > map->segments[number].last)
		return map->lines - 1;
	return map->segments[number].at + (size_t)(wanted - map->segments[number].first);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* What is shown of a segment: addresses [low, high), cells from `cells` on. */
struct window {
	uint64_t low, high;
	struct heap_cell *cells;
};

static void paint_block(const struct heap_map *map, const struct window *window, uint32_t number,
			size_t snapshot)
{
	const struct heap_block *block = &map->heap->blocks[number];
	const uint64_t end = block->start + block->size;
	const uint64_t low = block->start > window->low ? block->start : window->low;
	const uint64_t high = end < window->high ? end : window->high;
	const bool alive = heap_has(block, snapshot);

	for (uint64_t at = low; at < high;) {
		const uint64_t index = (at - window->low) / map->cell;
		const uint64_t after = window->low + (index + 1) * map->cell;
		const uint64_t next = after > at ? after : high; /* the end of addresses */
		const double part = (double)((next < high ? next : high) - at) / (double)map->cell;
		struct heap_cell *cell = &window->cells[index];

		cell->heat++;
		if (alive) {
			cell->covered = fmin(1, cell->covered + part);
			if (part >= cell->largest) {
				cell->largest = part;
				cell->block = number;
			}
		}
		at = next;
	}
}

static void paint_window(const struct heap_map *map, const struct window *window, size_t snapshot)
{
	for (uint32_t i = 0; i < map->heap->count; i++) {
		const struct heap_block *block = &map->heap->blocks[i];

		if (block->born <= snapshot && block->start < window->high &&
		    block->start + block->size > window->low)
			paint_block(map, window, i, snapshot);
	}
}

uint32_t heap_map_paint(const struct heap_map *map, size_t snapshot, size_t first, size_t count,
			struct heap_cell *cells)
{
	const uint64_t bytes = line_bytes(map);
	uint32_t hottest = 0;
	size_t end = first + count < map->lines ? first + count : map->lines;

	for (size_t i = 0; i < count * map->columns; i++)
		cells[i] = (struct heap_cell){.block = UINT32_MAX};
	for (size_t line = first; line < end;) {
		uint64_t address, gap;
		const struct heap_segment *segment = heap_map_line(map, line, &address, &gap);
		struct window window = {address, 0, cells + (line - first) * map->columns};
		size_t stop;

		if (!segment) {
			line++;
			continue;
		}
		stop = segment->at + (size_t)(segment->last - segment->first) + 1;
		stop = stop < end ? stop : end;
		window.high = address + (stop - line) * bytes;
		if (window.high < window.low)
			window.high = UINT64_MAX; /* the end of addresses */
		paint_window(map, &window, snapshot);
		line = stop;
	}
	for (size_t i = 0; i < count * map->columns; i++)
		hottest = cells[i].heat > hottest ? cells[i].heat : hottest;
	return hottest;
}
