/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of small numbers that knows neighbours: bits, and above them bits that say which words have any. */
#include <config.h>

#include "starts.h"

void starts_make(struct starts *starts, size_t count)
{
	*starts = (struct starts){.depth = 0};
	do {
		count = (count + 63) / 64;
		starts->words[starts->depth] = perun_alloc_zero(count + 1, sizeof(uint64_t));
		starts->counts[starts->depth++] = count;
	} while (count > 1);
}

void starts_free(struct starts *starts)
{
	for (unsigned level = 0; level < starts->depth; level++)
		perun_free(starts->words[level]);
}

void starts_add(struct starts *starts, size_t number)
{
	for (unsigned level = 0; level < starts->depth; level++, number /= 64)
		starts->words[level][number / 64] |= (uint64_t)1 << number % 64;
}

void starts_remove(struct starts *starts, size_t number)
{
	for (unsigned level = 0; level < starts->depth; level++, number /= 64) {
		starts->words[level][number / 64] &= ~((uint64_t)1 << number % 64);
		if (starts->words[level][number / 64])
			return;
	}
}

size_t starts_next(const struct starts *starts, size_t number)
{
	unsigned level = 0;

	/* Up to the first word with a bit at the number or after, then down along the lowest bits. */
	for (;; level++, number = number / 64 + 1) {
		uint64_t word;

		if (level == starts->depth || number / 64 >= starts->counts[level])
			return SIZE_MAX;
		word = starts->words[level][number / 64] >> number % 64;
		if (word) {
			number += (size_t)__builtin_ctzll(word);
			break;
		}
	}
	while (level-- > 0)
		number = number * 64 + (size_t)__builtin_ctzll(starts->words[level][number]);
	return number;
}

size_t starts_before(const struct starts *starts, size_t number)
{
	unsigned level = 0;

	for (;; level++, number /= 64) {
		uint64_t word;

		if (level == starts->depth)
			return SIZE_MAX;
		word = number % 64 ? starts->words[level][number / 64] << (64 - number % 64) : 0;
		if (word) {
			number -= 1 + (size_t)__builtin_clzll(word);
			break;
		}
	}
	while (level-- > 0)
		number = number * 64 + 63 - (size_t)__builtin_clzll(starts->words[level][number]);
	return number;
}
