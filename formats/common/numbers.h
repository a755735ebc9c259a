/* SPDX-License-Identifier: BSD-3-Clause */
/* Long lists of numbers that wait for the rest of a file, in as few bytes for each as those around it need. */
#ifndef PERUN_FORMATS_COMMON_NUMBERS_H
#define PERUN_FORMATS_COMMON_NUMBERS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <perun/context.h>

/* Numbers of a block, which is packed when it is full; a power of two. */
enum { NUMBERS_BLOCK = 4096 };

/*
 * Whole numbers that are close to each other are offsets from a base, of which the highest is NaN; without bytes where all are
 * the same, or NaN. Others are single or double precision, as they need.
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
/* Empty it, for others of about as many. */
void numbers_clear(struct numbers *numbers);
/* Free the blocks before number i: none of these numbers is read again. */
void numbers_drop(struct numbers *numbers, size_t i);
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

/*
 * The same of numbers of 32 bits, such as those of frames, which are added and read in a fraction of the time: a block takes
 * as many bytes for each as its highest has. {0} is an empty one.
 */
struct ids {
	unsigned char **
		blocks; /* the first byte of each is how many bytes a number has; numbers begin at IDS_HEAD */
	uint32_t *open;
	size_t count, room, open_room;
};

enum { IDS_HEAD = 8 };

void ids_free(struct ids *ids);
void ids_clear(struct ids *ids); /* as numbers_clear() */
/* Pack the open numbers, which are a block. */
void ids_pack(struct ids *ids);
bool ids_equal(const struct ids *a, const struct ids *b);

static inline void ids_add(struct ids *ids, uint32_t id)
{
	const size_t open = ids->count % NUMBERS_BLOCK;

	PERUN_GROW(ids->open, open, ids->open_room);
	ids->open[open] = id;
	ids->count++;
	if (open == NUMBERS_BLOCK - 1)
		ids_pack(ids);
}

/* Number i, which is there. */
static inline uint32_t ids_at(const struct ids *ids, size_t i)
{
	const size_t in = i % NUMBERS_BLOCK;
	const unsigned char *block;
	const void *data;

	if (i / NUMBERS_BLOCK == ids->count / NUMBERS_BLOCK)
		return ids->open[in];
	block = ids->blocks[i / NUMBERS_BLOCK];
	data = block + IDS_HEAD;
	return *block == 1   ? ((const uint8_t *)data)[in]
	       : *block == 2 ? ((const uint16_t *)data)[in]
			     : ((const uint32_t *)data)[in];
}

#endif
