/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 where the processor has AVX2: the words of two blocks are made side by side. */
#include "core/hash/hash.h"
#include "core/hash/sha1-rounds.h"

#if defined __x86_64__ && defined __GNUC__

#include <cpuid.h>
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2")))

/* Whether the system keeps the registers of vectors for a program. */
__attribute__((target("xsave"))) static int are_vectors_kept(void)
{
	return (_xgetbv(0) & 6) == 6;
}

/*
 * Not __builtin_cpu_supports(): that asks the processor each time the library is loaded, for which a virtual machine takes
 * longer than for all symbols of the library.
 */
int perun_has_avx2(void)
{
	static int known; /* 1 no, 2 yes: each thread finds the same */
	unsigned a, b, c, d;
	int is = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!is) {
		is = 1 + (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE && are_vectors_kept() &&
			  __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2 && b & bit_BMI2);
		__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	}
	return is == 2;
}

TARGET static inline __m256i rotate(__m256i x, int by)
{
	return _mm256_or_si256(_mm256_slli_epi32(x, by), _mm256_srli_epi32(x, 32 - by));
}

/* Words 16 to 31: each follows from the one three before it, so that the last of four waits for the first. */
TARGET static inline __m256i early(const __m256i *w)
{
	__m256i x = _mm256_xor_si256(_mm256_alignr_epi8(w[-3], w[-4], 8), w[-4]);

	x = _mm256_xor_si256(_mm256_xor_si256(x, w[-2]), _mm256_srli_si256(w[-1], 4));
	return _mm256_xor_si256(rotate(x, 1), rotate(_mm256_slli_si256(x, 12), 2));
}

/* Words 32 to 79: the same rule applied to itself reaches back six words and more, so that four are made at once. */
TARGET static inline __m256i late(const __m256i *w)
{
	__m256i x = _mm256_xor_si256(_mm256_alignr_epi8(w[-1], w[-2], 8), w[-4]);

	return rotate(_mm256_xor_si256(_mm256_xor_si256(x, w[-7]), w[-8]), 2);
}

TARGET void perun_sha1_blocks_avx2(uint32_t *state, const unsigned char *data, size_t count)
{
	const __m256i order =
		_mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
	const int constants[4] = {0x5a827999, 0x6ed9eba1, (int)0x8f1bbcdc, (int)0xca62c1d6};

	for (size_t next; count; data += 64 * next, count -= next) {
		uint32_t ready[160];
		__m256i w[20];

		next = count > 1 ? 2 : 1;
		for (int i = 0; i < 4; i++) {
			const __m128i *first = (const __m128i *)data + i;

			w[i] = _mm256_shuffle_epi8(
				_mm256_loadu2_m128i(first + 4 * (next - 1), first), order);
		}
		for (int i = 4; i < 20; i++)
			w[i] = i < 8 ? early(w + i) : late(w + i);
		for (int i = 0; i < 20; i++)
			_mm256_storeu_si256(
				(__m256i *)(ready + 8 * i),
				_mm256_add_epi32(w[i], _mm256_set1_epi32(constants[i / 5])));
		for (size_t block = 0; block < next; block++)
			perun_sha1_rounds(state, ready + 4 * block, 8);
	}
}

#else

int perun_has_avx2(void)
{
	return 0;
}

void perun_sha1_blocks_avx2(uint32_t *state, const unsigned char *data, size_t count)
{
	perun_sha1_blocks(state, data, count);
}

#endif
