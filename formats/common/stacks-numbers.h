/* SPDX-License-Identifier: BSD-3-Clause */
/* A table from numbers of a file to numbers from 0 on. */
#ifndef PERUN_FORMATS_COMMON_STACKS_NUMBERS_H
#define PERUN_FORMATS_COMMON_STACKS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * {0} is an empty one. Keys are in the order in which they came, each value
 * mostly is the number of its key there, and most files count: as long as they do, nothing is kept of them.
 */
struct stacks_numbers {
	uint64_t first; /* the first key */
	size_t count, room, value_room;
	uint32_t *low,
		*high; /* halves of keys; NULL: they follow each other from the first one on; all are 0 */
	uint32_t *values; /* NULL: each is the number of its key */
	uint32_t *slots; /* keys by their hash: their numbers + 1, and bits of the hash; 0 = free */
	uint64_t size;   /* of the slots */
	uint32_t bits;   /* of a number in a slot */
};

/* The value of a key; UINT32_MAX when it has none. */
uint32_t stacks_numbers_find(const struct stacks_numbers *numbers, uint64_t key);
/* Give a key a value; false: it has one already, which stays. */
bool stacks_numbers_add(struct stacks_numbers *numbers, uint64_t key, uint32_t value);
/* The keys in their order: one of a number below numbers->count. */
uint64_t stacks_numbers_key(const struct stacks_numbers *numbers, size_t i);
/* Give back what keys are found by: from now on none is. */
void stacks_numbers_forget(struct stacks_numbers *numbers);
void stacks_numbers_free(struct stacks_numbers *numbers);

#endif
