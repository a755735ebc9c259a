/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of numbers that readers keep packed. */
#include <string.h>

#include "check.h"
#include "formats/common/benchmark-orders.h"
#include "formats/common/numbers.h"
#include "formats/common/stacks.h"

/* Numbers of a kind, the same for the same i. */
static double small(size_t i)
{
	return (double)(i * 7 % 100) - 30;
}

static double same(size_t i)
{
	(void)i;
	return 5;
}

static double large(size_t i)
{
	return 1e9 + (double)(i * 977 % 60000);
}

static double larger(size_t i)
{
	return -4e9 + (double)(i * 1000003 % 4000000000);
}

static double limit_of_bytes(size_t i)
{
	return (double)(i % 256);
}

static double limit_of_shorts(size_t i)
{
	return (double)(i * 16 % 65536);
}

static double huge(size_t i)
{
	return (double)i * 1e15;
}

static double single(size_t i)
{
	return (double)i + 0.25;
}

static double precise(size_t i)
{
	return (double)i / 3;
}

static double sometimes_missing(size_t i)
{
	return i % 3 ? (double)i : NAN;
}

static double never_there(size_t i)
{
	(void)i;
	return NAN;
}

static double signed_zero(size_t i)
{
	return i % 2 ? 0.0 : -0.0;
}

static double endless(size_t i)
{
	return i % 2 ? INFINITY : -INFINITY;
}

static bool is_same(double a, double b)
{
	return a != a ? b != b : memcmp(&a, &b, sizeof a) == 0;
}

TEST(test_numbers)
{
	static double (*const kinds[])(size_t) = {
		small,  same,   large,   larger,      limit_of_bytes,    limit_of_shorts,
		huge,   single, precise, never_there, sometimes_missing, signed_zero,
		endless};
	const size_t count = 3 * NUMBERS_BLOCK + 5;

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct numbers numbers = {0}, others = {0};

		for (size_t i = 0; i < count; i++) {
			numbers_add(&numbers, kinds[k](i));
			numbers_add(&others, kinds[k](i));
			CHECK(is_same(numbers_at(&numbers, i), kinds[k](i)));
		}
		for (size_t i = 0; i < count; i++)
			CHECK(is_same(numbers_at(&numbers, i), kinds[k](i)));
		CHECK(is_same(numbers_at(&numbers, count), NAN));
		CHECK(numbers_equal(&numbers, &others));
		numbers_add(&others, 1);
		CHECK(!numbers_equal(&numbers, &others));
		numbers_free(&numbers);
		numbers_free(&others);
	}
}

/* Where only some have a number, and where two lists differ in one. */
TEST(test_missing)
{
	struct numbers numbers = {0}, others = {0};

	CHECK(numbers_equal(&numbers, &others));
	numbers_add_at(&numbers, 2 * NUMBERS_BLOCK + 1, 7);
	CHECK(numbers.count == 2 * NUMBERS_BLOCK + 2);
	CHECK(is_same(numbers_at(&numbers, NUMBERS_BLOCK), NAN));
	CHECK(numbers_at(&numbers, 2 * NUMBERS_BLOCK + 1) == 7);
	numbers_add_at(&others, NUMBERS_BLOCK, 1);
	numbers_add_at(&others, 2 * NUMBERS_BLOCK + 1, 7);
	CHECK(!numbers_equal(&numbers, &others));
	numbers_clear(&numbers);
	CHECK(numbers.count == 0 && is_same(numbers_at(&numbers, 0), NAN));
	numbers_add(&numbers, 3);
	CHECK(numbers_at(&numbers, 0) == 3);
	numbers_free(&numbers);
	numbers_free(&others);
}

/* A block takes what its numbers need. */
TEST(test_kinds)
{
	static const struct {
		double (*number)(size_t);
		enum numbers_kind kind;
	} cases[] = {{same, NUMBERS_SAME},
		     {small, NUMBERS_BYTES},
		     {limit_of_bytes, NUMBERS_SHORTS},
		     {large, NUMBERS_SHORTS},
		     {limit_of_shorts, NUMBERS_SHORTS},
		     {larger, NUMBERS_WORDS},
		     {single, NUMBERS_FLOATS},
		     {precise, NUMBERS_DOUBLES},
		     {never_there, NUMBERS_SAME},
		     {sometimes_missing, NUMBERS_SHORTS},
		     {signed_zero, NUMBERS_FLOATS},
		     {endless, NUMBERS_FLOATS}};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct numbers numbers = {0};

		for (size_t i = 0; i < NUMBERS_BLOCK; i++)
			numbers_add(&numbers, cases[k].number(i));
		CHECK(numbers.blocks[0]->kind == cases[k].kind);
		numbers_free(&numbers);
	}
}

TEST(test_ids)
{
	static const uint32_t highest[] = {0,          UINT8_MAX,      UINT8_MAX + 1,
					   UINT16_MAX, UINT16_MAX + 1, UINT32_MAX};
	static const unsigned char widths[] = {1, 1, 2, 2, 4, 4};

	for (size_t k = 0; k < sizeof highest / sizeof *highest; k++) {
		struct ids ids = {0}, others = {0};

		CHECK(ids_equal(&ids, &others));
		for (uint32_t i = 0; i < 2 * NUMBERS_BLOCK + 7; i++) {
			ids_add(&ids, highest[k] - (i < highest[k] ? i : highest[k]));
			ids_add(&others, highest[k] - (i < highest[k] ? i : highest[k]));
		}
		for (uint32_t i = 0; i < 2 * NUMBERS_BLOCK + 7; i++)
			CHECK_INT(ids_at(&ids, i), highest[k] - (i < highest[k] ? i : highest[k]));
		CHECK_INT(ids.blocks[0][0], widths[k]);
		CHECK(ids_equal(&ids, &others));
		ids_add(&ids, 0);
		ids_add(&others, 1);
		CHECK(!ids_equal(&ids, &others));
		ids_free(&ids);
		ids_free(&others);
	}
}

/* Keys that follow each other at first, or never, of 64 bits from some number on; values that are their numbers, or others. */
static uint64_t key_of(size_t i, unsigned kind)
{
	uint64_t key = kind & 1 && i > 100 ? i * 2654435761u % 1000003 + 200 : i + 5;

	return kind & 2 && i > 5000 ? key << 20 : key;
}

TEST(test_table)
{
	enum { COUNT = 60000 };

	for (unsigned kind = 0; kind < 8; kind++) {
		struct stacks_numbers table = {0};
		size_t wrong = 0;

		CHECK_INT(stacks_numbers_find(&table, 0), UINT32_MAX);
		for (size_t i = 0; i < COUNT; i++) {
			uint32_t value = (uint32_t)(kind & 4 && i > 70 ? COUNT - i : i);

			wrong += !stacks_numbers_add(&table, key_of(i, kind), value);
			wrong += stacks_numbers_add(&table, key_of(i / 2, kind), 9);
			wrong += stacks_numbers_find(&table, key_of(i, kind)) != value;
		}
		for (size_t i = 0; i < COUNT; i++) {
			wrong += stacks_numbers_key(&table, i) != key_of(i, kind);
			wrong += stacks_numbers_find(&table, key_of(i, kind)) !=
				 (kind & 4 && i > 70 ? COUNT - i : i);
			wrong += stacks_numbers_find(&table, UINT64_MAX - i) != UINT32_MAX;
		}
		CHECK_INT(wrong, 0);
		CHECK_INT(table.count, COUNT);
		stacks_numbers_forget(&table);
		CHECK_INT(stacks_numbers_key(&table, 50000), key_of(50000, kind));
		stacks_numbers_free(&table);
		CHECK_INT(table.count, 0);
	}
}

/* A benchmark with many series, one that comes again, measurements at once: as if each series had a counter. */
TEST(test_orders)
{
	for (unsigned again = 0; again < 3; again++) {
		struct orders orders = {0};
		size_t wrong = 0;

		for (perun_id uid = 1; uid < 20000; uid++) {
			for (perun_id type = 0; type < uid % 17; type++) {
				struct series series = {uid * 2,
							type || uid % 2
								? type * (uid % 3 ? 77777777u : 11)
								: 3000000000u,
							type % 3 ? PERUN_NO_ID : type + 7};

				wrong += orders_next(&orders, &series, 1) != 0;
			}
			if (again == 1 && uid > 9000) {
				struct series series = {(uid - 8000) * 2, uid % 2 ? 0 : 3000000000u,
							7};

				wrong += orders_next(&orders, &series, 1) !=
					 ((uid - 8000) % 17 ? 1u : 0u);
			}
			if (again == 2) {
				struct series series = {uid * 2, 40, PERUN_NO_ID};

				wrong += orders_next(&orders, &series, 5) != 0;
				wrong += orders_next(&orders, &series, 1) != 5;
			}
		}
		CHECK_INT(wrong, 0);
		orders_free(&orders);
	}
}

CHECK_MAIN(, )
