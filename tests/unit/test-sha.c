/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 and SHA-256: the vectors of the standard, and both ways to count SHA-1. */
#include "tests/unit/check.h"

#include "core/hash/hash.h"

static void check_digest(struct perun_hash *hash, const char *text, size_t times, size_t size,
			 const char *expected)
{
	unsigned char digest[PERUN_SHA256_BYTES];
	char hex[2 * PERUN_SHA256_BYTES + 1];

	for (size_t i = 0; i < times; i++)
		perun_hash_add(hash, text, strlen(text));
	perun_hash_end(hash, digest, size);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	CHECK_STR(hex, expected);
}

#define TWO_BLOCKS "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

TEST(test_sha1)
{
	static const struct {
		const char *text;
		size_t times;
		const char *digest;
	} cases[] = {
		{"", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		{"abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{TWO_BLOCKS, 1, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
		{"a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_hash hash;

		perun_sha1_start(&hash);
		check_digest(&hash, cases[i].text, cases[i].times, 20, cases[i].digest);
		perun_sha1_start(&hash);
		hash.blocks = perun_sha1_blocks;
		check_digest(&hash, cases[i].text, cases[i].times, 20, cases[i].digest);
	}
}

TEST(test_sha256)
{
	static const char *const cases[][2] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{TWO_BLOCKS, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_hash hash;

		perun_sha256_start(&hash);
		check_digest(&hash, cases[i][0], 1, 32, cases[i][1]);
		perun_sha256_start(&hash);
		hash.blocks = perun_sha256_blocks;
		check_digest(&hash, cases[i][0], 1, 32, cases[i][1]);
	}
}

typedef void blocks_function(uint32_t *state, const unsigned char *data, size_t count);

static void check_pieces(void (*start)(struct perun_hash *), blocks_function *way, size_t size)
{
	unsigned char bytes[1000], one[PERUN_SHA256_BYTES], other[PERUN_SHA256_BYTES];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 37 + i / 7);
	for (size_t piece = 1; piece < 200; piece++) {
		struct perun_hash whole, parts;

		start(&whole);
		start(&parts);
		parts.blocks = way;
		perun_hash_add(&whole, bytes, 5 * piece);
		for (size_t i = 0; i < 5; i++)
			perun_hash_add(&parts, bytes + i * piece, piece);
		perun_hash_end(&whole, one, size);
		perun_hash_end(&parts, other, size);
		CHECK(memcmp(one, other, size) == 0);
	}
}

/* Pieces of all sizes give the digest of the whole, by all ways. */
TEST(test_pieces)
{
	check_pieces(perun_sha1_start, perun_sha1_blocks, PERUN_SHA1_BYTES);
	if (perun_has_avx2())
		check_pieces(perun_sha1_start, perun_sha1_blocks_avx2, PERUN_SHA1_BYTES);
	check_pieces(perun_sha256_start, perun_sha256_blocks, PERUN_SHA256_BYTES);
}

CHECK_MAIN(, )
