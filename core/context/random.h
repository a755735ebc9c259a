/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that a seed determines, the same everywhere: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
#ifndef PERUN_CORE_CONTEXT_RANDOM_H
#define PERUN_CORE_CONTEXT_RANDOM_H

#include <stdint.h>

#include "wide.h"

/* The next one; the state is the seed at first. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* In [0, limit), or 0: the share of it, by multiplication. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return perun_multiply(random_next(state), limit).high;
}

#endif
