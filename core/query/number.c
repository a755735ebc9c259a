/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbering the distinct keys of rows on several threads. */
#include <math.h>

#include "core/context/hash.h"
#include "core/query/groups.h"

enum { PARTS = 8, BLOCK = 2048 };

size_t perun_row_parts(size_t rows, size_t groups)
{
	size_t least = groups * 4 > PERUN_SPAN_ROWS ? groups * 4 : PERUN_SPAN_ROWS;
	size_t parts = rows / least;

	return parts < 1 ? 1 : parts > PARTS ? PARTS : parts;
}

size_t perun_part_start(size_t rows, size_t parts, size_t i)
{
	size_t spans = (rows + PERUN_SPAN_ROWS - 1) / PERUN_SPAN_ROWS;
	size_t row = spans * i / parts * PERUN_SPAN_ROWS;

	return row < rows ? row : rows;
}

/* ---- a table of words ------------------------------------------------------------------------- */

struct slot {
	uint64_t word;
	uint32_t number; /* + 1; 0 = free */
};

struct words {
	struct slot *slots;
	unsigned bits;
	uint32_t count, capacity;
	uint64_t *words;
	uint32_t absent; /* PERUN_NO_ID until there is one */
};

static size_t slot_of(const struct words *words, uint64_t word)
{
	return (size_t)(perun_hash_word(word, perun_hash_secret) >> (64 - words->bits));
}

static void words_init(struct words *words)
{
	*words = (struct words){.bits = 10, .absent = PERUN_NO_ID};
	words->slots = perun_alloc_zero((size_t)1 << words->bits, sizeof *words->slots);
}

static void words_clear(struct words *words)
{
	perun_free(words->slots);
	perun_free(words->words);
}

static void words_grow(struct words *words)
{
	struct slot *old = words->slots;
	size_t old_count = (size_t)1 << words->bits, mask;

	words->bits++;
	mask = ((size_t)1 << words->bits) - 1;
	words->slots = perun_alloc_zero(mask + 1, sizeof *words->slots);
	for (size_t i = 0; i < old_count; i++) {
		size_t at = slot_of(words, old[i].word);

		if (!old[i].number)
			continue;
		while (words->slots[at].number)
			at = (at + 1) & mask;
		words->slots[at] = old[i];
	}
	perun_free(old);
}

static uint32_t words_next(struct words *words, uint64_t word)
{
	PERUN_GROW(words->words, words->count, words->capacity);
	words->words[words->count] = word;
	return words->count++;
}

static inline uint32_t words_number(struct words *words, uint64_t word)
{
	size_t mask = ((size_t)1 << words->bits) - 1, at = slot_of(words, word);

	while (words->slots[at].number) {
		if (words->slots[at].word == word)
			return words->slots[at].number - 1;
		at = (at + 1) & mask;
	}
	words->slots[at].word = word;
	words->slots[at].number = words_next(words, word) + 1;
	if (words->count > mask / 2)
		words_grow(words);
	return words->count - 1;
}

static uint32_t words_absent(struct words *words)
{
	if (words->absent == PERUN_NO_ID)
		words->absent = words_next(words, UINT64_MAX);
	return words->absent;
}

/* ---- keys as words ---------------------------------------------------------------------------- */

/* The words of a block of rows that lies in one span; where absent ones have no word, `absent`. */
static void fill_narrow(const struct perun_key *key, size_t row, size_t count, uint64_t *words,
			bool second)
{
	const uint32_t *codes;
	struct perun_span span;

	if (key->codes) {
		codes = key->codes + row;
	} else {
		perun_column_span(key->column, row, &span);
		codes = span.ids + (row - span.first);
	}
	for (size_t i = 0; i < count; i++)
		words[i] = second ? words[i] << 32 | codes[i] : codes[i];
}

static uint64_t double_word(double value)
{
	uint64_t word;

	if (isnan(value))
		return PERUN_NAN_WORD;
	value += 0.0; /* -0.0 becomes 0.0 */
	memcpy(&word, &value, sizeof word);
	return word;
}

static void fill_wide(const struct perun_column *column, size_t row, size_t count, uint64_t *words,
		      struct perun_span *span)
{
	size_t skip;

	perun_column_span(column, row, span);
	skip = row - span->first;
	switch (perun_column_info(column)->type) {
	case PERUN_TYPE_DOUBLE:
		for (size_t i = 0; i < count; i++)
			words[i] = double_word(span->doubles[skip + i]);
		break;
	case PERUN_TYPE_BOOL:
		for (size_t i = 0; i < count; i++)
			words[i] = span->bools[skip + i] != 0;
		break;
	default:
		memcpy(words, span->uint64s + skip, count * sizeof *words);
	}
}

/* ---- parts ------------------------------------------------------------------------------------ */

struct part {
	struct words words;
	uint32_t capacity, *first_row, *size; /* of each number */
	uint32_t *global;                     /* its number over all parts */
};

struct work {
	size_t rows, part_count, key_count;
	const struct perun_key *keys;
	const uint64_t *selection;
	struct perun_numbered *numbered;
	struct part *parts;
};

static void number_block(struct work *work, struct part *part, size_t row, size_t count,
			 const uint64_t *words, const struct perun_span *span)
{
	uint32_t *of_row = work->numbered->of_row + row;
	const uint64_t *absent = span ? span->absent : NULL;

	for (size_t i = 0; i < count; i++) {
		uint32_t number;

		if (work->selection && !perun_bit(work->selection, row + i)) {
			of_row[i] = PERUN_NO_ID;
			continue;
		}
		if (absent && perun_bit(absent, row + i - span->first))
			number = words_absent(&part->words);
		else
			number = words_number(&part->words, words[i]);
		if (number >= part->capacity) {
			uint32_t capacity = part->capacity ? part->capacity * 2 : 64;

			part->first_row = perun_realloc_array(part->first_row, capacity,
							      sizeof *part->first_row);
			part->size = perun_realloc_array(part->size, capacity, sizeof *part->size);
			memset(part->size + part->capacity, 0,
			       (capacity - part->capacity) * sizeof *part->size);
			part->capacity = capacity;
		}
		if (part->size[number]++ == 0)
			part->first_row[number] = (uint32_t)(row + i);
		of_row[i] = number;
	}
}

static int number_part(struct perun_ctx *ctx, size_t i, void *data)
{
	struct work *work = data;
	size_t end = perun_part_start(work->rows, work->part_count, i + 1);
	bool wide = work->key_count == 1 && !perun_key_is_narrow(&work->keys[0]);
	uint64_t words[BLOCK];
	struct perun_span span;

	words_init(&work->parts[i].words);
	for (size_t row = perun_part_start(work->rows, work->part_count, i); row < end;
	     row += BLOCK) {
		size_t count = end - row < BLOCK ? end - row : BLOCK;

		if (wide) {
			fill_wide(work->keys[0].column, row, count, words, &span);
		} else {
			memset(words, 0, sizeof words);
			for (size_t k = 0; k < work->key_count; k++)
				fill_narrow(&work->keys[k], row, count, words, k > 0);
		}
		number_block(work, &work->parts[i], row, count, words, wide ? &span : NULL);
		if (row % (64 * BLOCK) == 0 && perun_cancelled(ctx))
			return PERUN_CANCELLED;
	}
	perun_free(work->parts[i].words.slots); /* only the words are merged */
	work->parts[i].words.slots = NULL;
	return PERUN_OK;
}

static int renumber_part(struct perun_ctx *ctx, size_t i, void *data)
{
	struct work *work = data;
	uint32_t *of_row = work->numbered->of_row;
	const uint32_t *global = work->parts[i].global;
	size_t end = perun_part_start(work->rows, work->part_count, i + 1);

	(void)ctx;
	for (size_t row = perun_part_start(work->rows, work->part_count, i); row < end; row++) {
		if (of_row[row] != PERUN_NO_ID)
			of_row[row] = global[of_row[row]];
	}
	return PERUN_OK;
}

/* One part's numbers become those of the whole; parts in order keep the order of appearance. */
static void merge_part(struct words *all, struct part *part, struct perun_numbered *numbered,
		       uint32_t *capacity)
{
	part->global = perun_alloc_zero((size_t)part->words.count + 1, sizeof *part->global);
	for (uint32_t i = 0; i < part->words.count; i++) {
		uint32_t before = all->count;
		uint32_t number = i == part->words.absent ? words_absent(all)
							  : words_number(all, part->words.words[i]);

		part->global[i] = number;
		if (number >= *capacity) {
			*capacity = *capacity ? *capacity * 2 : 64;
			numbered->first_row = perun_realloc_array(numbered->first_row, *capacity,
								  sizeof(uint32_t));
			numbered->size =
				perun_realloc_array(numbered->size, *capacity, sizeof(uint32_t));
		}
		if (number == before) {
			numbered->first_row[number] = part->first_row[i];
			numbered->size[number] = 0;
		}
		numbered->size[number] += part->size[i];
	}
}

static void merge_parts(struct work *work)
{
	struct perun_numbered *numbered = work->numbered;
	uint32_t capacity = 0;
	struct words all;

	words_init(&all);
	for (size_t i = 0; i < work->part_count; i++)
		merge_part(&all, &work->parts[i], numbered, &capacity);
	numbered->count = all.count;
	numbered->words = all.words;
	numbered->absent = all.absent;
	perun_free(all.slots);
}

int perun_number_rows(struct perun_ctx *ctx, size_t rows, const struct perun_key *keys,
		      size_t key_count, const uint64_t *selection, struct perun_numbered *numbered)
{
	struct work work = {rows, perun_row_parts(rows, 0), key_count, keys, selection, numbered,
			    NULL};
	int status;

	*numbered = (struct perun_numbered){.absent = PERUN_NO_ID};
	numbered->of_row = perun_alloc(rows * sizeof *numbered->of_row + 1);
	work.parts = perun_alloc_zero(work.part_count, sizeof *work.parts);
	status = perun_parallel_for(ctx, work.part_count, number_part, &work);
	if (status == PERUN_OK) {
		merge_parts(&work);
		if (work.part_count > 1) /* the first one's are right alone */
			status = perun_parallel_for(ctx, work.part_count, renumber_part, &work);
	}
	for (size_t i = 0; i < work.part_count; i++) {
		words_clear(&work.parts[i].words);
		perun_free(work.parts[i].first_row);
		perun_free(work.parts[i].size);
		perun_free(work.parts[i].global);
	}
	perun_free(work.parts);
	if (status != PERUN_OK)
		perun_numbered_free(numbered);
	return status;
}

void perun_numbered_free(struct perun_numbered *numbered)
{
	perun_free(numbered->of_row);
	perun_free(numbered->words);
	perun_free(numbered->first_row);
	perun_free(numbered->size);
	*numbered = (struct perun_numbered){.absent = PERUN_NO_ID};
}
