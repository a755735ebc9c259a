/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 and SHA-256 as FIPS 180-4 says. */
#include <stdio.h>
#include <string.h>

#include "core/hash/hash.h"
#include "core/hash/sha1-rounds.h"

enum { BLOCK = 64 };

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* ---- SHA-1 ----------------------------------------------------------------------------------- */

static void sha1_block(uint32_t *state, const unsigned char *data)
{
	static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
	uint32_t w[80];

	for (int i = 0; i < 16; i++)
		w[i] = big_endian(data + 4 * i);
	for (int i = 16; i < 80; i++)
		w[i] = perun_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++)
		w[i] += constants[i / 20];
	perun_sha1_rounds(state, w, 4);
}

void perun_sha1_blocks(uint32_t *state, const unsigned char *data, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sha1_block(state, data + i * BLOCK);
}

void perun_sha1_start(struct perun_hash *hash)
{
	*hash = (struct perun_hash){
		.blocks = perun_has_sha_ni() ? perun_sha1_blocks_ni
			  : perun_has_avx2() ? perun_sha1_blocks_avx2
					     : perun_sha1_blocks,
		.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
}

/* ---- SHA-256 --------------------------------------------------------------------------------- */

const uint32_t perun_sha256_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

static void sha256_block(uint32_t *state, const unsigned char *data)
{
	uint32_t w[64], s[8];

	memcpy(s, state, sizeof s);
	for (int i = 0; i < 16; i++)
		w[i] = big_endian(data + 4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		x = perun_rotate(x, 25) ^ perun_rotate(x, 14) ^ x >> 3;
		y = perun_rotate(y, 15) ^ perun_rotate(y, 13) ^ y >> 10;
		w[i] = w[i - 16] + x + w[i - 7] + y;
	}
	for (int i = 0; i < 64; i += 8) {
		/* Which of the eight is which turns by one with each round. */
#define SHA256_ROUND(j)                                                                    \
	{                                                                                  \
		const uint32_t a = s[(8 - j) % 8], e = s[(12 - j) % 8];                    \
		const uint32_t one =                                                       \
			s[(15 - j) % 8] + perun_sha256_constants[i + j] + w[i + j] +       \
			PERUN_CHOOSE(e, s[(13 - j) % 8], s[(14 - j) % 8]) +                \
			(perun_rotate(e, 26) ^ perun_rotate(e, 21) ^ perun_rotate(e, 7));  \
                                                                                           \
		s[(11 - j) % 8] += one;                                                    \
		s[(15 - j) % 8] =                                                          \
			one + PERUN_MAJORITY(a, s[(9 - j) % 8], s[(10 - j) % 8]) +         \
			(perun_rotate(a, 30) ^ perun_rotate(a, 19) ^ perun_rotate(a, 10)); \
	}
		SHA256_ROUND(0)
		SHA256_ROUND(1)
		SHA256_ROUND(2)
		SHA256_ROUND(3)
		SHA256_ROUND(4)
		SHA256_ROUND(5)
		SHA256_ROUND(6)
		SHA256_ROUND(7)
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

void perun_sha256_blocks(uint32_t *state, const unsigned char *data, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sha256_block(state, data + i * BLOCK);
}

void perun_sha256_start(struct perun_hash *hash)
{
	*hash = (struct perun_hash){.blocks = perun_has_sha_ni() ? perun_sha256_blocks_ni
								 : perun_sha256_blocks,
				    .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

/* ---- both ------------------------------------------------------------------------------------ */

void perun_hash_add(struct perun_hash *hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	size_t filled = hash->length % BLOCK, part = BLOCK - filled;

	if (!size)
		return;
	hash->length += size;
	if (filled) {
		if (part > size)
			part = size;
		memcpy(hash->rest + filled, bytes, part);
		if (filled + part < BLOCK)
			return;
		hash->blocks(hash->state, hash->rest, 1);
		bytes += part;
		size -= part;
	}
	hash->blocks(hash->state, bytes, size / BLOCK);
	memcpy(hash->rest, bytes + size / BLOCK * BLOCK, size % BLOCK);
}

void perun_hash_end(struct perun_hash *hash, unsigned char *digest, size_t size)
{
	const uint64_t bits = hash->length * 8;
	const size_t filled = hash->length % BLOCK;
	unsigned char end[2 * BLOCK] = {0x80};
	/* 0x80, zeros, and the length in the last eight bytes of a block. */
	size_t padding = (filled < BLOCK - 8 ? BLOCK : 2 * BLOCK) - filled;

	for (int i = 0; i < 8; i++)
		end[padding - 1 - (size_t)i] = (unsigned char)(bits >> 8 * i);
	perun_hash_add(hash, end, padding);
	for (size_t i = 0; i < size; i++)
		digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void perun_hash_end_text(struct perun_hash *hash, char *text, size_t size)
{
	unsigned char digest[PERUN_SHA256_BYTES];

	perun_hash_end(hash, digest, size);
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void perun_sha256(const void *data, size_t size, unsigned char digest[PERUN_SHA256_BYTES])
{
	struct perun_hash hash;

	perun_sha256_start(&hash);
	perun_hash_add(&hash, data, size);
	perun_hash_end(&hash, digest, PERUN_SHA256_BYTES);
}
