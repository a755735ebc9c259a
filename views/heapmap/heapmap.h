/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the view `heapmap`: what lay where in memory, snapshot by snapshot. */
#ifndef PERUN_VIEWS_HEAPMAP_HEAPMAP_H
#define PERUN_VIEWS_HEAPMAP_HEAPMAP_H

#include "views/common/allocations.h"

/* ---- the heap -------------------------------------------------------------------------------- */

/* Memory from its allocation until it was given back. Snapshots are numbered from 0 without gaps. */
struct heap_block {
	uint64_t start, size; /* bytes; never past the end of addresses, size at least 1 */
	uint32_t born;        /* snapshot */
	uint32_t died;        /* the first snapshot that has it no more; UINT32_MAX = never */
	uint32_t allocation;  /* number in heap.allocations */
	uint32_t place;       /* number in heap.places */
};

struct heap_snapshot {
	int64_t number;          /* as the profile has it */
	double time;             /* seconds; NaN = unknown */
	double amount;           /* bytes in use at its end */
	size_t blocks;           /* in use */
	size_t allocated, freed; /* in it */
};

/* Who allocates: places of the most bytes first. */
struct heap_place {
	struct views_frame frame;
	double amount; /* bytes, of all snapshots */
	size_t count;
};

struct heap {
	const char *name; /* of the profile */
	struct views_allocations allocations;
	struct heap_block *blocks; /* as they were allocated */
	size_t count, capacity;
	struct heap_snapshot *snapshots;
	size_t snapshot_count;
	struct heap_place *places;
	size_t place_count;
	double peak; /* the largest amount of a snapshot */
};

/* Close it also after a failure. */
int heap_open(struct perun_ctx *ctx, struct perun_profile *profile, const char *name,
	      const struct perun_options *options, struct heap *heap);
void heap_close(struct heap *heap);
static inline bool heap_has(const struct heap_block *block, size_t snapshot)
{
	return block->born <= snapshot && block->died > snapshot;
}

/* ---- the map --------------------------------------------------------------------------------- */

/*
 * Memory as lines of cells of the same size. Only lines that any snapshot uses are there, and what lies
 * between two of them, if it is no more than that: segments. Between two segments there is one line more,
 * which says how much is left out.
 */
struct heap_segment {
	uint64_t first, last; /* lines of memory: address / (cell * columns) */
	size_t at;            /* line of the map where it begins */
};
struct heap_map {
	const struct heap *heap;
	uint64_t cell; /* bytes, a power of 2 */
	size_t columns;
	struct heap_segment *segments;
	size_t segment_count;
	size_t lines;
};

enum { HEAP_MIN_CELL = 8 };
/* Lay out with cells of this many bytes; 0 = the least with which all fits into `most` lines. */
void heap_map_make(const struct heap *heap, uint64_t cell, size_t columns, size_t most,
		   struct heap_map *map);
void heap_map_clear(struct heap_map *map);
/* The segment of a line; NULL = the line is a gap, `*gap` bytes large. */
const struct heap_segment *heap_map_line(const struct heap_map *map, size_t line, uint64_t *address,
					 uint64_t *gap);
/* The line of the map that has an address, or that comes after it. */
size_t heap_map_find(const struct heap_map *map, uint64_t address);

struct heap_cell {
	double covered; /* share that is in use */
	double largest; /* of the block below */
	uint32_t block; /* which covers most of it; UINT32_MAX = none */
	uint32_t heat;  /* how often it was allocated until now */
};
/*
 * Lines [first, first + count) of the map at a snapshot: cells[count * columns], the caller's. Returns
 * the highest heat of the lines.
 */
uint32_t heap_map_paint(const struct heap_map *map, size_t snapshot, size_t first, size_t count,
			struct heap_cell *cells);

/* ---- looks ----------------------------------------------------------------------------------- */

/* Places beyond the palette share one colour, as they are in the legend. */
enum { HEAP_COLORS = 7, HEAP_OTHERS = 7 };
static inline unsigned heap_color(const struct heap_block *block)
{
	return block->place < HEAP_COLORS ? block->place : HEAP_OTHERS;
}
/* "snapshot 3 (4 of 12) at 4.00 ms: 120 KiB in 45 blocks, +12 -5" */
void heap_add_status(const struct heap *heap, size_t snapshot, struct perun_buffer *out);
/* "64 B" of memory. */
void heap_add_bytes(struct perun_buffer *out, double bytes);
/* The greatest amount of snapshots `from` up to `to` as a bar of a line's height, full at the peak. */
const char *heap_bar(const struct heap *heap, size_t from, size_t to, bool ascii);
/* The character of a cell: how full it is, or a letter for its place where there are no colours. */
const char *heap_glyph(const struct heap_map *map, const struct heap_cell *cell, uint32_t hottest,
		       bool heat, bool color, bool ascii);
/* 0 to 1. */
double heap_heat(const struct heap_cell *cell, uint32_t hottest);

struct heapmap {
	const struct perun_options *options;
	bool heat;
};
/* The number of the snapshot that option `snapshot` names; by default that of the most memory. */
int heap_choose_snapshot(const struct heap *heap, const struct perun_options *options,
			 size_t *number);
int heapmap_write_text(const struct heap *heap, const struct heapmap *heapmap,
		       const struct perun_canvas *canvas);
/* Take over the terminal until the user leaves; fails where there is none that can do it. */
int heapmap_interact(struct perun_ctx *ctx, const struct heap *heap, const struct heapmap *heapmap,
		     const struct perun_canvas *canvas);
bool heapmap_can_interact(void);
int heapmap_write_html(const struct heap *heap, const struct heapmap *heapmap,
		       const struct perun_canvas *canvas);
int heapmap_write_svg(const struct heap *heap, const struct heapmap *heapmap,
		      const struct perun_canvas *canvas);
int heapmap_write_json(const struct heap *heap, const struct perun_canvas *canvas);

extern const unsigned char heapmap_page_html[], heapmap_page_css[], heapmap_page_js[];
extern const unsigned long heapmap_page_html_size, heapmap_page_css_size, heapmap_page_js_size;

#endif
