/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a column: chunks of typed values with bitmaps, shared once they are full. */
#ifndef PERUN_CORE_PROFILE_CELLS_H
#define PERUN_CORE_PROFILE_CELLS_H

#include <stdatomic.h>

#include "perun/profile.h"

/*
 * Every chunk but the last holds PERUN_SPAN_ROWS cells; the last one grows by doubling. A chunk
 * with several owners is immutable: who wants to write copies it. Bits of `absent` and `integers`
 * beyond the last cell are 0. Of columns that save
 * memory, a chunk that is full and ours alone is packed if it can be (narrow.c): then
 * `cells` is NULL until somebody asks for all of them, and from then on as long as the chunk lives.
 */
struct perun_chunk {
	atomic_uint refs;
	uint32_t capacity;
	void *_Atomic cells;
	uint64_t *absent,
		*integers; /* NULL = no bit is set, or the chunk is sparse and knows what is absent */
	bool packed;
	bool sparse;    /* packed: `narrow` holds the present cells */
	bool parted;    /* packed: `narrow` holds its parts, and more cells may follow */
	bool listed;    /* packed: `narrow` holds the different cells, and which of them each is */
	bool rising;    /* packed: each cell is one more than it would be at the place before */
	bool running;   /* packed: `narrow` holds runs of the same id */
	uint8_t width;  /* bytes of an offset: 0, 1, 2 or 4 */
	uint8_t digits; /* of doubles: all are packed as what they are times 10^digits */
	int64_t base;
	void *narrow; /* the offsets, or what narrow.c has of sparse ones */
};

struct perun_cells {
	enum perun_type type;
	bool valued;    /* some cell may be present */
	bool narrow;    /* full chunks are packed where that makes them smaller */
	bool crowded;   /* there are many such columns: a chunk that grows is packed part by part */
	perun_id limit; /* ids are below it, absent ones apart */
	size_t count;
	struct perun_chunk **chunks;
	size_t chunk_count, chunk_capacity;
	/* Where the next cell goes without further ado: cells [count, end) of the last chunk; `tail` is that of row `tail_row`. */
	char *tail;
	size_t tail_row, end;
	struct perun_chunk *blank; /* a full chunk of absent cells, made when needed */
};

static inline size_t perun_cell_size(enum perun_type type)
{
	return type <= PERUN_TYPE_DOUBLE ? 8 : type == PERUN_TYPE_BOOL ? 1 : 4;
}

static inline bool perun_type_is_id(enum perun_type type)
{
	return type > PERUN_TYPE_BOOL;
}

void perun_cells_init(struct perun_cells *cells, enum perun_type type);
/* As a replacement of `like`, which may be the same cells, without anything in it. */
void perun_cells_init_like(struct perun_cells *cells, enum perun_type type,
			   const struct perun_cells *like);
void perun_cells_free(struct perun_cells *cells);
/* Make `to` (uninitialized) the same as `from`, sharing its chunks. */
void perun_cells_share(struct perun_cells *to, const struct perun_cells *from);
/* Release what only a builder needs. */
void perun_cells_finish(struct perun_cells *cells);

/*
 * Cells to write at the end: makes room for one at least and at most `want`; returns where they go
 * and their number in `*got`. They are counted by perun_cells_added().
 */
void *perun_cells_reserve(struct perun_cells *cells, size_t want, size_t *got);
/* The place of one more cell, which is counted: chunks of few present cells have only these. */
void *perun_cells_add_one(struct perun_cells *cells);
void perun_cells_append(struct perun_cells *cells, const void *values, size_t count);
/* `count` equal cells; full chunks of them are one chunk. */
void perun_cells_append_same(struct perun_cells *cells, const void *value, size_t count);
void perun_cells_append_absent(struct perun_cells *cells, size_t count);
/* Append `count` cells of `from` (same type) from row `first` on, with their bits. */
void perun_cells_append_from(struct perun_cells *cells, const struct perun_cells *from,
			     size_t first, size_t count);
/* Drop the cells from row `count` on. */
void perun_cells_truncate(struct perun_cells *cells, size_t count);

/* The chunk of a row, ours alone: for overwriting. */
struct perun_chunk *perun_cells_own(struct perun_cells *cells, size_t row);
/* Set or clear a bit of a chunk that is ours; clearing never allocates. */
void perun_chunk_set_absent(struct perun_chunk *chunk, size_t i, bool absent);
void perun_set_bits(uint64_t *bitmap, size_t first, size_t count);
void perun_chunk_set_integer(struct perun_chunk *chunk, size_t i, bool integer);

/* The span of a row at full width; it stays as long as the cells. */
bool perun_cells_span(const struct perun_cells *cells, size_t row, struct perun_span *span);
/* See perun_column_span_copy(). */
bool perun_cells_span_copy(const struct perun_cells *cells, size_t row, struct perun_span *span,
			   void *block);
/*
 * The same with a block that is made when it is needed: zero it first, free its `cells` at last. NULL:
 * only the bitmaps.
 */
struct perun_scratch {
	void *cells;
	size_t size; /* in bytes */
};
bool perun_cells_read(const struct perun_cells *cells, size_t row, struct perun_scratch *scratch,
		      struct perun_span *span);
/* One cell: a span that holds it, and its place there. Packed cells stay packed. */
struct perun_one_cell {
	struct perun_span span;
	size_t i;
	uint64_t bits, integer;
};
bool perun_cells_one(const struct perun_cells *cells, size_t row, struct perun_one_cell *one);
/* What absent cells hold. */
void perun_fill_absent(enum perun_type type, void *to, size_t count);

/* ---- packed chunks: narrow.c ---- */

/* Pack the `count` cells of a chunk that is ours alone, if that makes them smaller. */
void perun_chunk_pack(struct perun_chunk *chunk, enum perun_type type, size_t count);
/*
 * The last chunk, ours alone, of `used` cells of which few are present, as a sparse one that is added to: false, and nothing
 * happened, where they are too many. Then `count` absent ones more, or the place of a present one; NULL where these would be
 * too many, and the chunk is to be made wide.
 */
bool perun_chunk_open_sparse(struct perun_chunk *chunk, enum perun_type type, size_t used);
void perun_chunk_sparse_absent(struct perun_chunk *chunk, size_t used, size_t count);
void *perun_chunk_sparse_add(struct perun_chunk *chunk, enum perun_type type, size_t used);
/* A chunk without cells that is a sparse one. */
struct perun_chunk *perun_chunk_new_sparse(enum perun_type type);
/*
 * The last chunk, ours alone, of `used` cells as one that is packed part by part: 65,536 rows of hundreds of columns at full width
 * are many times their file. Then the part that cell `used` goes into, whose cells are not packed yet.
 */
enum { PERUN_PART_CELLS = 256 };
void perun_chunk_open_parts(struct perun_chunk *chunk, enum perun_type type, size_t used);
char *perun_chunk_last_part(struct perun_chunk *chunk, enum perun_type type, size_t used);
/* Which cells are absent; NULL = none is. Made of a sparse one when somebody asks, for as long as nothing is added to it. */
const uint64_t *perun_chunk_absent(const struct perun_chunk *chunk);
/* Free what only a packed chunk has. */
void perun_chunk_free_packed(struct perun_chunk *chunk);
/* Copy cells at full width, packed or not. */
void perun_chunk_unpack(const struct perun_chunk *chunk, enum perun_type type, size_t first,
			size_t count, void *to);
/* All cells of a packed chunk, kept with it; any number of threads may ask. */
const void *perun_chunk_widen(struct perun_chunk *chunk, enum perun_type type, size_t count);
/* Undo packing: the chunk is ours alone, for writing. */
void perun_chunk_make_wide(struct perun_chunk *chunk, enum perun_type type, size_t count);

/*
 * The place of cell `row`, if it is the next one and there is room: the way of nearly all cells
 * that are set one by one. NULL otherwise.
 */
static inline void *perun_cells_next(struct perun_cells *cells, size_t row, size_t size)
{
	if (cells->count != row || row >= cells->end)
		return NULL;
	cells->count++;
	cells->valued = true;
	return cells->tail + (row - cells->tail_row) * size;
}

#endif
