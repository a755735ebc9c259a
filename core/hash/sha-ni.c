/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 and SHA-256 by the instructions that x86 processors have for it; portable code elsewhere. */
#include "core/hash/hash.h"

#if defined __x86_64__ && defined __GNUC__

#include <cpuid.h>
#include <immintrin.h>

int perun_has_sha_ni(void)
{
	static int known; /* 1 no, 2 yes: each thread finds the same */
	unsigned a, b, c, d;
	int is = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!is) {
		const unsigned needed = bit_SSSE3 | bit_SSE4_1;

		is = 1 + (__get_cpuid(1, &a, &b, &c, &d) && (c & needed) == needed &&
			  __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA));
		__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	}
	return is == 2;
}

/* Five steps of four rounds with the function `kind` of the standard. */
#define ROUNDS(kind)                                                                \
	for (int i = 5 * (kind); i < 5 * (kind) + 5; i++) {                         \
		e = i ? _mm_sha1nexte_epu32(before, w[i]) : _mm_add_epi32(e, w[0]); \
		before = abcd;                                                      \
		abcd = _mm_sha1rnds4_epu32(abcd, e, kind);                          \
	}

__attribute__((target("sha,sse4.1,ssse3"))) void
perun_sha1_blocks_ni(uint32_t *state, const unsigned char *data, size_t count)
{
	const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
	__m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0x1b);
	__m128i e = _mm_set_epi32((int)state[4], 0, 0, 0);

	for (; count; count--, data += 64) {
		const __m128i first = abcd, first_e = e;
		__m128i w[20], before = abcd;

		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)data + i), order);
		for (int i = 4; i < 20; i++)
			w[i] = _mm_sha1msg2_epu32(
				_mm_xor_si128(_mm_sha1msg1_epu32(w[i - 4], w[i - 3]), w[i - 2]),
				w[i - 1]);
		ROUNDS(0)
		ROUNDS(1)
		ROUNDS(2)
		ROUNDS(3)
		e = _mm_sha1nexte_epu32(before, first_e);
		abcd = _mm_add_epi32(abcd, first);
	}
	_mm_storeu_si128((__m128i *)state, _mm_shuffle_epi32(abcd, 0x1b));
	state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

__attribute__((target("sha,sse4.1,ssse3"))) void
perun_sha256_blocks_ni(uint32_t *state, const unsigned char *data, size_t count)
{
	const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	const __m128i *constants = (const __m128i *)perun_sha256_constants;
	__m128i *halves = (__m128i *)state;
	/* The instructions take a, b, e, f in one register and c, d, g, h in the other. */
	__m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xb1);
	__m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1b);
	__m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);

	for (; count; count--, data += 64) {
		const __m128i first_abef = abef, first_cdgh = cdgh;
		__m128i w[16];

		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)data + i), order);
		for (int i = 4; i < 16; i++)
			w[i] = _mm_sha256msg2_epu32(
				_mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]),
					      _mm_alignr_epi8(w[i - 1], w[i - 2], 4)),
				w[i - 1]);
		for (int i = 0; i < 16; i++) {
			__m128i sum = _mm_add_epi32(w[i], _mm_loadu_si128(constants + i));

			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
		}
		abef = _mm_add_epi32(abef, first_abef);
		cdgh = _mm_add_epi32(cdgh, first_cdgh);
	}
	badc = _mm_shuffle_epi32(cdgh, 0xb1);
	hgfe = _mm_shuffle_epi32(abef, 0x1b);
	_mm_storeu_si128(halves, _mm_blend_epi16(hgfe, badc, 0xf0));
	_mm_storeu_si128(halves + 1, _mm_alignr_epi8(badc, hgfe, 8));
}

#else

int perun_has_sha_ni(void)
{
	return 0;
}

void perun_sha1_blocks_ni(uint32_t *state, const unsigned char *data, size_t count)
{
	perun_sha1_blocks(state, data, count);
}

void perun_sha256_blocks_ni(uint32_t *state, const unsigned char *data, size_t count)
{
	perun_sha256_blocks(state, data, count);
}

#endif
