/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of a pool kept as what they do not share with the item before. For the files of this folder. */
#ifndef PERUN_CORE_PROFILE_PACKED_H
#define PERUN_CORE_PROFILE_PACKED_H

#include "core/profile/blocks.h"
#include "perun/profile.h"

/*
 * Items that follow each other begin alike, where most of them are numbers that follow each other: an item is two numbers of 4
 * bits, how many bytes it shares with the item before and how many follow, and these (front coding, see I. Witten, A. Moffat,
 * T. Bell, "Managing Gigabytes", 1999, 4.1). The first one of PERUN_PACKED_TOGETHER shares none, so that looking at an item
 * passes over the few before it. `groups`: where each such first one is, in an array of the caller's.
 */
enum {
	PERUN_PACKED_TOGETHER = 16,
	PERUN_PACKED_SHARED = 15, /* bytes at most */
	PERUN_PACKED_SHORT = 64,  /* longer items share none */
	PERUN_PACKED_READ = 24
};

/* What the last item begins with. */
struct perun_packed_last {
	unsigned char bytes[16];
	uint8_t size; /* PERUN_PACKED_SHARED at most */
};

/*
 * Append an item after `count` others, in the caller's blocks. Whatever its size is, PERUN_PACKED_READ bytes of it can be read:
 * few are copied without counting them.
 */
void perun_packed_add(const unsigned char **groups, uint32_t count, struct perun_packed_last *last,
		      struct perun_blocks *blocks, const void *data, size_t size);
/* Whether item `id` has these bytes. */
bool perun_packed_is(const unsigned char *const *groups, perun_id id, const void *data,
		     size_t size);

/* Goes from item to item. `data` is borrowed, and holds until the next one. */
struct perun_packed {
	const unsigned char *const *groups;
	perun_id next;
	const unsigned char *at; /* of the next one */
	const unsigned char *data;
	size_t size;
	unsigned char bytes[PERUN_PACKED_SHORT + PERUN_BLOCK_SLACK];
};

/* Before item `id`: it is the next one. */
void perun_packed_seek(struct perun_packed *packed, const unsigned char *const *groups,
		       perun_id id);
/* To the next one, of which there is one. */
void perun_packed_next(struct perun_packed *packed);

#endif
