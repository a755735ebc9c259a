/* SPDX-License-Identifier: BSD-3-Clause */
/* Long lists of numbers that wait for the rest of a file, in as few bytes for each as those around it need. */
#ifndef PERUN_FORMATS_COMMON_NUMBERS_H
#define PERUN_FORMATS_COMMON_NUMBERS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <perun/context.h>

/* So many are a block, which is packed when it is full. A power of two. */
enum { NUMBERS_BLOCK = 4096 };

/*
 * Whole numbers that are close to each other are offsets from a base, of which the highest is NaN; without bytes where all are
 * the same. Others are single or double precision, as they need.
 */
enum numbers_kind {
	NUMBERS_SAME,
	NUMBERS_BYTES,
	NUMBERS_SHORTS,
	NUMBERS_WORDS,
	NUMBERS_FLOATS,
	NUMBERS_DOUBLES
};

struct numbers_block {
	double base;
	enum numbers_kind kind;
	_Alignas(8) unsigned char data[];
};

/* {0} is an empty one, to be freed with numbers_free(). */
struct numbers {
	struct numbers_block **blocks;
	double *open; /* the numbers after those of the blocks */
	size_t count, room, open_room;
};

void numbers_free(struct numbers *numbers);
/* Pack the open numbers, which are a block. */
void numbers_pack(struct numbers *numbers);
/* Whether two lists have the same numbers, bit by bit. */
bool numbers_equal(const struct numbers *a, const struct numbers *b);
/* Out of a block that is packed. */
double numbers_unpack(const struct numbers_block *block, size_t i);

static inline void numbers_add(struct numbers *numbers, double number)
{
	const size_t open = numbers->count % NUMBERS_BLOCK;

	PERUN_GROW(numbers->open, open, numbers->open_room);
	numbers->open[open] = number;
	numbers->count++;
	if (open == NUMBERS_BLOCK - 1)
		numbers_pack(numbers);
}

/* Number i; NaN where the list is shorter. */
static inline double numbers_at(const struct numbers *numbers, size_t i)
{
	if (i >= numbers->count)
		return NAN;
	if (i / NUMBERS_BLOCK == numbers->count / NUMBERS_BLOCK)
		return numbers->open[i % NUMBERS_BLOCK];
	return numbers_unpack(numbers->blocks[i / NUMBERS_BLOCK], i % NUMBERS_BLOCK);
}

/* Number i of a list in which the numbers before it may be missing: they are NaN. */
static inline void numbers_add_at(struct numbers *numbers, size_t i, double number)
{
	while (numbers->count < i)
		numbers_add(numbers, NAN);
	numbers_add(numbers, number);
}

#endif
