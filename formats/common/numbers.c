/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing lists of numbers. */
#include <string.h>

#include "numbers.h"

/* All NaN are alike. */
static bool is_missing(double number)
{
	return number != number;
}

/* A whole number that an int64_t holds, and -0.0 is not one: its sign would be lost. */
static bool is_whole(double number)
{
	const double zero = 0;

	return fabs(number) < 0x1p52 && number == (double)(int64_t)number &&
	       (number != 0 || memcmp(&number, &zero, sizeof zero) == 0);
}

/* Whether single precision is enough. */
static bool are_single(const double *numbers)
{
	size_t i = 0;

	while (i < NUMBERS_BLOCK &&
	       (is_missing(numbers[i]) || (double)(float)numbers[i] == numbers[i]))
		i++;
	return i == NUMBERS_BLOCK;
}

/* How a block is packed: its lowest number, how far the others are from it, whether one is missing. */
struct needs {
	double low, range;
	bool missing;
	enum numbers_kind kind;
};

static struct needs find_needs(const double *numbers)
{
	struct needs needs = {.low = INFINITY, .kind = NUMBERS_WORDS};
	double high = -INFINITY;
	size_t i;

	for (i = 0; i < NUMBERS_BLOCK; i++) {
		if (is_missing(numbers[i])) {
			needs.missing = true;
			continue;
		}
		if (!is_whole(numbers[i]))
			break;
		needs.low = numbers[i] < needs.low ? numbers[i] : needs.low;
		high = numbers[i] > high ? numbers[i] : high;
	}
	needs.range = high - needs.low;
	if (i < NUMBERS_BLOCK || needs.range >= UINT32_MAX) {
		needs.kind = are_single(numbers) ? NUMBERS_FLOATS : NUMBERS_DOUBLES;
	} else if (!(needs.low <= high)) { /* all are missing */
		needs.low = NAN;
		needs.kind = NUMBERS_SAME;
	} else if (needs.range == 0 && !needs.missing) {
		needs.kind = NUMBERS_SAME;
	} else if (needs.range < UINT8_MAX) {
		needs.kind = NUMBERS_BYTES;
	} else if (needs.range < UINT16_MAX) {
		needs.kind = NUMBERS_SHORTS;
	}
	return needs;
}

static size_t size_of(enum numbers_kind kind)
{
	static const size_t sizes[] = {0, 1, 2, 4, sizeof(float), sizeof(double)};

	return sizes[kind] * NUMBERS_BLOCK;
}

static uint32_t offset_of(const struct needs *needs, double number)
{
	return is_missing(number) ? UINT32_MAX : (uint32_t)(number - needs->low);
}

static void fill_block(const struct needs *needs, const double *numbers, void *data)
{
	uint8_t *bytes = data;
	uint16_t *shorts = data;
	uint32_t *words = data;
	float *floats = data;

	if (needs->kind == NUMBERS_BYTES)
		for (size_t i = 0; i < NUMBERS_BLOCK; i++)
			bytes[i] = (uint8_t)offset_of(needs, numbers[i]);
	else if (needs->kind == NUMBERS_SHORTS)
		for (size_t i = 0; i < NUMBERS_BLOCK; i++)
			shorts[i] = (uint16_t)offset_of(needs, numbers[i]);
	else if (needs->kind == NUMBERS_WORDS)
		for (size_t i = 0; i < NUMBERS_BLOCK; i++)
			words[i] = offset_of(needs, numbers[i]);
	else if (needs->kind == NUMBERS_FLOATS)
		for (size_t i = 0; i < NUMBERS_BLOCK; i++)
			floats[i] = (float)numbers[i];
	else if (needs->kind == NUMBERS_DOUBLES)
		memcpy(data, numbers, NUMBERS_BLOCK * sizeof *numbers);
}

void numbers_pack(struct numbers *numbers)
{
	const size_t blocks = numbers->count / NUMBERS_BLOCK - 1;
	const struct needs needs = find_needs(numbers->open);
	struct numbers_block *block = perun_alloc(sizeof *block + size_of(needs.kind));

	block->base = needs.low;
	block->kind = needs.kind;
	fill_block(&needs, numbers->open, block->data);
	PERUN_GROW(numbers->blocks, blocks, numbers->room);
	numbers->blocks[blocks] = block;
}

static double plus_offset(const struct numbers_block *block, uint32_t offset, uint32_t missing)
{
	return offset == missing ? NAN : block->base + offset;
}

double numbers_unpack(const struct numbers_block *block, size_t i)
{
	const void *data = block->data;

	switch (block->kind) {
	case NUMBERS_SAME:
		return block->base;
	case NUMBERS_BYTES:
		return plus_offset(block, ((const uint8_t *)data)[i], UINT8_MAX);
	case NUMBERS_SHORTS:
		return plus_offset(block, ((const uint16_t *)data)[i], UINT16_MAX);
	case NUMBERS_WORDS:
		return plus_offset(block, ((const uint32_t *)data)[i], UINT32_MAX);
	case NUMBERS_FLOATS:
		return ((const float *)data)[i];
	default:
		return ((const double *)data)[i];
	}
}

static bool equal_bytes(const void *a, const void *b, size_t size)
{
	return size == 0 || memcmp(a, b, size) == 0;
}

/* Equal numbers are packed in the same way. */
bool numbers_equal(const struct numbers *a, const struct numbers *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count / NUMBERS_BLOCK; i++) {
		const struct numbers_block *one = a->blocks[i], *other = b->blocks[i];

		if (one->kind != other->kind ||
		    !equal_bytes(&one->base, &other->base, sizeof one->base) ||
		    !equal_bytes(one->data, other->data, size_of(one->kind)))
			return false;
	}
	return equal_bytes(a->open, b->open, a->count % NUMBERS_BLOCK * sizeof *a->open);
}

void numbers_drop(struct numbers *numbers, size_t i)
{
	for (size_t block = i / NUMBERS_BLOCK; block > 0 && numbers->blocks[block - 1]; block--) {
		perun_free(numbers->blocks[block - 1]);
		numbers->blocks[block - 1] = NULL;
	}
}

void numbers_clear(struct numbers *numbers)
{
	for (size_t i = 0; i < numbers->count / NUMBERS_BLOCK; i++)
		perun_free(numbers->blocks[i]);
	numbers->count = 0;
}

void numbers_free(struct numbers *numbers)
{
	numbers_clear(numbers);
	perun_free(numbers->blocks);
	perun_free(numbers->open);
}

/* ---- numbers of 32 bits ----------------------------------------------------------------------- */

void ids_pack(struct ids *ids)
{
	const size_t blocks = ids->count / NUMBERS_BLOCK - 1;
	unsigned char *block;
	uint32_t all = 0;
	size_t width;
	void *data;

	for (size_t i = 0; i < NUMBERS_BLOCK; i++)
		all |= ids->open[i];
	width = all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : 4;
	block = perun_alloc(IDS_HEAD + width * NUMBERS_BLOCK);
	memset(block, 0, IDS_HEAD);
	block[0] = (unsigned char)width;
	data = block + IDS_HEAD;
	if (width == 4)
		memcpy(data, ids->open, NUMBERS_BLOCK * sizeof *ids->open);
	for (size_t i = 0; width == 2 && i < NUMBERS_BLOCK; i++)
		((uint16_t *)data)[i] = (uint16_t)ids->open[i];
	for (size_t i = 0; width == 1 && i < NUMBERS_BLOCK; i++)
		((uint8_t *)data)[i] = (uint8_t)ids->open[i];
	PERUN_GROW(ids->blocks, blocks, ids->room);
	ids->blocks[blocks] = block;
}

bool ids_equal(const struct ids *a, const struct ids *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count / NUMBERS_BLOCK; i++) {
		const size_t size = IDS_HEAD + (size_t)a->blocks[i][0] * NUMBERS_BLOCK;

		if (a->blocks[i][0] != b->blocks[i][0] ||
		    !equal_bytes(a->blocks[i], b->blocks[i], size))
			return false;
	}
	return equal_bytes(a->open, b->open, a->count % NUMBERS_BLOCK * sizeof *a->open);
}

void ids_clear(struct ids *ids)
{
	for (size_t i = 0; i < ids->count / NUMBERS_BLOCK; i++)
		perun_free(ids->blocks[i]);
	ids->count = 0;
}

void ids_free(struct ids *ids)
{
	ids_clear(ids);
	perun_free(ids->blocks);
	perun_free(ids->open);
}
