/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes kept as what they do not share with others. */
#include <string.h>

#include "core/profile/packed.h"

/* How many of 8 bytes are the same; 8: all. */
static inline size_t same_of_eight(const unsigned char *a, const unsigned char *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	x ^= y;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return x ? (size_t)__builtin_ctzll(x) / 8 : 8;
#else
	return x ? (size_t)__builtin_clzll(x) / 8 : 8;
#endif
}

static inline size_t shared_with(const char *first, const unsigned char *bytes, size_t size)
{
	struct perun_packed_item item = perun_packed_item(first);
	size_t most = size < item.size ? size : item.size, same = same_of_eight(bytes, item.bytes);

	if (same == 8)
		same += same_of_eight(bytes + 8, item.bytes + 8);
	same = same < most ? same : most;
	return same < PERUN_PACKED_SHARED ? same : PERUN_PACKED_SHARED;
}

const char *perun_packed_add(struct perun_blocks *blocks, const char *first, const void *data,
			     size_t size)
{
	const unsigned char *bytes = data;
	size_t shared = 0, rest;
	uint32_t length;
	char *to;

	if (first && size <= PERUN_PACKED_SHORT)
		shared = shared_with(first, bytes, size);
	rest = size - shared;
	to = perun_blocks_room(blocks, 1,
			       rest + (rest < PERUN_PACKED_MANY ? 1 : PERUN_PACKED_HEAD));
	*to = (char)(shared << 4 | (rest < PERUN_PACKED_MANY ? rest : PERUN_PACKED_MANY));
	if (rest <= 8) {
		memcpy(to + 1, bytes + shared, 8);
	} else if (rest < PERUN_PACKED_MANY) {
		memcpy(to + 1, bytes + shared, rest);
	} else {
		length = (uint32_t)rest;
		memcpy(to + 1, &length, sizeof length);
		memcpy(to + PERUN_PACKED_HEAD, bytes + shared, rest);
	}
	return to;
}

bool perun_packed_is(const char *first, const char *at, const void *data, size_t size)
{
	struct perun_packed_item item = perun_packed_item(at);
	const unsigned char *bytes = data;

	return item.shared + item.size == size &&
	       memcmp(item.bytes, bytes + item.shared, item.size) == 0 &&
	       memcmp(perun_packed_item(first).bytes, bytes, item.shared) == 0;
}

bool perun_packed_is_next(const char *first, const char *second, uint32_t place, const void *data,
			  size_t size)
{
	struct perun_packed_item a = perun_packed_item(first), b = perun_packed_item(second);
	const unsigned char *bytes = data;
	uint64_t number, mask;

	/* The second is the first but for its last bytes. */
	if (a.size != size || !b.size || b.size > sizeof number || b.shared + b.size != size)
		return false;
	number = perun_packed_number(a, b, place);
	mask = size < sizeof number ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	return (number & mask) == perun_packed_last(bytes, size) &&
	       (size <= sizeof number || memcmp(a.bytes, bytes, size - sizeof number) == 0);
}
