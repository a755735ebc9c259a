/* SPDX-License-Identifier: BSD-3-Clause */
/* A short fast hash of bytes for the tables in memory; its values are never stored. */
#ifndef PERUN_CORE_CONTEXT_HASH_H
#define PERUN_CORE_CONTEXT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wide.h"

/*
 * The mixing step multiplies two 64-bit words and folds the 128-bit product, the idea of Wang Yi's
 * wyhash (2019). Every word is combined with a part of the secret seed before it is multiplied, so
 * that input made on purpose cannot zero a product or fill one place of a table.
 */
static inline uint64_t perun_hash_mix(uint64_t a, uint64_t b)
{
	struct perun_product product = perun_multiply(a, b);

	return product.low ^ product.high;
}

static inline uint64_t perun_hash_load8(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

static inline uint64_t perun_hash_load4(const unsigned char *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* Fractions of the golden ratio, of pi and of e: bits without a pattern. */
#define PERUN_HASH_1 0x9e3779b97f4a7c15u
#define PERUN_HASH_2 0x243f6a8885a308d3u
#define PERUN_HASH_3 0xb7e151628aed2a6bu

static inline uint64_t perun_hash_word(uint64_t word, uint64_t seed)
{
	return perun_hash_mix(perun_hash_mix(word ^ seed, PERUN_HASH_1), PERUN_HASH_3);
}

/* Of this process: where input could be prepared for a table, a hash begins with the one or is multiplied by the other. */
extern uint64_t perun_hash_secret, perun_hash_odd;

static inline uint64_t perun_hash_bytes(const void *data, size_t size, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t secret = seed ^ PERUN_HASH_1, hash = seed ^ PERUN_HASH_2, a = 0, b = 0;
	size_t left = size;

	for (; left > 16; left -= 16, p += 16)
		hash = perun_hash_mix(perun_hash_load8(p) ^ secret, perun_hash_load8(p + 8) ^ hash);
	if (left >= 8) { /* the two words overlap unless there are 16 bytes */
		a = perun_hash_load8(p);
		b = perun_hash_load8(p + left - 8);
	} else if (left >= 4) {
		a = perun_hash_load4(p);
		b = perun_hash_load4(p + left - 4);
	} else if (left > 0) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[left / 2] << 8 | p[left - 1];
	}
	return perun_hash_mix(PERUN_HASH_3 ^ size, perun_hash_mix(a ^ secret, b ^ hash));
}

#endif
