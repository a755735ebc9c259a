/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of memory that things stay in, whoever else has them. */
#include <stdatomic.h>

#include "core/context/context.h"
#include "core/profile/blocks.h"

/* Large blocks are a page of 2 MB, or two, which are there as a whole: not for who has little. */
#define FIRST_BLOCK   512
#define MIDDLE_BLOCK  ((size_t)1 << 20)
#define LARGE_BLOCK   (((size_t)1 << 21) - sizeof(struct perun_block) - PERUN_BLOCK_SLACK)
#define LARGEST_BLOCK (((size_t)1 << 22) - 64)

struct perun_block {
	atomic_uint refs;
	_Alignas(8) char data[];
};

static char *new_block(struct perun_blocks *blocks, size_t room)
{
	struct perun_block *block = perun_alloc_large(sizeof *block + room + PERUN_BLOCK_SLACK);

	atomic_init(&block->refs, 1);
	PERUN_GROW(blocks->blocks, blocks->count, blocks->capacity);
	blocks->blocks[blocks->count++] = block;
	return block->data;
}

char *perun_blocks_add(struct perun_blocks *blocks, size_t room)
{
	blocks->room = NULL; /* of the block before */
	blocks->room_size = 0;
	blocks->bytes += room;
	return new_block(blocks, room);
}

void perun_blocks_grow(struct perun_blocks *blocks, size_t need)
{
	size_t room = blocks->bytes < FIRST_BLOCK ? FIRST_BLOCK : blocks->bytes;

	if (room > MIDDLE_BLOCK)
		room = room < LARGE_BLOCK * 4     ? MIDDLE_BLOCK
		       : room < LARGEST_BLOCK * 8 ? LARGE_BLOCK
						  : LARGEST_BLOCK;
	if (room < need)
		room = need;
	blocks->room = new_block(blocks, room);
	blocks->room_size = room;
}

void perun_blocks_share(struct perun_blocks *blocks)
{
	blocks->blocks = perun_memdup(blocks->blocks, blocks->count * sizeof(void *));
	blocks->capacity = blocks->count;
	for (size_t i = 0; i < blocks->count; i++)
		atomic_fetch_add_explicit(&blocks->blocks[i]->refs, 1, memory_order_relaxed);
	blocks->room = NULL; /* what is left of the last block belongs to the other owner */
	blocks->room_size = 0;
}

void perun_blocks_free(struct perun_blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		struct perun_block *block = blocks->blocks[i];

		if (atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) == 1)
			perun_free(block);
	}
	perun_free(blocks->blocks);
}

bool perun_blocks_are_shared(const struct perun_blocks *blocks)
{
	bool shared = false;

	for (size_t i = 0; i < blocks->count; i++)
		shared |= atomic_load_explicit(&blocks->blocks[i]->refs, memory_order_acquire) != 1;
	return shared;
}
