/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of small numbers that knows neighbours: where blocks of memory begin. */
#ifndef PERUN_VIEWS_HEAPMAP_STARTS_H
#define PERUN_VIEWS_HEAPMAP_STARTS_H

#include <perun/context.h>

struct starts {
	uint64_t *words[11]; /* of each level; bit i of the one above: word i has a bit */
	size_t counts[11];
	unsigned depth;
};

/* For numbers below `count`; empty. */
void starts_make(struct starts *starts, size_t count);
void starts_free(struct starts *starts);
void starts_add(struct starts *starts, size_t number);
void starts_remove(struct starts *starts, size_t number);
/* The smallest that is not below the number; the largest below it. SIZE_MAX = none. */
size_t starts_next(const struct starts *starts, size_t number);
size_t starts_before(const struct starts *starts, size_t number);

#endif
