/* SPDX-License-Identifier: BSD-3-Clause */
/* The 80 rounds of SHA-1 over one block; private to the core. */
#ifndef PERUN_CORE_HASH_SHA1_ROUNDS_H
#define PERUN_CORE_HASH_SHA1_ROUNDS_H

#include <stdint.h>

static inline uint32_t perun_rotate(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

#define PERUN_CHOOSE(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define PERUN_PARITY(x, y, z)   ((x) ^ (y) ^ (z))
#define PERUN_MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

/* One round; the variables are renamed instead of moved. */
#define SHA1_ROUND(a, b, c, d, e, f, i)                              \
	e += perun_rotate(a, 5) + (f) + w[(i) / 4 * step + (i) % 4]; \
	b = perun_rotate(b, 30);

/* Five rounds, after which each variable has its own name again. */
#define SHA1_FIVE(F, i)                              \
	SHA1_ROUND(a, b, c, d, e, F(b, c, d), i)     \
	SHA1_ROUND(e, a, b, c, d, F(a, b, c), i + 1) \
	SHA1_ROUND(d, e, a, b, c, F(e, a, b), i + 2) \
	SHA1_ROUND(c, d, e, a, b, F(d, e, a), i + 3) \
	SHA1_ROUND(b, c, d, e, a, F(c, d, e), i + 4)

#define SHA1_TWENTY(F, i) \
	SHA1_FIVE(F, i) SHA1_FIVE(F, (i) + 5) SHA1_FIVE(F, (i) + 10) SHA1_FIVE(F, (i) + 15)

/* Words of the schedule, the constants of the rounds added: four of them, and the next four `step` further. */
static inline __attribute__((always_inline)) void
perun_sha1_rounds(uint32_t *state, const uint32_t *w, const unsigned step)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

	SHA1_TWENTY(PERUN_CHOOSE, 0)
	SHA1_TWENTY(PERUN_PARITY, 20)
	SHA1_TWENTY(PERUN_MAJORITY, 40)
	SHA1_TWENTY(PERUN_PARITY, 60)
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

#endif
