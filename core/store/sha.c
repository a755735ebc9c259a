/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 checksums and their digits. */
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "core/context/context.h"
#include "core/store/store.h"

struct perun_sha {
	EVP_MD_CTX *md;
	bool used; /* the digest is set: starting anew need not look it up */
};

/* Without SHA-1 (FIPS mode) nothing can be done with a store: the end, as without memory. */
static void must(int good)
{
	static const char text[] =
		"perun: OpenSSL cannot compute SHA-1 (in FIPS mode it refuses to)\n";
	ssize_t ignored;

	if (good)
		return;
	if (ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE)
		perun_out_of_memory();
	perun_unlink_leftovers();
	ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	_exit(PERUN_INPUT);
}

struct perun_sha *perun_sha_new(void)
{
	struct perun_sha *sha = perun_alloc_zero(1, sizeof *sha);

	/* Reading OpenSSL's configuration takes longer than all we do with it. */
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	sha->md = EVP_MD_CTX_new();
	if (!sha->md)
		perun_out_of_memory();
	perun_sha_start(sha);
	return sha;
}

void perun_sha_free(struct perun_sha *sha)
{
	if (!sha)
		return;
	EVP_MD_CTX_free(sha->md);
	perun_free(sha);
}

void perun_sha_start(struct perun_sha *sha)
{
	must(EVP_DigestInit_ex(sha->md, sha->used ? NULL : EVP_sha1(), NULL));
	sha->used = true;
}

void perun_sha_add(struct perun_sha *sha, const void *data, size_t size)
{
	must(EVP_DigestUpdate(sha->md, data, size));
}

void perun_sha_end(struct perun_sha *sha, char checksum[PERUN_CHECKSUM_SIZE])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];

	must(EVP_DigestFinal_ex(sha->md, bytes, NULL));
	perun_hex_encode(bytes, checksum);
}

void perun_sha_of(const void *data, size_t size, char checksum[PERUN_CHECKSUM_SIZE])
{
	struct perun_sha *sha = perun_sha_new();

	perun_sha_add(sha, data, size);
	perun_sha_end(sha, checksum);
	perun_sha_free(sha);
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
