/* SPDX-License-Identifier: BSD-3-Clause */
/* Full chunks of small numbers, or of few: kept as narrow offsets or without absent ones, widened when they are asked for. */
#include <math.h>
#include <string.h>

#include "core/profile/cells.h"

/*
 * A packed chunk holds base + offset per cell, in 0, 1, 2 or 4 bytes (frame of reference, see
 * J. Goldstein et al., "Compressing Relations and Indexes", ICDE 1998). Cells of 8 bytes are taken as
 * int64, which serves uint64 too: the sums are the same modulo 2^64. Doubles are packed when all of them are whole numbers over
 * a power of ten, as those are that tools print with a few digits, and their bits come back (see A. Afroozeh, P. Boncz, "ALP:
 * Adaptive Lossless Floating-Point Compression", 2023). Absent cells hold an offset of 0 and are made again. Ids, which often
 * are those of what was met row by row, are taken as they are or as how far they are from the number of their row, whatever
 * takes less, or as runs of the same id where these are long. Where all of these take more than a byte and there are few different
 * cells, these are listed, and each is a number.
 */

/* ---- few present cells ----------------------------------------------------------------------- */

/*
 * Where most cells are absent, the others are kept at full width, with their places in the chunk; the bitmap is made when somebody
 * asks for it.
 */
enum { SPARSE = 8 };

struct sparse {
	uint32_t count, room; /* of cells */
	uint32_t end;         /* cells of the chunk, absent ones too */
	uint16_t *places;
	char *cells;
	uint64_t *_Atomic absent;
};

static void resize_sparse(struct sparse *sparse, enum perun_type type, uint32_t room)
{
	sparse->room = room;
	sparse->places = perun_realloc_array(sparse->places, room, sizeof *sparse->places);
	sparse->cells = perun_realloc_array(sparse->cells, room, perun_cell_size(type));
}

static void free_sparse(struct sparse *sparse)
{
	perun_free(sparse->places);
	perun_free(sparse->cells);
	perun_free(atomic_load_explicit(&sparse->absent, memory_order_relaxed));
	perun_free(sparse);
}

/* Of a chunk that grows: cells that were packed part by part, and those of the part that is not full. */
struct parts {
	struct perun_chunk *parts; /* without bitmaps, which the chunk has */
	size_t count, room;
	char cells[];
};

static void free_parts(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		perun_free(parts->parts[i].narrow);
		perun_free(atomic_load_explicit(&parts->parts[i].cells, memory_order_relaxed));
	}
	perun_free(parts->parts);
	perun_free(parts);
}

void perun_chunk_free_packed(struct perun_chunk *chunk)
{
	if (chunk->sparse)
		free_sparse(chunk->narrow);
	else if (chunk->parted)
		free_parts(chunk->narrow);
	else
		perun_free(chunk->narrow);
	chunk->narrow = NULL;
	chunk->packed = chunk->sparse = chunk->parted = chunk->listed = chunk->rising =
		chunk->running = false;
}

static struct sparse *begin_sparse(struct perun_chunk *chunk, enum perun_type type, uint32_t room)
{
	struct sparse *sparse = perun_alloc_zero(1, sizeof *sparse);

	resize_sparse(sparse, type, room);
	chunk->narrow = sparse;
	chunk->sparse = chunk->packed = true;
	return sparse;
}

struct perun_chunk *perun_chunk_new_sparse(enum perun_type type)
{
	struct perun_chunk *chunk = perun_alloc_zero(1, sizeof *chunk);

	atomic_init(&chunk->refs, 1);
	chunk->capacity = PERUN_SPAN_ROWS;
	begin_sparse(chunk, type, 8);
	return chunk;
}

/* Present cells up to `end`. */
static size_t count_present(const uint64_t *absent, size_t end)
{
	size_t count = 0, i = 0;

	for (; i + 64 <= end; i += 64)
		count += 64 - (size_t)__builtin_popcountll(absent[i / 64]);
	for (; i < end; i++)
		count += !perun_bit(absent, i);
	return count;
}

/* Of `count` cells those that are present; some are not. */
static void pack_sparse(struct perun_chunk *chunk, enum perun_type type, size_t count,
			size_t present)
{
	size_t size = perun_cell_size(type);
	char *cells = atomic_load_explicit(&chunk->cells, memory_order_relaxed);
	struct sparse *sparse = begin_sparse(chunk, type, (uint32_t)present);

	for (size_t i = 0; i < count; i++) {
		if (i % 64 == 0 && i + 64 <= count && chunk->absent[i / 64] == UINT64_MAX) {
			i += 63;
			continue;
		}
		if (perun_bit(chunk->absent, i))
			continue;
		memcpy(sparse->cells + sparse->count * size, cells + i * size, size);
		sparse->places[sparse->count++] = (uint16_t)i;
	}
	sparse->end = (uint32_t)count;
	atomic_store_explicit(&chunk->cells, NULL, memory_order_relaxed);
	perun_free(cells);
	perun_free(chunk->absent);
	chunk->absent = NULL;
}

static uint64_t *full_bitmap(uint64_t *bitmap, size_t used)
{
	const size_t words = (used + 63) / 64, all = PERUN_SPAN_ROWS / 64;

	if (!bitmap)
		return NULL;
	bitmap = perun_realloc_array(bitmap, all, sizeof *bitmap);
	memset(bitmap + words, 0, (all - words) * sizeof *bitmap);
	return bitmap;
}

static void make_bitmaps_full(struct perun_chunk *chunk, size_t used)
{
	if (chunk->capacity == PERUN_SPAN_ROWS)
		return;
	chunk->absent = full_bitmap(chunk->absent, used);
	chunk->integers = full_bitmap(chunk->integers, used);
	chunk->capacity = PERUN_SPAN_ROWS;
}

bool perun_chunk_open_sparse(struct perun_chunk *chunk, enum perun_type type, size_t used)
{
	size_t present = chunk->absent ? count_present(chunk->absent, used) : used;

	if (present * SPARSE * 2 > used)
		return false;
	if (chunk->parted)
		chunk->capacity = used; /* no more is made wide */
	perun_chunk_make_wide(chunk, type, used);
	pack_sparse(chunk, type, used, present);
	make_bitmaps_full(chunk, used);
	return true;
}

/* A bitmap that somebody asked for says less than there is now. */
static void extend_sparse(struct sparse *sparse, size_t end)
{
	perun_free(atomic_load_explicit(&sparse->absent, memory_order_relaxed));
	atomic_store_explicit(&sparse->absent, NULL, memory_order_relaxed);
	sparse->end = (uint32_t)end;
}

void perun_chunk_sparse_absent(struct perun_chunk *chunk, size_t used, size_t count)
{
	extend_sparse(chunk->narrow, used + count);
}

void *perun_chunk_sparse_add(struct perun_chunk *chunk, enum perun_type type, size_t used)
{
	struct sparse *sparse = chunk->narrow;

	if ((size_t)sparse->count * SPARSE > used)
		return NULL;
	if (sparse->count == sparse->room)
		resize_sparse(sparse, type, sparse->room + sparse->room / 2 + 8);
	extend_sparse(sparse, used + 1);
	sparse->places[sparse->count] = (uint16_t)used;
	return sparse->cells + sparse->count++ * perun_cell_size(type);
}

/* The first of the present cells at this place or after it. */
static uint32_t find_sparse(const struct sparse *sparse, size_t place)
{
	uint32_t low = 0, high = sparse->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sparse->places[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void unpack_sparse(const struct perun_chunk *chunk, enum perun_type type, size_t first,
			  size_t count, char *to)
{
	const struct sparse *sparse = chunk->narrow;
	size_t size = perun_cell_size(type);

	perun_fill_absent(type, to, count);
	for (uint32_t i = find_sparse(sparse, first);
	     i < sparse->count && sparse->places[i] < first + count; i++)
		memcpy(to + (sparse->places[i] - first) * size, sparse->cells + i * size, size);
}

static uint64_t *make_absent(const struct perun_chunk *chunk, const struct sparse *sparse)
{
	uint64_t *absent = perun_alloc_zero((chunk->capacity + 63) / 64, sizeof *absent);

	perun_set_bits(absent, 0, sparse->end);
	for (uint32_t i = 0; i < sparse->count; i++)
		absent[sparse->places[i] / 64] &= ~(UINT64_C(1) << sparse->places[i] % 64);
	return absent;
}

const uint64_t *perun_chunk_absent(const struct perun_chunk *chunk)
{
	struct sparse *sparse = chunk->narrow;
	uint64_t *absent, *others = NULL;

	if (!chunk->sparse)
		return chunk->absent;
	absent = atomic_load_explicit(&sparse->absent, memory_order_acquire);
	if (absent)
		return absent;
	absent = make_absent(chunk, sparse);
	if (atomic_compare_exchange_strong_explicit(&sparse->absent, &others, absent,
						    memory_order_acq_rel, memory_order_acquire))
		return absent;
	perun_free(absent);
	return others;
}

/* ---- narrow cells ---------------------------------------------------------------------------- */

/* The lowest and the highest present cell. */
struct range {
	int64_t low, high;
};

static inline void extend(struct range *range, int64_t value)
{
	range->low = value < range->low ? value : range->low;
	range->high = value > range->high ? value : range->high;
}

/* Whole numbers below LIMIT times powers of ten that doubles hold are rounded to the right one. */
enum { MAX_DIGITS = 18 };
static const int64_t LIMIT = INT64_C(1) << 50;
static const double powers[MAX_DIGITS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
					      1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
					      1e14, 1e15, 1e16, 1e17, 1e18};

static inline int64_t rounded(double value)
{
	return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Whether the value is a whole number over 10^digits, of which all its bits come back. */
static inline bool is_decimal(double value, unsigned digits, int64_t *number)
{
	double scaled = value * powers[digits], back;

	if (!(scaled > -(double)LIMIT && scaled < (double)LIMIT))
		return false;
	*number = rounded(scaled);
	back = digits ? (double)*number / powers[digits] : (double)*number;
	return memcmp(&back, &value, sizeof back) == 0; /* -0.0 is not 0 */
}

/* With one digit more after the point; false: they are too large. */
static bool add_digit(struct range *range, unsigned *digits)
{
	if (++*digits > MAX_DIGITS)
		return false;
	if (range->low > range->high)
		return true; /* nothing yet */
	range->low *= 10;
	range->high *= 10;
	return range->low > -LIMIT && range->high < LIMIT;
}

/* With as many digits after the point as one of them needs: what a value is over 10^n it is over 10^(n + 1). */
static bool find_double_range(struct perun_chunk *chunk, const double *cells, size_t count,
			      struct range *range)
{
	unsigned digits = 0;
	int64_t number;

	for (size_t i = 0; i < count; i++) {
		if (perun_bit(chunk->absent, i))
			continue;
		while (!is_decimal(cells[i], digits, &number))
			if (!add_digit(range, &digits))
				return false;
		extend(range, number);
	}
	chunk->digits = (uint8_t)digits;
	return true;
}

static bool find_range(enum perun_type type, struct perun_chunk *chunk, const void *cells,
		       size_t count, struct range *range)
{
	*range = (struct range){.low = INT64_MAX, .high = INT64_MIN};
	if (type == PERUN_TYPE_DOUBLE)
		return find_double_range(chunk, cells, count, range);
	if (!chunk->absent && type <= PERUN_TYPE_UINT64) {
		for (size_t i = 0; i < count; i++)
			extend(range, ((const int64_t *)cells)[i]);
		return true;
	}
	if (!chunk->absent) {
		for (size_t i = 0; i < count; i++)
			extend(range, ((const perun_id *)cells)[i]);
		return true;
	}
	for (size_t i = 0; i < count; i++)
		if (!perun_bit(chunk->absent, i))
			extend(range, type <= PERUN_TYPE_UINT64 ? ((const int64_t *)cells)[i]
								: ((const perun_id *)cells)[i]);
	return true;
}

/* Bytes of an offset up to `highest`. */
static size_t width_of(uint64_t highest)
{
	if (highest <= UINT8_MAX)
		return highest != 0;
	if (highest <= UINT16_MAX)
		return 2;
	return highest <= UINT32_MAX ? 4 : 8;
}

#define PACK(to_type, from_type)                                                          \
	do {                                                                              \
		to_type *to_ = narrow;                                                    \
		const from_type *from_ = cells;                                           \
		for (size_t i = 0; i < count; i++)                                        \
			to_[i] = (to_type)((uint64_t)(int64_t)from_[i] - (uint64_t)base); \
	} while (0)

#define PACK_FROM(from_type)                       \
	do {                                       \
		if (width == 1)                    \
			PACK(uint8_t, from_type);  \
		else if (width == 2)               \
			PACK(uint16_t, from_type); \
		else                               \
			PACK(uint32_t, from_type); \
	} while (0)

/* The offsets; those of absent cells are of no meaning. */
static void *pack_cells(enum perun_type type, const void *cells, size_t count, size_t width,
			int64_t base)
{
	void *narrow = perun_alloc(count * width);

	if (type <= PERUN_TYPE_UINT64)
		PACK_FROM(int64_t);
	else
		PACK_FROM(perun_id);
	return narrow;
}

static void *pack_doubles(const struct perun_chunk *chunk, const double *cells, size_t count,
			  size_t width, int64_t base)
{
	void *narrow = perun_alloc_zero(count, width);

	for (size_t i = 0; i < count; i++) {
		uint32_t offset;

		if (perun_bit(chunk->absent, i))
			continue;
		offset = (uint32_t)(rounded(cells[i] * powers[chunk->digits]) - base);
		if (width == 1)
			((uint8_t *)narrow)[i] = (uint8_t)offset;
		else if (width == 2)
			((uint16_t *)narrow)[i] = (uint16_t)offset;
		else
			((uint32_t *)narrow)[i] = offset;
	}
	return narrow;
}

static struct range find_rising_range(const perun_id *ids, size_t count)
{
	struct range range = {.low = INT64_MAX, .high = INT64_MIN};

	for (size_t i = 0; i < count; i++)
		extend(&range, (int64_t)ids[i] - (int64_t)i);
	return range;
}

static size_t width_of_range(const struct range *range)
{
	return width_of((uint64_t)range->high - (uint64_t)range->low);
}

static void *pack_rising(const perun_id *ids, size_t count, size_t width, int64_t base)
{
	void *narrow = perun_alloc(count * width);

	for (size_t i = 0; i < count; i++) {
		uint64_t offset = (uint64_t)ids[i] - i - (uint64_t)base;

		if (width == 1)
			((uint8_t *)narrow)[i] = (uint8_t)offset;
		else
			((uint16_t *)narrow)[i] = (uint16_t)offset;
	}
	return narrow;
}

/* Whether ids of a chunk are packed as they rise; `width`: what they take as they are. */
static bool try_rising(struct perun_chunk *chunk, const perun_id *ids, size_t count, size_t width)
{
	struct range range = find_rising_range(ids, count);
	size_t rising = width_of_range(&range);

	if (rising >= width)
		return false;
	chunk->narrow = rising ? pack_rising(ids, count, rising, range.low) : NULL;
	chunk->rising = true;
	chunk->width = (uint8_t)rising;
	chunk->base = range.low;
	return true;
}

/* ---- runs of the same id --------------------------------------------------------------------- */

enum { RUN = 16, RUN_STEP = 64 };

/* After the runs are the numbers of those that cells 0, RUN_STEP, 2 * RUN_STEP and so on are in. */
struct runs {
	size_t count;
	struct run {
		perun_id id;
		uint32_t first;
	} runs[];
};

/* Ids of which most are the one before, as of what has many metrics, each in a row. */
static bool try_runs(struct perun_chunk *chunk, const perun_id *ids, size_t count)
{
	size_t changes = 1;
	struct runs *runs;
	uint16_t *found;

	for (size_t i = 1; i < count; i++)
		changes += ids[i] != ids[i - 1];
	if (changes * RUN > count)
		return false;
	runs = perun_alloc(sizeof *runs + changes * sizeof *runs->runs +
			   (count / RUN_STEP + 1) * sizeof *found);
	runs->count = 0;
	found = (uint16_t *)(runs->runs + changes);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || ids[i] != ids[i - 1])
			runs->runs[runs->count++] =
				(struct run){.id = ids[i], .first = (uint32_t)i};
		if (i % RUN_STEP == 0)
			found[i / RUN_STEP] = (uint16_t)(runs->count - 1);
	}
	chunk->narrow = runs;
	chunk->running = true;
	return true;
}

static void unpack_runs(const struct perun_chunk *chunk, size_t first, size_t count, perun_id *to)
{
	const struct runs *runs = chunk->narrow;
	const uint16_t *found = (const uint16_t *)(runs->runs + runs->count);
	size_t run = found[first / RUN_STEP];

	while (run + 1 < runs->count && runs->runs[run + 1].first <= first)
		run++;
	for (size_t i = 0; i < count; run++) {
		size_t end = run + 1 < runs->count ? runs->runs[run + 1].first - first : count;

		for (; i < end && i < count; i++)
			to[i] = runs->runs[run].id;
	}
}

/* ---- a few different cells ------------------------------------------------------------------- */

enum { LISTED = 256, LIST_SLOTS = 1024 };

/* The different cells that were met, found by a hash. */
struct list {
	uint64_t cells[LISTED];
	uint16_t slots[LIST_SLOTS]; /* numbers + 1 */
	size_t count;
};

static inline uint64_t bits_of(const void *cells, size_t i, size_t size)
{
	return size == sizeof(uint64_t) ? ((const uint64_t *)cells)[i]
					: ((const uint32_t *)cells)[i];
}

/* The number of a cell; LISTED: it is one too many. */
static inline size_t list_cell(struct list *list, uint64_t bits)
{
	size_t slot = (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LIST_SLOTS;

	for (; list->slots[slot]; slot = (slot + 1) % LIST_SLOTS)
		if (list->cells[list->slots[slot] - 1] == bits)
			return list->slots[slot] - 1u;
	if (list->count == LISTED)
		return LISTED;
	list->cells[list->count] = bits;
	list->slots[slot] = (uint16_t)++list->count;
	return list->count - 1;
}

/* The numbers of cells, after room for all different ones; NULL: these are too many. */
static void *number_cells(const struct perun_chunk *chunk, const void *cells, size_t size,
			  size_t count, struct list *list)
{
	unsigned char *narrow = perun_alloc(LISTED * size + count);

	for (size_t i = 0; i < count; i++) {
		size_t number =
			perun_bit(chunk->absent, i) ? 0 : list_cell(list, bits_of(cells, i, size));

		if (number == LISTED) {
			perun_free(narrow);
			return NULL;
		}
		narrow[LISTED * size + i] = (unsigned char)number;
	}
	return narrow;
}

/* Of chunks that else take `width` bytes for each cell. */
static bool try_list(struct perun_chunk *chunk, enum perun_type type, const void *cells,
		     size_t count, size_t width)
{
	struct list list = {.count = 0};
	size_t size = perun_cell_size(type);
	void *narrow;

	if (width < 2 || count * (width - 1) < LISTED * size)
		return false;
	narrow = number_cells(chunk, cells, size, count, &list);
	if (!narrow)
		return false;
	for (size_t i = 0; i < LISTED; i++) {
		if (size == sizeof(uint64_t))
			((uint64_t *)narrow)[i] = list.cells[i];
		else
			((uint32_t *)narrow)[i] = (uint32_t)list.cells[i];
	}
	chunk->narrow = narrow;
	chunk->listed = true;
	return true;
}

static void unpack_list(const struct perun_chunk *chunk, size_t size, size_t first, size_t count,
			void *to)
{
	const unsigned char *numbers = (const unsigned char *)chunk->narrow + LISTED * size + first;

	if (size == sizeof(uint64_t))
		for (size_t i = 0; i < count; i++)
			((uint64_t *)to)[i] = ((const uint64_t *)chunk->narrow)[numbers[i]];
	else
		for (size_t i = 0; i < count; i++)
			((uint32_t *)to)[i] = ((const uint32_t *)chunk->narrow)[numbers[i]];
}

/* ---- packing --------------------------------------------------------------------------------- */

/* The cells as offsets, or as numbers of a list; false where they would take no less. */
static bool pack_numbers(struct perun_chunk *chunk, enum perun_type type, void *cells, size_t count)
{
	size_t size = perun_cell_size(type), width;
	struct range range;

	if (!find_range(type, chunk, cells, count, &range))
		return try_list(chunk, type, cells, count, size);
	if (range.low > range.high)
		range.low = range.high = 0; /* no cell is present */
	width = width_of_range(&range);
	width = width < size ? width : size;
	if (perun_type_is_id(type) && !chunk->absent && width &&
	    ((width > 1 && try_runs(chunk, cells, count)) ||
	     try_rising(chunk, cells, count, width)))
		return true;
	if (try_list(chunk, type, cells, count, width))
		return true;
	if (width == size)
		return false;
	if (width && type == PERUN_TYPE_DOUBLE)
		chunk->narrow = pack_doubles(chunk, cells, count, width, range.low);
	else if (width)
		chunk->narrow = pack_cells(type, cells, count, width, range.low);
	chunk->width = (uint8_t)width;
	chunk->base = range.low;
	return true;
}

void perun_chunk_pack(struct perun_chunk *chunk, enum perun_type type, size_t count)
{
	size_t present;
	void *cells;

	if (chunk->parted)
		perun_chunk_make_wide(chunk, type, count);
	if (chunk->packed || type == PERUN_TYPE_BOOL)
		return;
	cells = atomic_load_explicit(&chunk->cells, memory_order_relaxed);
	present = chunk->absent ? count_present(chunk->absent, count) : count;
	if (present && present * SPARSE <= count) {
		pack_sparse(chunk, type, count, present);
		return;
	}
	if (!pack_numbers(chunk, type, cells, count))
		return;
	chunk->packed = true;
	atomic_store_explicit(&chunk->cells, NULL, memory_order_relaxed);
	perun_free(cells);
}

/* ---- part by part ---------------------------------------------------------------------------- */

static void close_part(struct perun_chunk *chunk, enum perun_type type)
{
	struct parts *parts = chunk->narrow;
	const size_t first = parts->count * PERUN_PART_CELLS;
	struct perun_chunk *part;

	if (parts->count == parts->room) {
		parts->room += parts->room / 4 + 4;
		parts->parts = perun_realloc_array(parts->parts, parts->room, sizeof *parts->parts);
	}
	part = &parts->parts[parts->count++];
	memset(part, 0, sizeof *part);
	/* What absent cells hold is not packed; which are, the chunk knows. */
	part->absent = chunk->absent ? chunk->absent + first / 64 : NULL;
	part->packed = pack_numbers(part, type, parts->cells, PERUN_PART_CELLS);
	part->absent = NULL;
	if (!part->packed)
		atomic_init(&part->cells,
			    perun_memdup(parts->cells, PERUN_PART_CELLS * perun_cell_size(type)));
}

void perun_chunk_open_parts(struct perun_chunk *chunk, enum perun_type type, size_t used)
{
	const size_t part = PERUN_PART_CELLS * perun_cell_size(type);
	char *cells = atomic_load_explicit(&chunk->cells, memory_order_relaxed);
	struct parts *parts = perun_alloc_zero(1, sizeof *parts + part);

	chunk->narrow = parts;
	chunk->parted = chunk->packed = true;
	make_bitmaps_full(chunk, used);
	for (; used >= PERUN_PART_CELLS; used -= PERUN_PART_CELLS) {
		memcpy(parts->cells, cells + parts->count * part, part);
		close_part(chunk, type);
	}
	memcpy(parts->cells, cells + parts->count * part, used * perun_cell_size(type));
	atomic_store_explicit(&chunk->cells, NULL, memory_order_relaxed);
	perun_free(cells);
}

char *perun_chunk_last_part(struct perun_chunk *chunk, enum perun_type type, size_t used)
{
	struct parts *parts = chunk->narrow;

	if (parts->count < used / PERUN_PART_CELLS)
		close_part(chunk, type);
	return parts->cells;
}

/* ---- back ------------------------------------------------------------------------------------ */

#define UNPACK(to_type, from_type)                                                     \
	do {                                                                           \
		to_type *to_ = to;                                                     \
		const from_type *from_ = (const from_type *)chunk->narrow + first;     \
		for (size_t i = 0; i < count; i++)                                     \
			to_[i] = (to_type)(int64_t)((uint64_t)chunk->base + from_[i]); \
	} while (0)

#define UNPACK_TO(to_type)                                       \
	do {                                                     \
		to_type *same_ = to;                             \
		if (chunk->width == 1)                           \
			UNPACK(to_type, uint8_t);                \
		else if (chunk->width == 2)                      \
			UNPACK(to_type, uint16_t);               \
		else if (chunk->width == 4)                      \
			UNPACK(to_type, uint32_t);               \
		else                                             \
			for (size_t i = 0; i < count; i++)       \
				same_[i] = (to_type)chunk->base; \
	} while (0)

static void blank_absent(const struct perun_chunk *chunk, enum perun_type type, size_t first,
			 size_t count, char *to)
{
	size_t size = perun_cell_size(type);

	for (size_t i = 0, n; i < count; i += n) {
		uint64_t word = chunk->absent[(first + i) / 64] >> (first + i) % 64;

		n = 64 - (first + i) % 64;
		n = n < count - i ? n : count - i;
		if (word == UINT64_MAX) {
			perun_fill_absent(type, to + i * size, n);
			continue;
		}
		for (size_t k = 0; word && k < n; k++, word >>= 1) {
			if (word & 1)
				perun_fill_absent(type, to + (i + k) * size, 1);
		}
	}
}

static void unpack_parts(const struct perun_chunk *chunk, enum perun_type type, size_t first,
			 size_t count, char *to)
{
	const struct parts *parts = chunk->narrow;
	const size_t size = perun_cell_size(type);

	for (size_t i = 0, n; i < count; i += n) {
		size_t part = (first + i) / PERUN_PART_CELLS, at = (first + i) % PERUN_PART_CELLS;

		n = PERUN_PART_CELLS - at < count - i ? PERUN_PART_CELLS - at : count - i;
		if (part < parts->count)
			perun_chunk_unpack(&parts->parts[part], type, at, n, to + i * size);
		else
			memcpy(to + i * size, parts->cells + at * size, n * size);
	}
	if (chunk->absent)
		blank_absent(chunk, type, first, count, to);
}

void perun_chunk_unpack(const struct perun_chunk *chunk, enum perun_type type, size_t first,
			size_t count, void *to)
{
	size_t size = perun_cell_size(type);
	const char *cells = atomic_load_explicit(&chunk->cells, memory_order_acquire);

	if (cells) {
		memcpy(to, cells + first * size, count * size);
		return;
	}
	if (chunk->sparse) {
		unpack_sparse(chunk, type, first, count, to);
		return;
	}
	if (chunk->parted) {
		unpack_parts(chunk, type, first, count, to);
		return;
	}
	if (chunk->running) {
		unpack_runs(chunk, first, count, to);
		return;
	}
	if (chunk->listed)
		unpack_list(chunk, size, first, count, to);
	else if (type == PERUN_TYPE_DOUBLE)
		UNPACK_TO(double);
	else if (type <= PERUN_TYPE_UINT64)
		UNPACK_TO(int64_t);
	else
		UNPACK_TO(perun_id);
	if (type == PERUN_TYPE_DOUBLE && chunk->digits && !chunk->listed)
		for (size_t i = 0; i < count; i++)
			((double *)to)[i] /= powers[chunk->digits];
	for (size_t i = 0; chunk->rising && i < count; i++)
		((perun_id *)to)[i] += (perun_id)(first + i);
	if (chunk->absent)
		blank_absent(chunk, type, first, count, to);
}

const void *perun_chunk_widen(struct perun_chunk *chunk, enum perun_type type, size_t count)
{
	void *wide = perun_alloc(chunk->capacity * perun_cell_size(type)), *cells = NULL;

	perun_chunk_unpack(chunk, type, 0, count, wide);
	if (atomic_compare_exchange_strong_explicit(&chunk->cells, &cells, wide,
						    memory_order_acq_rel, memory_order_acquire))
		return wide;
	perun_free(wide); /* another thread was first */
	return cells;
}

void perun_chunk_make_wide(struct perun_chunk *chunk, enum perun_type type, size_t count)
{
	if (!chunk->packed)
		return;
	if (!atomic_load_explicit(&chunk->cells, memory_order_acquire))
		perun_chunk_widen(chunk, type, count);
	if (chunk->sparse)
		chunk->absent = make_absent(chunk, chunk->narrow);
	perun_chunk_free_packed(chunk);
}
