/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of the pools: few collisions for inputs that are alike, every input bit matters. */
#include "tests/unit/check.h"

#include "core/context/hash.h"
#include "core/profile/pool.h"

enum { KEYS = 200000, SLOTS = 1 << 18 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * The pools use the upper 32 bits and of these the lowest as the slot. For random values, 200,000
 * keys fill 2^18 slots to about 139,900 (1 - exp(-0.763)) with a deviation below 200, and about 5
 * pairs have all 32 bits in common.
 */
static void check_spread(const char *what, uint64_t *hashes)
{
	static uint8_t taken[SLOTS];
	int used = 0, same = 0;

	memset(taken, 0, sizeof taken);
	for (int i = 0; i < KEYS; i++) {
		hashes[i] >>= 32;
		used += !taken[hashes[i] % SLOTS];
		taken[hashes[i] % SLOTS] = 1;
	}
	qsort(hashes, KEYS, sizeof *hashes, compare);
	for (int i = 1; i < KEYS; i++)
		same += hashes[i] == hashes[i - 1];
	if (used < 138900 || same > 30)
		CHECK_FAIL("%s: %d slots used, %d hashes alike", what, used, same);
}

TEST(test_spread)
{
	static uint64_t hashes[KEYS];

	for (uint64_t seed = 0; seed < 3; seed++) {
		char text[64] = "";
		uint32_t words[8] = {0};
		uint64_t bits;

		for (int i = 0; i < KEYS; i++) {
			snprintf(text, sizeof text, "function_%d(int)", i);
			hashes[i] = perun_hash_bytes(text, strlen(text), seed * PERUN_HASH_3);
		}
		check_spread("names", hashes);
		for (int i = 0; i < KEYS; i++) {
			words[(i >> 10) % 8] = (uint32_t)i; /* like stacks: small ids */
			hashes[i] = perun_hash_bytes(words, sizeof words, seed * PERUN_HASH_3);
		}
		check_spread("ids", hashes);
		for (uint64_t i = 0; i < KEYS; i++) {
			bits = i << 40;
			hashes[i] = perun_hash_bytes(&bits, sizeof bits, seed * PERUN_HASH_3);
		}
		check_spread("high bits", hashes);
		for (uint64_t i = 0; i < KEYS; i++)
			hashes[i] = perun_hash_word(i << 20, seed * PERUN_HASH_3);
		check_spread("words", hashes);
		memset(text, 'a', sizeof text);
		for (int i = 0; i < KEYS; i++) {
			memcpy(text + 16, &i, sizeof i); /* in the middle of long texts */
			hashes[i] = perun_hash_bytes(text, sizeof text, seed * PERUN_HASH_3);
		}
		check_spread("long texts", hashes);
	}
}

/* Changing any one bit of the input changes about half of the 32 bits that are used. */
TEST(test_avalanche)
{
	unsigned char input[40];
	size_t sizes[] = {1, 3, 4, 7, 8, 15, 16, 17, 24, 40};

	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		for (size_t bit = 0; bit < sizes[s] * 8; bit++) {
			int changed = 0;

			for (uint64_t round = 0; round < 64; round++) {
				uint64_t before, after;

				for (size_t i = 0; i < sizes[s]; i++)
					input[i] = (unsigned char)perun_hash_word(i + 1, round);
				before = perun_hash_bytes(input, sizes[s], 42);
				input[bit / 8] ^= (unsigned char)(1 << bit % 8);
				after = perun_hash_bytes(input, sizes[s], 42);
				changed += __builtin_popcountll((before ^ after) >> 32);
			}
			/* 2048 bits in all: 1024 expected, with a deviation of 23 */
			if (changed < 800 || changed > 1248)
				CHECK_FAIL("%zu bytes, bit %zu: %d changed", sizes[s], bit,
					   changed);
		}
	}
}

TEST(test_length_and_seed)
{
	static const char zeros[64];
	uint64_t seen[65];

	for (size_t size = 0; size <= 64; size++) {
		seen[size] = perun_hash_bytes(zeros, size, 7);
		CHECK(perun_hash_bytes(zeros, size, 8) != seen[size]);
		for (size_t i = 0; i < size; i++)
			CHECK(seen[i] != seen[size]);
	}
}

/* A pool with two owners: what one adds the other does not see, and ids stay. */
TEST(test_shared_pool)
{
	struct perun_pool *one = perun_pool_new(true), *two;
	perun_id a = perun_pool_add(&one, "a", 1);

	two = perun_pool_ref(one);
	CHECK_INT(perun_pool_add(&two, "a", 1), a);
	CHECK(one == two); /* finding copies nothing */
	CHECK_INT(perun_pool_add(&two, "b", 1), 1);
	CHECK(one != two);
	CHECK_INT(perun_pool_add(&one, "c", 1), 1);
	CHECK_INT(perun_pool_find(one, "b", 1), PERUN_NO_ID);
	CHECK_INT(perun_pool_find(two, "b", 1), 1);
	CHECK(perun_pool_at(one, a, NULL) == perun_pool_at(two, a, NULL));
	perun_pool_unref(one);
	CHECK_STR(perun_pool_at(two, a, NULL), "a");
	for (int i = 0; i < 1000; i++)
		perun_pool_add(&two, &i, sizeof i);
	CHECK_INT(two->count, 1002);
	CHECK_INT(perun_pool_find(two, "a", 1), a);
	perun_pool_unref(two);
}

/* Texts around the longest whose length is one byte, and one that is much longer. */
TEST(test_long_texts)
{
	static const size_t sizes[] = {0, 1, 254, 255, 256, 70000};
	enum { COUNT = sizeof sizes / sizeof *sizes };
	struct perun_pool *pool = perun_pool_new(true);
	char *text = perun_alloc(sizes[COUNT - 1]);

	memset(text, 'x', sizes[COUNT - 1]);
	for (perun_id i = 0; i < COUNT; i++)
		CHECK_INT(perun_pool_add(&pool, text, sizes[i]), i);
	for (perun_id i = 0; i < COUNT; i++) {
		size_t size;
		const char *at = perun_pool_at(pool, i, &size);

		CHECK_INT(perun_pool_find(pool, text, sizes[i]), i);
		CHECK_INT(size, sizes[i]);
		CHECK(memcmp(at, text, size) == 0 && at[size] == '\0');
	}
	perun_free(text);
	perun_pool_unref(pool);
}

/* What is added as new is found once something else was added. */
TEST(test_new_items)
{
	for (int text = 0; text < 2; text++) {
		struct perun_pool *pool = perun_pool_new(text), *other;
		uint64_t items[100];
		perun_id ids[100];

		for (perun_id i = 0; i < 100; i++) {
			items[i] = i * 7;
			ids[i] = i % 3 ? perun_pool_add_new(&pool, &items[i], sizeof *items)
				       : perun_pool_add(&pool, &items[i], sizeof *items);
			CHECK_INT(ids[i], i);
		}
		perun_pool_forget(pool);
		other = perun_pool_ref(pool);
		for (perun_id i = 0; i < 100; i++)
			CHECK_INT(perun_pool_add(&other, &items[i], sizeof *items), i);
		CHECK_INT(other->count, 100);
		perun_pool_unref(pool);
		perun_pool_unref(other);
	}
}

CHECK_MAIN(, )
