/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of memory that things stay in, whoever else has them. For the files of this folder. */
#ifndef PERUN_CORE_PROFILE_BLOCKS_H
#define PERUN_CORE_PROFILE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is in a block never moves. Several owners may share blocks; each has room in the last one that it added. {0} has none. */
struct perun_block;
struct perun_blocks {
	struct perun_block **blocks;
	size_t count, capacity;
	char *room;
	size_t room_size, bytes; /* bytes: that were given out */
};

/* After the end of a block this much more can be read and written: few bytes are copied without counting them. */
enum { PERUN_BLOCK_SLACK = 16 };

/* A block for `room` bytes, all of which are given out. */
char *perun_blocks_add(struct perun_blocks *blocks, size_t room);
/* The same for bytes that are given out one after the other: room for `need` at least. */
void perun_blocks_grow(struct perun_blocks *blocks, size_t need);
/* Blocks that are a copy of another owner's get references of their own. */
void perun_blocks_share(struct perun_blocks *blocks);
void perun_blocks_free(struct perun_blocks *blocks);
bool perun_blocks_are_shared(const struct perun_blocks *blocks);

/* `need` bytes that stay where they are. */
static inline char *perun_blocks_room(struct perun_blocks *blocks, size_t alignment, size_t need)
{
	size_t skip = -(uintptr_t)blocks->room & (alignment - 1);

	if (need + skip > blocks->room_size) {
		perun_blocks_grow(blocks, need);
		skip = 0;
	}
	blocks->room += skip + need;
	blocks->room_size -= skip + need;
	blocks->bytes += need;
	return blocks->room - need;
}

#endif
