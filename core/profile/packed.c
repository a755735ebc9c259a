/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of a pool kept as what they do not share with the item before. */
#include <string.h>

#include "core/context/context.h"
#include "core/profile/packed.h"

/* ---- items ----------------------------------------------------------------------------------------- */

/* A length that does not fit is MANY, and 4 bytes follow. Items of more than PERUN_PACKED_SHORT bytes share none. */
enum { MANY = 15, LONG_HEAD = 1 + sizeof(uint32_t) };

struct item {
	size_t shared, size; /* size: of the bytes that follow */
	const unsigned char *bytes;
};

static inline struct item item_at(const unsigned char *at)
{
	struct item item = {.shared = *at >> 4, .size = *at & MANY, .bytes = at + 1};
	uint32_t size;

	if (item.size == MANY) {
		memcpy(&size, at + 1, sizeof size);
		item.size = size;
		item.bytes = at + LONG_HEAD;
	}
	return item;
}

/* ---- adding ---------------------------------------------------------------------------------------- */

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

static inline size_t shared_with(const struct perun_packed_last *last, const unsigned char *bytes,
				 size_t size)
{
	size_t most = size < last->size ? size : last->size;
	size_t same = same_of_eight(bytes, last->bytes);

	if (same == 8)
		same += same_of_eight(bytes + 8, last->bytes + 8);
	return same < most ? same : most;
}

static size_t bytes_of(const unsigned char *first, uint32_t count)
{
	const unsigned char *at = first;

	for (uint32_t i = 0; i < count; i++) {
		struct item item = item_at(at);

		at = item.bytes + item.size;
	}
	return (size_t)(at - first);
}

/* Room for an item right after those that it is read after: these move where there is none. */
static unsigned char *room_for(const unsigned char **group, uint32_t others,
			       struct perun_blocks *blocks, size_t need)
{
	size_t before = others && need > blocks->room_size ? bytes_of(*group, others) : 0;
	unsigned char *at = (unsigned char *)perun_blocks_room(blocks, 1, before + need);

	if (before)
		memcpy(at, *group, before);
	if (before || !others)
		*group = at;
	return at + before;
}

void perun_packed_add(const unsigned char **groups, uint32_t count, struct perun_packed_last *last,
		      struct perun_blocks *blocks, const void *data, size_t size)
{
	const uint32_t others = count % PERUN_PACKED_TOGETHER;
	const unsigned char *bytes = data;
	size_t shared = 0, rest;
	uint32_t length;
	unsigned char *to;

	if (others && size <= PERUN_PACKED_SHORT)
		shared = shared_with(last, bytes, size);
	rest = size - shared;
	to = room_for(&groups[count / PERUN_PACKED_TOGETHER], others, blocks,
		      rest + (rest < MANY ? 1 : LONG_HEAD));
	*to = (unsigned char)(shared << 4 | (rest < MANY ? rest : MANY));
	if (rest <= 8) {
		memcpy(to + 1, bytes + shared, 8);
	} else if (rest < MANY) {
		memcpy(to + 1, bytes + shared, rest);
	} else {
		length = (uint32_t)rest;
		memcpy(to + 1, &length, sizeof length);
		memcpy(to + LONG_HEAD, bytes + shared, rest);
	}
	memcpy(last->bytes, bytes, sizeof last->bytes);
	last->size = size < PERUN_PACKED_SHARED ? (uint8_t)size : PERUN_PACKED_SHARED;
}

/* ---- looking at them ------------------------------------------------------------------------------- */

static inline size_t same_bytes(const unsigned char *a, const unsigned char *b, size_t size)
{
	size_t i = 0;

	while (i < size && a[i] == b[i])
		i++;
	return i;
}

/* `alike`: how many of the first bytes of an item are those searched for, which is known without those that it shares. */
bool perun_packed_is(const unsigned char *const *groups, perun_id id, const void *data, size_t size)
{
	const unsigned char *at = groups[id / PERUN_PACKED_TOGETHER], *bytes = data;
	struct item item;
	size_t alike = 0;

	for (perun_id left = id % PERUN_PACKED_TOGETHER;; left--) {
		item = item_at(at);
		if (item.shared < alike)
			alike = item.shared;
		if (item.shared == alike) {
			size_t most = size - alike < item.size ? size - alike : item.size;

			alike += same_bytes(item.bytes, bytes + alike, most);
		}
		if (!left)
			return alike == size && item.shared + item.size == size;
		at = item.bytes + item.size;
	}
}

void perun_packed_next(struct perun_packed *packed)
{
	struct item item;

	if (packed->next % PERUN_PACKED_TOGETHER == 0)
		packed->at = packed->groups[packed->next / PERUN_PACKED_TOGETHER];
	item = item_at(packed->at);
	packed->at = item.bytes + item.size;
	packed->size = item.shared + item.size;
	packed->next++;
	packed->data = packed->bytes;
	if (item.size < MANY) {
		memcpy(packed->bytes + item.shared, item.bytes, PERUN_BLOCK_SLACK);
	} else if (packed->size <= PERUN_PACKED_SHORT) {
		memcpy(packed->bytes + item.shared, item.bytes, item.size);
	} else { /* the item after it may share what it begins with */
		memcpy(packed->bytes, item.bytes, PERUN_PACKED_SHARED);
		packed->data = item.bytes;
	}
}

void perun_packed_seek(struct perun_packed *packed, const unsigned char *const *groups, perun_id id)
{
	packed->groups = groups;
	packed->next = id / PERUN_PACKED_TOGETHER * PERUN_PACKED_TOGETHER;
	while (packed->next < id)
		perun_packed_next(packed);
}
