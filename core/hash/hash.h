/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SHA-1 and SHA-256 (FIPS 180-4); private to the core. Not OpenSSL's: loading and starting libcrypto takes longer than all
 * else that `perun status` does.
 */
#ifndef PERUN_CORE_HASH_H
#define PERUN_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { PERUN_SHA1_BYTES = 20, PERUN_SHA256_BYTES = 32 };

/* A digest that is being made; {0} is not one, see the start functions. */
struct perun_hash {
	void (*blocks)(uint32_t *state, const unsigned char *data, size_t count);
	uint32_t state[8];
	uint64_t length;
	unsigned char rest[64];
};

void perun_sha1_start(struct perun_hash *hash);
void perun_sha256_start(struct perun_hash *hash);
void perun_hash_add(struct perun_hash *hash, const void *data, size_t size);
/* The first `size` bytes of the digest, all of which are 20 of SHA-1 and 32 of SHA-256. */
void perun_hash_end(struct perun_hash *hash, unsigned char *digest, size_t size);
/* The same as hexadecimal digits: 2 * `size` of them, and a zero. */
void perun_hash_end_text(struct perun_hash *hash, char *text, size_t size);

void perun_sha256(const void *data, size_t size, unsigned char digest[PERUN_SHA256_BYTES]);

/*
 * The functions of blocks of 64 bytes: portable, by vectors (where `perun_has_avx2`), and by the processor's own
 * instructions (where `perun_has_sha_ni`).
 */
void perun_sha1_blocks(uint32_t *state, const unsigned char *data, size_t count);
void perun_sha1_blocks_avx2(uint32_t *state, const unsigned char *data, size_t count);
void perun_sha1_blocks_ni(uint32_t *state, const unsigned char *data, size_t count);
void perun_sha256_blocks(uint32_t *state, const unsigned char *data, size_t count);
void perun_sha256_blocks_ni(uint32_t *state, const unsigned char *data, size_t count);
extern const uint32_t perun_sha256_constants[64]; /* of the rounds */
int perun_has_sha_ni(void);
int perun_has_avx2(void);

#endif
