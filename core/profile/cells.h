/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a column: chunks of typed values with bitmaps, shared once they are full. */
#ifndef PERUN_CORE_PROFILE_CELLS_H
#define PERUN_CORE_PROFILE_CELLS_H

#include <pthread.h>
#include <stdatomic.h>

#include "perun/profile.h"

/*
 * Every chunk but the last holds PERUN_SPAN_ROWS cells; the last one grows by doubling. A chunk
 * with several owners is immutable: who wants to write copies it. Bits of `absent` and `integers`
 * beyond the last cell are 0.
 */
struct perun_chunk {
	atomic_uint refs;
	uint32_t capacity;
	void *_Atomic cells; /* NULL as long as nobody asked for what lies in `narrow` */
	/*
	 * A full chunk of integers that fit may be kept at half the size. Under the lock it is made
	 * wide for the first who wants to read it, perhaps one of several threads.
	 */
	int32_t *narrow;
	pthread_mutex_t lock;        /* made for chunks with `narrow` */
	uint64_t *absent, *integers; /* NULL = no bit is set */
};

struct perun_cells {
	enum perun_type type;
	bool valued;    /* some cell may be present */
	bool narrow;    /* full chunks of integers are made narrow */
	perun_id limit; /* ids are below it, absent ones apart */
	size_t count;
	struct perun_chunk **chunks;
	size_t chunk_count, chunk_capacity;
	/* Where the next cell goes without further ado: cells [count, end) of the last chunk. */
	char *tail;
	size_t end;
	struct perun_chunk *blank; /* a full chunk of absent cells, made when needed */
};

static inline size_t perun_cell_size(enum perun_type type)
{
	return type <= PERUN_DOUBLE ? 8 : type == PERUN_BOOL ? 1 : 4;
}

static inline bool perun_type_is_id(enum perun_type type)
{
	return type > PERUN_BOOL;
}

void perun_cells_init(struct perun_cells *cells, enum perun_type type);
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
void perun_chunk_set_integer(struct perun_chunk *chunk, size_t i, bool integer);

bool perun_cells_span(const struct perun_cells *cells, size_t row, struct perun_span *span);
/* What is narrow stays so; see perun_column_span_copy(). */
bool perun_cells_span_copy(const struct perun_cells *cells, size_t row, struct perun_span *span,
			   int64_t *block);

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
	return cells->tail + row % PERUN_SPAN_ROWS * size;
}

#endif
