/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that a seed determines: xoshiro256** (Blackman and Vigna, ACM TOMS 47, 2021). */
#ifndef PERUN_CORE_FUZZ_RANDOM_H
#define PERUN_CORE_FUZZ_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_random {
	uint64_t state[4];
};

void fuzz_random_start(struct fuzz_random *random, uint64_t seed);
/* In [0, below); 0 when `below` is 0. */
size_t fuzz_random_below(struct fuzz_random *random, size_t below);
/* In [0, 1). */
double fuzz_random_unit(struct fuzz_random *random);
/* 1 in half of all cases, 2 in a quarter ..., at most `most`. */
size_t fuzz_random_few(struct fuzz_random *random, size_t most);

#endif
