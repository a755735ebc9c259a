/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a recording, one after the other, in the order of bytes of the machine that wrote it. */
#ifndef PERF_DATA_CURSOR_H
#define PERF_DATA_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool big;       /* the most significant byte comes first */
	bool truncated; /* something was wanted beyond the end */
};

static inline uint64_t cursor_number(const uint8_t *bytes, size_t size, bool big)
{
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[big ? i : size - 1 - i];
	return number;
}

/* The next bytes, NULL when there are not as many. */
static inline const uint8_t *cursor_bytes(struct cursor *cursor, uint64_t size)
{
	const uint8_t *bytes = cursor->at;

	if (size > (uint64_t)(cursor->end - cursor->at)) {
		cursor->truncated = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += size;
	return bytes;
}

static inline uint64_t cursor_take(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor_bytes(cursor, size);

	return bytes ? cursor_number(bytes, size, cursor->big) : 0;
}

static inline uint64_t cursor_64(struct cursor *cursor)
{
	return cursor_take(cursor, 8);
}

static inline uint32_t cursor_32(struct cursor *cursor)
{
	return (uint32_t)cursor_take(cursor, 4);
}

/* How many bytes are left. */
static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* A text that ends with NUL, or with the bytes there are; its length. */
static inline const char *cursor_text(const struct cursor *cursor, size_t *length)
{
	*length = strnlen((const char *)cursor->at, cursor_left(cursor));
	return (const char *)cursor->at;
}

#endif
