/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 checksums and their digits. */
#include "core/hash/hash.h"
#include "core/store/store.h"

struct perun_sha {
	struct perun_hash hash;
};

struct perun_sha *perun_sha_new(void)
{
	struct perun_sha *sha = perun_alloc(sizeof *sha);

	perun_sha_start(sha);
	return sha;
}

void perun_sha_free(struct perun_sha *sha)
{
	perun_free(sha);
}

void perun_sha_start(struct perun_sha *sha)
{
	perun_sha1_start(&sha->hash);
}

void perun_sha_add(struct perun_sha *sha, const void *data, size_t size)
{
	perun_hash_add(&sha->hash, data, size);
}

void perun_sha_end(struct perun_sha *sha, char checksum[PERUN_CHECKSUM_SIZE])
{
	unsigned char bytes[PERUN_SHA1_BYTES];

	perun_hash_end(&sha->hash, bytes, sizeof bytes);
	perun_hex_encode(bytes, checksum);
}

void perun_sha_of(const void *data, size_t size, char checksum[PERUN_CHECKSUM_SIZE])
{
	struct perun_sha sha;

	perun_sha_start(&sha);
	perun_sha_add(&sha, data, size);
	perun_sha_end(&sha, checksum);
}

void perun_hex_encode(const unsigned char bytes[20], char checksum[PERUN_CHECKSUM_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 20; i++) {
		checksum[2 * i] = digits[bytes[i] >> 4];
		checksum[2 * i + 1] = digits[bytes[i] & 15];
	}
	checksum[40] = '\0';
}

static unsigned char digit(char c)
{
	return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void perun_hex_decode(const char *checksum, unsigned char bytes[20])
{
	for (size_t i = 0; i < 20; i++)
		bytes[i] =
			(unsigned char)(digit(checksum[2 * i]) << 4 | digit(checksum[2 * i + 1]));
}
