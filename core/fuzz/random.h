/* SPDX-License-Identifier: BSD-3-Clause */
/* What a search draws by chance. */
#ifndef PERUN_CORE_FUZZ_RANDOM_H
#define PERUN_CORE_FUZZ_RANDOM_H

#include <stddef.h>

#include "core/context/random.h"

struct fuzz_random {
	uint64_t state; /* the seed at first */
};

/* In [0, below); 0 when `below` is 0. */
static inline size_t fuzz_random_below(struct fuzz_random *random, size_t below)
{
	return (size_t)random_below(&random->state, below);
}

/* In [0, 1). */
static inline double fuzz_random_unit(struct fuzz_random *random)
{
	return (double)(random_next(&random->state) >> 11) * 0x1p-53;
}

/* 1 in half of all cases, 2 in a quarter ..., at most `most`. */
static inline size_t fuzz_random_few(struct fuzz_random *random, size_t most)
{
	size_t few = 1;

	while (few < most && random_next(&random->state) >> 63)
		few++;
	return few;
}

#endif
