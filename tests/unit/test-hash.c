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

/* Texts that are far from the first ones of theirs, among short ones, are found as all others. */
TEST(test_far_texts)
{
	enum { COUNT = 400, LONG = 40000 };
	struct perun_pool *pool = perun_pool_new(true), *other;
	char *text = perun_alloc_zero(1, LONG);

	memset(text, 'y', LONG);
	for (perun_id i = 0; i < COUNT; i++) {
		memcpy(text, &i, sizeof i);
		CHECK_INT(perun_pool_add(&pool, text, i % 5 ? 8 + i % 7 : LONG), i);
	}
	CHECK(pool->far_count > 0 && pool->far_count < COUNT);
	other = perun_pool_ref(pool);
	perun_pool_add(&other, "else", 4);
	perun_pool_unref(pool);
	for (perun_id i = 0; i < COUNT; i++) {
		size_t size;
		const char *at = perun_pool_at(other, i, &size);

		memcpy(text, &i, sizeof i);
		CHECK_INT(size, i % 5 ? 8 + i % 7 : LONG);
		CHECK(memcmp(at, text, size) == 0 && at[size] == '\0');
		CHECK_INT(perun_pool_find(other, text, size), i);
	}
	perun_free(text);
	perun_pool_unref(other);
}

/* Bytes that begin as those before them, of all lengths; the numbers make them different. */
static size_t make_packed(unsigned char bytes[256], perun_id i)
{
	size_t size = i % 11 == 0 ? 5 + i % 200 : 5 + i % 13;

	memset(bytes, i % 3 == 0 ? 'a' : 'b', 256);
	bytes[i % 5] = (unsigned char)(i >> 8);
	bytes[size - 1] = (unsigned char)i;
	bytes[size - 2] = (unsigned char)(i >> 8);
	return size;
}

static bool is_packed(const struct perun_pool *pool, perun_id i, const void *bytes, size_t size)
{
	return perun_pool_find(pool, bytes, size) == i;
}

static void check_packed(const struct perun_pool *pool, perun_id count)
{
	unsigned char bytes[256];
	struct perun_packed packed;

	for (perun_id i = 0; i < count; i++) {
		size_t size = make_packed(bytes, i);

		perun_pool_get(pool, i, &packed);
		CHECK(packed.size == size && memcmp(packed.data, bytes, size) == 0);
		CHECK(is_packed(pool, i, bytes, size));
		CHECK(!is_packed(pool, i, bytes, size - 1));
		bytes[size - 1] ^= 1;
		CHECK(!is_packed(pool, i, bytes, size));
		CHECK_INT(perun_pool_find(pool, bytes, size - 1), PERUN_NO_ID);
	}
}

/* Packed items are what they were, whoever else has the pool and goes on with it. */
TEST(test_packed_items)
{
	enum { COUNT = 4000, SHARED = 1003 };
	struct perun_pool *pool = perun_pool_new_packed(), *other = NULL;
	unsigned char bytes[256];

	for (perun_id i = 0; i < COUNT; i++) {
		size_t size = make_packed(bytes, i);

		if (i == SHARED)
			other = perun_pool_ref(pool);
		CHECK_INT(i % 4 ? perun_pool_add(&pool, bytes, size)
				: perun_pool_add_new(&pool, bytes, size),
			  i);
	}
	for (perun_id i = 0; i < COUNT; i++) {
		size_t size = make_packed(bytes, i);

		CHECK_INT(perun_pool_add(&pool, bytes, size), i);
	}
	CHECK(perun_pool_at(pool, 0, NULL) == NULL);
	check_packed(pool, COUNT);
	CHECK_INT(other->count, SHARED);
	check_packed(other, SHARED);
	perun_pool_add(&other, "something else, and more than that", 34);
	CHECK_INT(pool->count, COUNT);
	check_packed(other, SHARED);
	check_packed(pool, COUNT);
	perun_pool_unref(pool);
	perun_pool_unref(other);
}

/* Bytes of which the last one rises or falls by as much from one to the next, here and there by something else. */
static size_t make_rising(unsigned char bytes[256], perun_id i)
{
	const perun_id group = i / PERUN_POOL_TEXTS, place = i % PERUN_POOL_TEXTS;
	const size_t size = 5 + group % 14;

	memset(bytes, (int)group % 7, 256);
	bytes[0] = (unsigned char)group;
	bytes[1] = (unsigned char)(group >> 8);
	bytes[2] = group % 5 == 3 && place == 20;
	bytes[size - 1] = (unsigned char)(group % 3 == 0   ? place
					  : group % 3 == 1 ? 200 - 3 * place
							   : 230 + 2 * place);
	return size;
}

static size_t count_wrong(const struct perun_pool *pool, perun_id count, perun_id replaced)
{
	unsigned char bytes[256];
	struct perun_packed packed;
	size_t wrong = 0;

	for (perun_id i = 0; i < count; i++) {
		size_t size = make_rising(bytes, i);

		bytes[3] ^= i % replaced == 0 ? 0x80 : 0;
		perun_pool_get(pool, i, &packed);
		wrong += packed.size != size || memcmp(packed.data, bytes, size) != 0;
	}
	return wrong;
}

/* Items that go on as those before them need no bytes, and stay what they are when these become others. */
TEST(test_rising_items)
{
	enum { COUNT = 3000 };

	for (perun_id every = 1; every < 60; every += 1 + every / 3) {
		struct perun_pool *pool = perun_pool_new_packed(), *other;
		unsigned char bytes[256];

		for (perun_id i = 0; i < COUNT; i++)
			CHECK_INT(perun_pool_add(&pool, bytes, make_rising(bytes, i)), i);
		for (perun_id i = 0; i < COUNT; i++)
			CHECK_INT(perun_pool_find(pool, bytes, make_rising(bytes, i)), i);
		CHECK_INT(count_wrong(pool, COUNT, COUNT + 1), 1); /* number 0 */
		other = perun_pool_ref(pool);
		for (perun_id i = 0; i < COUNT; i += every) {
			size_t size = make_rising(bytes, i);

			bytes[3] ^= 0x80;
			perun_pool_replace(&other, i, bytes, size);
		}
		CHECK_INT(count_wrong(other, COUNT, every), 0);
		CHECK_INT(count_wrong(pool, COUNT, COUNT + 1), 1);
		perun_pool_unref(pool);
		perun_pool_unref(other);
	}
}

/* Two numbers that count up, over the ends of bytes, by another step from 5000 on; here and there something else. */
static size_t make_counting(unsigned char bytes[256], perun_id i)
{
	const uint32_t first = i < 5000 ? i : i * 3, second = 70000 + i;
	const size_t size = i < 9000 ? 9 : 7;

	memset(bytes, 0, 256);
	bytes[0] = i % 1501 == 1500;
	bytes[size - 6] = (unsigned char)(first >> 16);
	bytes[size - 5] = (unsigned char)(first >> 8);
	bytes[size - 4] = (unsigned char)first;
	bytes[size - 3] = (unsigned char)(second >> 16);
	bytes[size - 2] = (unsigned char)(second >> 8);
	bytes[size - 1] = (unsigned char)second;
	return size;
}

static void check_counting(const struct perun_pool *pool, perun_id count, perun_id replaced)
{
	unsigned char bytes[256];
	struct perun_packed packed;
	size_t wrong = 0;

	for (perun_id i = 0; i < count; i++) {
		size_t size = make_counting(bytes, i);

		bytes[0] ^= i % 2003 == replaced ? 0x40 : 0;
		perun_pool_get(pool, i, &packed);
		wrong += packed.size != size || memcmp(packed.data, bytes, size) != 0;
	}
	CHECK_INT(wrong, 0);
}

/* Long runs take next to nothing, and are listed where one of them, or of those that they go on from, becomes another. */
TEST(test_counting_items)
{
	enum { COUNT = 20000, NONE = 2003 };
	struct perun_pool *pool = perun_pool_new_packed();
	unsigned char bytes[256];

	for (perun_id i = 0; i < COUNT; i++)
		CHECK_INT(perun_pool_add(&pool, bytes, make_counting(bytes, i)), i);
	CHECK(pool->list_count < 40);
	check_counting(pool, COUNT, NONE);
	for (perun_id i = 0; i < COUNT; i++)
		CHECK_INT(perun_pool_add(&pool, bytes, make_counting(bytes, i)), i);
	for (perun_id replaced = 0; replaced < 60; replaced++) {
		struct perun_pool *other = perun_pool_ref(pool);

		for (perun_id i = replaced; i < COUNT; i += 2003) {
			size_t size = make_counting(bytes, i);

			bytes[0] ^= 0x40;
			perun_pool_replace(&other, i, bytes, size);
		}
		check_counting(other, COUNT, replaced);
		perun_pool_add(&other, bytes, 3);
		perun_pool_finish(other);
		check_counting(other, COUNT, replaced);
		perun_pool_unref(other);
	}
	check_counting(pool, COUNT, NONE);
	perun_pool_unref(pool);
}

/* A run whose first two items are the last ones of a block, with as little behind them as there may be. */
TEST(test_block_ends)
{
	for (size_t fill = 1; fill < 560; fill++) {
		struct perun_pool *pool = perun_pool_new_packed();
		unsigned char bytes[600];
		struct perun_packed packed;
		size_t wrong = 0;

		memset(bytes, 'x', sizeof bytes);
		for (perun_id i = 0; i < PERUN_POOL_TEXTS; i++) {
			bytes[0] = (unsigned char)i;
			perun_pool_add(&pool, bytes, i ? 1 : fill);
		}
		for (unsigned char i = 0; i < PERUN_POOL_TEXTS; i++)
			perun_pool_add(&pool, (const unsigned char[24]){'a', 'b', i}, 3);
		for (unsigned char i = 0; i < PERUN_POOL_TEXTS; i++) {
			perun_pool_get(pool, PERUN_POOL_TEXTS + i, &packed);
			wrong += packed.size != 3 || packed.data[2] != i;
		}
		CHECK_INT(wrong, 0);
		perun_pool_unref(pool);
	}
}

static void add_one(void *data, void *item, size_t size)
{
	(void)data;
	for (size_t i = 0; i < size / sizeof(perun_id); i++)
		((perun_id *)item)[i]++;
}

static size_t count_other(const struct perun_pool *pool, perun_id count, perun_id more)
{
	size_t wrong = 0;

	for (perun_id i = 0; i < count; i++) {
		size_t size;
		const perun_id *ids = perun_pool_at(pool, i, &size);

		wrong += size != (1 + i % 9 + (i % 300 == 7) * 20000) * sizeof *ids;
		for (size_t k = 0; k < size / sizeof *ids; k++)
			wrong += ids[k] != i + k + more;
	}
	return wrong;
}

/* Arrays of ids, some of them far from others: changed, replaced and appended, while others have the pool. */
TEST(test_arrays)
{
	enum { COUNT = 2000, LONG = 20010 };
	struct perun_pool *pool = perun_pool_new_ids(), *other;
	perun_id *ids = perun_alloc(LONG * sizeof *ids);

	for (perun_id i = 0; i < COUNT; i++) {
		size_t length = 1 + i % 9 + (i % 300 == 7) * 20000;

		for (size_t k = 0; k < length; k++)
			ids[k] = i + (perun_id)k;
		CHECK_INT(perun_pool_add(&pool, ids, length * sizeof *ids), i);
		CHECK_INT(perun_pool_find(pool, ids, length * sizeof *ids), i);
	}
	CHECK_INT(count_other(pool, COUNT, 0), 0);
	other = perun_pool_ref(pool);
	perun_pool_change(&other, add_one, NULL);
	CHECK_INT(count_other(other, COUNT, 1), 0);
	CHECK_INT(count_other(pool, COUNT, 0), 0);
	for (perun_id i = 0; i < COUNT; i++) {
		size_t size;
		const perun_id *from = perun_pool_at(pool, i, &size);

		perun_pool_replace(&other, i, from, size);
	}
	CHECK_INT(count_other(other, COUNT, 0), 0);
	perun_pool_unref(pool);
	perun_pool_unref(other);
	perun_free(ids);
}

static uint32_t hash_of_number(const void *data, uint32_t number)
{
	return (uint32_t)(perun_hash_word(number, *(const uint64_t *)data) >>
			  (64 - PERUN_COMPACT_HASH));
}

/* Slots tell the hashes of nearly all numbers: who makes more of them is asked for few. */
static unsigned asked;

static uint32_t hash_if_asked(const void *data, uint32_t number)
{
	asked++;
	return hash_of_number(data, number);
}

static bool has_number(struct perun_compact_slots slots, uint32_t number, uint32_t hash)
{
	uint32_t slot, mark = perun_compact_mark(slots, hash);

	for (uint32_t at = perun_compact_first(slots, hash); (slot = slots.at[at]);
	     at = perun_compact_next(slots, at))
		if (perun_compact_is_marked(slots, slot, mark) &&
		    perun_compact_number(slots, slot) == number)
			return true;
	return false;
}

TEST(test_compact_slots)
{
	enum { COUNT = 600000 };

	for (uint64_t seed = 1; seed < 4; seed++) {
		struct perun_compact_slots slots = {0};

		asked = 0;
		for (uint32_t i = 1; i <= COUNT; i++) {
			perun_compact_slots_reserve(&slots, i, hash_if_asked, &seed);
			perun_compact_put(slots, i, hash_of_number(&seed, i));
		}
		CHECK(asked < COUNT / 8);
		CHECK(slots.count < COUNT * 2 + 1);
		for (uint32_t i = 1; i <= COUNT; i++)
			CHECK(has_number(slots, i, hash_of_number(&seed, i)));
		perun_free(slots.at);
	}
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
