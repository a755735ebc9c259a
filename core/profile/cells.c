/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a column: chunks of typed values with bitmaps, shared once they are full. */
#include <math.h>
#include <string.h>

#include "core/profile/cells.h"

#define FIRST_CAPACITY 8
#define WORTH_PACKING  1024 /* cells of a last chunk */

static struct perun_chunk *chunk_new(size_t capacity, size_t size)
{
	struct perun_chunk *chunk = perun_alloc_zero(1, sizeof *chunk);

	atomic_init(&chunk->refs, 1);
	chunk->capacity = (uint32_t)capacity;
	atomic_init(&chunk->cells, perun_alloc(capacity * size));
	return chunk;
}

static struct perun_chunk *chunk_ref(struct perun_chunk *chunk)
{
	atomic_fetch_add_explicit(&chunk->refs, 1, memory_order_relaxed);
	return chunk;
}

static void chunk_unref(struct perun_chunk *chunk)
{
	if (!chunk || atomic_fetch_sub_explicit(&chunk->refs, 1, memory_order_acq_rel) != 1)
		return;
	perun_free(chunk->cells);
	perun_chunk_free_packed(chunk);
	perun_free(chunk->absent);
	perun_free(chunk->integers);
	perun_free(chunk);
}

static size_t bitmap_words(size_t bits)
{
	return (bits + 63) / 64;
}

static uint64_t *bitmap_grow(uint64_t *bitmap, size_t from, size_t to)
{
	size_t old = bitmap_words(from), new = bitmap_words(to);

	if (!bitmap)
		return NULL;
	bitmap = perun_realloc_array(bitmap, new, sizeof *bitmap);
	if (new > old)
		memset(bitmap + old, 0, (new - old) * sizeof *bitmap);
	return bitmap;
}

static void chunk_grow(struct perun_chunk *chunk, size_t capacity, size_t size)
{
	chunk->cells = perun_realloc(chunk->cells, capacity * size);
	chunk->absent = bitmap_grow(chunk->absent, chunk->capacity, capacity);
	chunk->integers = bitmap_grow(chunk->integers, chunk->capacity, capacity);
	chunk->capacity = (uint32_t)capacity;
}

static struct perun_chunk *chunk_copy(const struct perun_chunk *chunk, size_t used,
				      enum perun_type type)
{
	struct perun_chunk *copy = chunk_new(chunk->capacity, perun_cell_size(type));
	size_t bytes = bitmap_words(chunk->capacity) * sizeof *chunk->absent;
	const uint64_t *absent = perun_chunk_absent(chunk);

	perun_chunk_unpack(chunk, type, 0, used, copy->cells);
	if (absent)
		copy->absent = perun_memdup(absent, bytes);
	if (chunk->integers)
		copy->integers = perun_memdup(chunk->integers, bytes);
	return copy;
}

static void set_bit(uint64_t **bitmap, size_t capacity, size_t i, bool value)
{
	if (!*bitmap) {
		if (!value)
			return;
		*bitmap = perun_alloc_zero(bitmap_words(capacity), sizeof **bitmap);
	}
	if (value)
		(*bitmap)[i / 64] |= UINT64_C(1) << (i % 64);
	else
		(*bitmap)[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

void perun_set_bits(uint64_t *bitmap, size_t first, size_t count)
{
	for (; count && first % 64; count--, first++)
		bitmap[first / 64] |= UINT64_C(1) << (first % 64);
	memset(bitmap + first / 64, 0xff, count / 64 * sizeof *bitmap);
	first += count / 64 * 64;
	if (count % 64)
		bitmap[first / 64] |= (UINT64_C(1) << (count % 64)) - 1;
}

void perun_chunk_set_absent(struct perun_chunk *chunk, size_t i, bool absent)
{
	set_bit(&chunk->absent, chunk->capacity, i, absent);
}

void perun_chunk_set_integer(struct perun_chunk *chunk, size_t i, bool integer)
{
	set_bit(&chunk->integers, chunk->capacity, i, integer);
}

void perun_cells_init(struct perun_cells *cells, enum perun_type type)
{
	*cells = (struct perun_cells){.type = type};
}

void perun_cells_init_like(struct perun_cells *cells, enum perun_type type,
			   const struct perun_cells *like)
{
	*cells = (struct perun_cells){
		.type = type, .narrow = like->narrow, .crowded = like->crowded};
}

void perun_cells_free(struct perun_cells *cells)
{
	for (size_t i = 0; i < cells->chunk_count; i++)
		chunk_unref(cells->chunks[i]);
	perun_free(cells->chunks);
	chunk_unref(cells->blank);
	perun_cells_init_like(cells, cells->type, cells);
}

void perun_cells_share(struct perun_cells *to, const struct perun_cells *from)
{
	*to = *from;
	to->blank = NULL;
	to->tail = NULL;
	to->end = 0;
	to->chunk_capacity = from->chunk_count;
	to->chunks = perun_alloc(from->chunk_count * sizeof *to->chunks);
	for (size_t i = 0; i < from->chunk_count; i++)
		to->chunks[i] = chunk_ref(from->chunks[i]);
}

void perun_cells_finish(struct perun_cells *cells)
{
	struct perun_chunk *last;
	size_t used = cells->count % PERUN_SPAN_ROWS;
	bool pack;

	chunk_unref(cells->blank);
	cells->blank = NULL;
	cells->tail = NULL;
	cells->end = 0;
	if (!cells->chunk_count)
		return;
	last = cells->chunks[cells->chunk_count - 1];
	if (atomic_load(&last->refs) != 1 || last->packed)
		return;
	pack = cells->narrow && (used == 0 || used >= WORTH_PACKING);
	if (used && (pack || used + used / 4 < last->capacity))
		chunk_grow(last, used, perun_cell_size(cells->type));
	if (pack)
		perun_chunk_pack(last, cells->type, used ? used : PERUN_SPAN_ROWS);
}

/* A new last chunk; the one before is full now, and may be packed unless it is shared. */
static void add_chunk(struct perun_cells *cells, struct perun_chunk *chunk)
{
	struct perun_chunk *last =
		cells->chunk_count ? cells->chunks[cells->chunk_count - 1] : NULL;

	if (cells->narrow && last && atomic_load_explicit(&last->refs, memory_order_acquire) == 1)
		perun_chunk_pack(last, cells->type, PERUN_SPAN_ROWS);
	PERUN_GROW(cells->chunks, cells->chunk_count, cells->chunk_capacity);
	cells->chunks[cells->chunk_count++] = chunk;
}

/* Chunk `i`, copied if it is shared. */
static struct perun_chunk *own_chunk(struct perun_cells *cells, size_t i)
{
	struct perun_chunk *chunk = cells->chunks[i], *copy;
	size_t used = cells->count - i * PERUN_SPAN_ROWS;

	used = used < PERUN_SPAN_ROWS ? used : PERUN_SPAN_ROWS;
	if (chunk->parted)
		cells->end = 0; /* the next cell goes elsewhere */
	if (atomic_load_explicit(&chunk->refs, memory_order_acquire) == 1) {
		perun_chunk_make_wide(chunk, cells->type, used);
		return chunk;
	}
	copy = chunk_copy(chunk, used, cells->type);
	chunk_unref(chunk);
	cells->chunks[i] = copy;
	return copy;
}

struct perun_chunk *perun_cells_own(struct perun_cells *cells, size_t row)
{
	return own_chunk(cells, row / PERUN_SPAN_ROWS);
}

/* Capacity of the last chunk for `need` cells: doubled in the first chunk, full in later ones. */
static size_t new_capacity(const struct perun_cells *cells, size_t capacity, size_t need)
{
	if (cells->count >= PERUN_SPAN_ROWS || need >= PERUN_SPAN_ROWS)
		return PERUN_SPAN_ROWS;
	if (capacity < FIRST_CAPACITY)
		capacity = FIRST_CAPACITY;
	while (capacity < need)
		capacity *= 2;
	return capacity < PERUN_SPAN_ROWS ? capacity : PERUN_SPAN_ROWS;
}

/* The last chunk, if it is packed part by part: from when it would grow beyond a part. */
static struct perun_chunk *parted_chunk(struct perun_cells *cells, size_t used, size_t need)
{
	struct perun_chunk *last;

	if (!cells->narrow || !cells->crowded || cells->type == PERUN_TYPE_BOOL ||
	    !cells->chunk_count)
		return NULL;
	if (used == 0)
		add_chunk(cells, chunk_new(FIRST_CAPACITY, perun_cell_size(cells->type)));
	last = cells->chunks[cells->chunk_count - 1];
	if (atomic_load_explicit(&last->refs, memory_order_acquire) != 1)
		return NULL;
	if (!last->packed && (used == 0 || (need > last->capacity && need > PERUN_PART_CELLS)))
		perun_chunk_open_parts(last, cells->type, used);
	return last->parted && !atomic_load_explicit(&last->cells, memory_order_relaxed) ? last
											 : NULL;
}

/* The same of a chunk that is packed part by part: at most what is left of a part. */
static void *reserve_part(struct perun_cells *cells, struct perun_chunk *chunk, size_t want,
			  size_t *got)
{
	const size_t used = cells->count % PERUN_SPAN_ROWS, filled = used % PERUN_PART_CELLS,
		     size = perun_cell_size(cells->type);

	cells->tail = perun_chunk_last_part(chunk, cells->type, used);
	cells->tail_row = cells->count - filled;
	cells->end = cells->tail_row + PERUN_PART_CELLS;
	*got = want < PERUN_PART_CELLS - filled ? want : PERUN_PART_CELLS - filled;
	return cells->tail + filled * size;
}

void *perun_cells_reserve(struct perun_cells *cells, size_t want, size_t *got)
{
	size_t size = perun_cell_size(cells->type), used = cells->count % PERUN_SPAN_ROWS, need;
	struct perun_chunk *chunk;

	if (want > PERUN_SPAN_ROWS - used)
		want = PERUN_SPAN_ROWS - used;
	need = used + want;
	chunk = parted_chunk(cells, used, need);
	if (chunk)
		return reserve_part(cells, chunk, want, got);
	if (used == 0) {
		chunk = chunk_new(new_capacity(cells, 0, need), size);
		add_chunk(cells, chunk);
	} else {
		chunk = own_chunk(cells, cells->chunk_count - 1);
		if (chunk->capacity < need)
			chunk_grow(chunk, new_capacity(cells, chunk->capacity, need), size);
	}
	cells->tail = chunk->cells;
	cells->tail_row = cells->count - used;
	cells->end = cells->tail_row + chunk->capacity;
	*got = want;
	return cells->tail + used * size;
}

/* The last chunk, where there are cells in it and it is sparse, ours alone, and nobody has asked for its cells at full width. */
static struct perun_chunk *open_sparse(const struct perun_cells *cells)
{
	struct perun_chunk *last;

	if (!cells->narrow || cells->count % PERUN_SPAN_ROWS == 0)
		return NULL;
	last = cells->chunks[cells->chunk_count - 1];
	if (!last->sparse || atomic_load_explicit(&last->cells, memory_order_relaxed) ||
	    atomic_load_explicit(&last->refs, memory_order_acquire) != 1)
		return NULL;
	return last;
}

void *perun_cells_add_one(struct perun_cells *cells)
{
	struct perun_chunk *sparse = open_sparse(cells);
	void *to =
		sparse ? perun_chunk_sparse_add(sparse, cells->type, cells->count % PERUN_SPAN_ROWS)
		       : NULL;
	size_t got;

	if (!to)
		to = perun_cells_reserve(cells, 1, &got);
	cells->count++;
	return to;
}

void perun_cells_append(struct perun_cells *cells, const void *values, size_t count)
{
	size_t size = perun_cell_size(cells->type), got;
	const char *from = values;

	while (count) {
		void *to = perun_cells_reserve(cells, count, &got);

		memcpy(to, from, got * size);
		from += got * size;
		cells->count += got;
		count -= got;
		cells->valued = true;
	}
}

static void fill_same(void *to, const void *value, size_t size, size_t count)
{
	char *cells = to;

	if (size == 4) {
		for (size_t i = 0; i < count; i++)
			((perun_id *)to)[i] = *(const perun_id *)value;
		return;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(cells + i * size, value, size);
}

void perun_cells_append_same(struct perun_cells *cells, const void *value, size_t count)
{
	size_t size = perun_cell_size(cells->type), got;
	struct perun_chunk *full = NULL;

	cells->valued |= count > 0;
	for (; count; count -= got) {
		if (cells->count % PERUN_SPAN_ROWS == 0 && count >= PERUN_SPAN_ROWS) {
			if (!full) {
				full = chunk_new(PERUN_SPAN_ROWS, size);
				fill_same(full->cells, value, size, PERUN_SPAN_ROWS);
				if (cells->narrow)
					perun_chunk_pack(full, cells->type, PERUN_SPAN_ROWS);
				add_chunk(cells, full);
			} else {
				add_chunk(cells, chunk_ref(full));
			}
			cells->end = 0;
			got = PERUN_SPAN_ROWS;
		} else {
			void *to = perun_cells_reserve(cells, count, &got);

			fill_same(to, value, size, got);
		}
		cells->count += got;
	}
}

void perun_fill_absent(enum perun_type type, void *to, size_t count)
{
	if (type == PERUN_TYPE_DOUBLE) {
		for (size_t i = 0; i < count; i++)
			((double *)to)[i] = NAN;
	} else {
		memset(to, perun_type_is_id(type) ? 0xff : 0, count * perun_cell_size(type));
	}
}

static struct perun_chunk *blank_chunk(struct perun_cells *cells)
{
	if (!cells->blank) {
		cells->blank = chunk_new(PERUN_SPAN_ROWS, perun_cell_size(cells->type));
		cells->blank->absent = perun_alloc(PERUN_SPAN_ROWS / 8);
		memset(cells->blank->absent, 0xff, PERUN_SPAN_ROWS / 8);
		perun_fill_absent(cells->type, cells->blank->cells, PERUN_SPAN_ROWS);
		if (cells->narrow)
			perun_chunk_pack(cells->blank, cells->type, PERUN_SPAN_ROWS);
	}
	return chunk_ref(cells->blank);
}

/* A sparse chunk, where the one before is sparse or `count` absent cells, with which it begins, are worth it; else NULL. */
static struct perun_chunk *next_sparse(struct perun_cells *cells, size_t count)
{
	struct perun_chunk *sparse;
	bool follows = cells->chunk_count && cells->chunks[cells->chunk_count - 1]->sparse;

	if (!cells->narrow || (!follows && count < WORTH_PACKING))
		return NULL;
	sparse = perun_chunk_new_sparse(cells->type);
	add_chunk(cells, sparse);
	cells->end = 0;
	return sparse;
}

/* The last chunk, if it is a sparse one for more absent cells; whether it becomes one is asked as often as cells double. */
static struct perun_chunk *absent_sparse(struct perun_cells *cells, size_t count)
{
	struct perun_chunk *sparse = open_sparse(cells), *last;
	size_t used = cells->count % PERUN_SPAN_ROWS;

	if (used == 0 && count < PERUN_SPAN_ROWS)
		return next_sparse(cells, count);
	if (sparse || !cells->narrow || used < WORTH_PACKING || (used ^ (used + count)) <= used)
		return sparse;
	last = cells->chunks[cells->chunk_count - 1];
	if ((last->packed && !last->parted) ||
	    atomic_load_explicit(&last->refs, memory_order_acquire) != 1 ||
	    !perun_chunk_open_sparse(last, cells->type, used))
		return NULL;
	cells->end = 0;
	return last;
}

void perun_cells_append_absent(struct perun_cells *cells, size_t count)
{
	struct perun_chunk *chunk, *sparse;
	size_t got, used;

	while (count) {
		used = cells->count % PERUN_SPAN_ROWS;
		sparse = absent_sparse(cells, count);
		if (sparse) {
			got = count < PERUN_SPAN_ROWS - used ? count : PERUN_SPAN_ROWS - used;
			perun_chunk_sparse_absent(sparse, used, got);
		} else if (used == 0 && count >= PERUN_SPAN_ROWS) {
			add_chunk(cells, blank_chunk(cells));
			cells->end = 0;
			got = PERUN_SPAN_ROWS;
		} else {
			void *to = perun_cells_reserve(cells, count, &got);

			perun_fill_absent(cells->type, to, got);
			chunk = cells->chunks[cells->chunk_count - 1];
			if (!chunk->absent)
				chunk->absent = perun_alloc_zero(bitmap_words(chunk->capacity), 8);
			perun_set_bits(chunk->absent, used, got);
		}
		cells->count += got;
		count -= got;
	}
}

static void copy_bits(uint64_t **to, size_t capacity, size_t at, const uint64_t *from, size_t first,
		      size_t count)
{
	if (!from)
		return;
	for (size_t i = 0; i < count; i++) {
		if (perun_bit(from, first + i))
			set_bit(to, capacity, at + i, true);
	}
}

void perun_cells_append_from(struct perun_cells *cells, const struct perun_cells *from,
			     size_t first, size_t count)
{
	struct perun_chunk *chunk;
	struct perun_span span;
	size_t got, used;

	while (count && perun_cells_read(from, first, NULL, &span)) {
		size_t skip = first - span.first, run = span.count - skip;

		run = run < count ? run : count;
		used = cells->count % PERUN_SPAN_ROWS;
		if (used == 0 && skip == 0 && run == PERUN_SPAN_ROWS) {
			add_chunk(cells, chunk_ref(from->chunks[first / PERUN_SPAN_ROWS]));
			cells->end = 0;
			got = run;
		} else {
			void *to = perun_cells_reserve(cells, run, &got);

			perun_chunk_unpack(from->chunks[first / PERUN_SPAN_ROWS], cells->type, skip,
					   got, to);
			chunk = cells->chunks[cells->chunk_count - 1];
			copy_bits(&chunk->absent, chunk->capacity, used, span.absent, skip, got);
			copy_bits(&chunk->integers, chunk->capacity, used, span.integers, skip,
				  got);
		}
		cells->count += got;
		first += got;
		count -= got;
	}
	cells->valued |= from->valued;
	if (cells->limit < from->limit)
		cells->limit = from->limit;
}

static void clear_bits(uint64_t *bitmap, size_t first, size_t end)
{
	if (!bitmap)
		return;
	for (; first < end && first % 64; first++)
		bitmap[first / 64] &= ~(UINT64_C(1) << (first % 64));
	if (first < end)
		memset(bitmap + first / 64, 0, (bitmap_words(end) - first / 64) * sizeof *bitmap);
}

void perun_cells_truncate(struct perun_cells *cells, size_t count)
{
	size_t keep = (count + PERUN_SPAN_ROWS - 1) / PERUN_SPAN_ROWS,
	       used = count % PERUN_SPAN_ROWS;
	struct perun_chunk *last;

	if (count >= cells->count)
		return;
	while (cells->chunk_count > keep)
		chunk_unref(cells->chunks[--cells->chunk_count]);
	cells->end = 0;
	cells->count = count;
	if (used) {
		last = own_chunk(cells, keep - 1);
		clear_bits(last->absent, used, last->capacity);
		clear_bits(last->integers, used, last->capacity);
	}
}

/* The span of a row without what is absent; its cells only where the chunk has them at full width. */
static struct perun_chunk *chunk_at(const struct perun_cells *cells, size_t row,
				    struct perun_span *span)
{
	struct perun_chunk *chunk;

	if (row >= cells->count)
		return NULL;
	chunk = cells->chunks[row / PERUN_SPAN_ROWS];
	span->first = row / PERUN_SPAN_ROWS * PERUN_SPAN_ROWS;
	span->count = cells->count - span->first;
	if (span->count > PERUN_SPAN_ROWS)
		span->count = PERUN_SPAN_ROWS;
	span->cells = atomic_load_explicit(&chunk->cells, memory_order_acquire);
	span->integers = chunk->integers;
	return chunk;
}

bool perun_cells_span(const struct perun_cells *cells, size_t row, struct perun_span *span)
{
	struct perun_chunk *chunk = chunk_at(cells, row, span);

	if (!chunk)
		return false;
	span->absent = perun_chunk_absent(chunk);
	if (!span->cells)
		span->cells = perun_chunk_widen(chunk, cells->type, span->count);
	return true;
}

bool perun_cells_span_copy(const struct perun_cells *cells, size_t row, struct perun_span *span,
			   void *block)
{
	const struct perun_chunk *chunk = chunk_at(cells, row, span);

	if (!chunk)
		return false;
	span->absent = perun_chunk_absent(chunk);
	if (!span->cells && block) {
		perun_chunk_unpack(chunk, cells->type, 0, span->count, block);
		span->cells = block;
	}
	return true;
}

bool perun_cells_read(const struct perun_cells *cells, size_t row, struct perun_scratch *scratch,
		      struct perun_span *span)
{
	size_t bytes;

	if (!perun_cells_span_copy(cells, row, span, NULL))
		return false;
	bytes = span->count * perun_cell_size(cells->type);
	if (span->cells || !scratch)
		return true;
	if (scratch->size < bytes) {
		perun_free(scratch->cells);
		scratch->cells = perun_alloc(bytes);
		scratch->size = bytes;
	}
	return perun_cells_span_copy(cells, row, span, scratch->cells);
}

bool perun_cells_one(const struct perun_cells *cells, size_t row, struct perun_one_cell *one)
{
	const struct perun_chunk *chunk = chunk_at(cells, row, &one->span);

	if (!chunk)
		return false;
	one->i = row - one->span.first;
	one->span.absent = perun_chunk_absent(chunk);
	if (perun_bit(one->span.absent, one->i))
		return false;
	if (one->span.cells)
		return true;
	perun_chunk_unpack(chunk, cells->type, one->i, 1, &one->bits);
	one->integer = perun_bit(chunk->integers, one->i);
	one->span = (struct perun_span){
		.first = row, .count = 1, .cells = &one->bits, .integers = &one->integer};
	one->i = 0;
	return true;
}
