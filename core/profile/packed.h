/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes kept as what they do not share with others. For the files of this folder. */
#ifndef PERUN_CORE_PROFILE_PACKED_H
#define PERUN_CORE_PROFILE_PACKED_H

#include <string.h>

#include "core/profile/blocks.h"

/*
 * Items that follow each other begin alike, where most of them are numbers that follow each other: an item is two numbers of 4
 * bits, how many bytes it shares with the first one of its group and how many follow, and these (front coding, see I. Witten,
 * A. Moffat, T. Bell, "Managing Gigabytes", 1999, 4.1, but each from the first, so that an item is made of two).
 */
enum {
	PERUN_PACKED_SHARED = 15, /* bytes at most */
	PERUN_PACKED_SHORT = 64,  /* longer items share none */
	PERUN_PACKED_READ = 24,
	/* A length that does not fit is MANY, and 4 bytes follow. */
	PERUN_PACKED_MANY = 15,
	PERUN_PACKED_HEAD = 1 + sizeof(uint32_t)
};

/*
 * Put an item into blocks; `first` is that of its group, NULL for itself. Whatever its size is, PERUN_PACKED_READ bytes of it can
 * be read: few are copied without counting them.
 */
const char *perun_packed_add(struct perun_blocks *blocks, const char *first, const void *data,
			     size_t size);
/* Whether an item has these bytes. */
bool perun_packed_is(const char *first, const char *item, const void *data, size_t size);

/* An item. `data` is borrowed, and may be what is in `bytes`. */
struct perun_packed {
	const unsigned char *data;
	size_t size;
	unsigned char bytes[PERUN_PACKED_SHORT + PERUN_BLOCK_SLACK];
};

struct perun_packed_item {
	size_t shared, size; /* size: of the bytes that follow */
	const unsigned char *bytes;
};

static inline struct perun_packed_item perun_packed_item(const char *at)
{
	unsigned char head = (unsigned char)*at;
	struct perun_packed_item item = {head >> 4, head & PERUN_PACKED_MANY,
					 (const unsigned char *)at + 1};
	uint32_t size;

	if (item.size == PERUN_PACKED_MANY) {
		memcpy(&size, at + 1, sizeof size);
		item.size = size;
		item.bytes = (const unsigned char *)at + PERUN_PACKED_HEAD;
	}
	return item;
}

static inline void perun_packed_get(const char *first, const char *at, struct perun_packed *packed)
{
	struct perun_packed_item item = perun_packed_item(at);

	packed->size = item.shared + item.size;
	packed->data = item.bytes;
	if (!item.shared)
		return;
	memcpy(packed->bytes, perun_packed_item(first).bytes, PERUN_BLOCK_SLACK);
	if (item.size < PERUN_PACKED_MANY)
		memcpy(packed->bytes + item.shared, item.bytes, PERUN_BLOCK_SLACK);
	else
		memcpy(packed->bytes + item.shared, item.bytes, item.size);
	packed->data = packed->bytes;
}

/*
 * Items whose last 8 bytes, or all of fewer, are a number that rises, or falls, by as much from one to the next, are what the
 * first two are: item `place` after them, which is_next() was true of. So are numbers that rise together.
 */
bool perun_packed_is_next(const char *first, const char *second, uint32_t place, const void *data,
			  size_t size);

/* The last 8 bytes as a number, the highest byte first; `bytes`: at least 8 can be read. */
static inline uint64_t perun_packed_last(const unsigned char *bytes, size_t size)
{
	uint64_t word;

	memcpy(&word, bytes + (size > sizeof word ? size - sizeof word : 0), sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return size < sizeof word ? word >> 8 * (sizeof word - size) : word;
}

/* The number of item `place`; the second differs from the first in its last 1 to 8 bytes. */
static inline uint64_t perun_packed_number(struct perun_packed_item first,
					   struct perun_packed_item second, uint32_t place)
{
	const uint64_t from = perun_packed_last(first.bytes, first.size);
	const uint64_t other = perun_packed_last(second.bytes, second.size);
	const uint64_t mask = second.size < 8 ? (UINT64_C(1) << 8 * second.size) - 1 : UINT64_MAX;

	return from + (((from & ~mask) | other) - from) * place;
}

static inline void perun_packed_next(const char *first, const char *second, uint32_t place,
				     struct perun_packed *packed)
{
	struct perun_packed_item item = perun_packed_item(first);
	uint64_t number = perun_packed_number(item, perun_packed_item(second), place);

	/* An item that others go on from has at most 15 bytes before its last 8, which come now. */
	memcpy(packed->bytes, item.bytes, PERUN_BLOCK_SLACK);
	if (item.size < sizeof number)
		number <<= 8 * (sizeof number - item.size);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	number = __builtin_bswap64(number);
#endif
	memcpy(packed->bytes + (item.size > sizeof number ? item.size - sizeof number : 0), &number,
	       sizeof number);
	packed->data = packed->bytes;
	packed->size = item.size;
}

#endif
