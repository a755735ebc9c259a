/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that a seed determines. */
#include <config.h>

#include "core/fuzz/random.h"

static uint64_t turn(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

/* splitmix64, which the authors advise to fill the state with. */
void fuzz_random_start(struct fuzz_random *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		random->state[i] = z ^ z >> 31;
	}
}

static uint64_t next(struct fuzz_random *random)
{
	uint64_t *s = random->state, result = turn(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = turn(s[3], 45);
	return result;
}

double fuzz_random_unit(struct fuzz_random *random)
{
	return (double)(next(random) >> 11) * 0x1p-53;
}

size_t fuzz_random_below(struct fuzz_random *random, size_t below)
{
	return below ? (size_t)((double)below * fuzz_random_unit(random)) : 0;
}

size_t fuzz_random_few(struct fuzz_random *random, size_t most)
{
	size_t few = 1;

	while (few < most && next(random) >> 63)
		few++;
	return few;
}
