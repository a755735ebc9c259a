/* SPDX-License-Identifier: BSD-3-Clause */
/* A small harness for unit tests: prints TAP, one line for each TEST. */
#ifndef PERUN_TESTS_UNIT_CHECK_H
#define PERUN_TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * TEST(test_x) { CHECK(1 + 1 == 2); }
 * CHECK_MAIN(, )
 *
 * The tests run in the order of their lines; CHECK_MAIN takes what is done before and after them. A failed check prints
 * where and what, fails its test and goes on.
 */
static int check_number, check_failed;
static bool check_bad;
static const char *check_skipped;

#define CHECK_FAIL(...)                                  \
	do {                                             \
		check_bad = true;                        \
		printf("# %s:%d: ", __FILE__, __LINE__); \
		printf(__VA_ARGS__);                     \
		printf("\n");                            \
	} while (0)

#define CHECK(condition)                                        \
	do {                                                    \
		if (!(condition))                               \
			CHECK_FAIL("not true: %s", #condition); \
	} while (0)

/* For what the rest of the test cannot do without: leaves the function. */
#define REQUIRE(condition)                                      \
	do {                                                    \
		if (!(condition)) {                             \
			CHECK_FAIL("not true: %s", #condition); \
			return;                                 \
		}                                               \
	} while (0)

#define CHECK_INT(value, expected)                                                                 \
	do {                                                                                       \
		intmax_t check_v = (intmax_t)(value), check_e = (intmax_t)(expected);              \
		if (check_v != check_e)                                                            \
			CHECK_FAIL("%s is %" PRIdMAX ", not %" PRIdMAX, #value, check_v, check_e); \
	} while (0)

/* Equal texts; NULL equals only NULL. */
#define CHECK_STR(value, expected)                                                                 \
	do {                                                                                       \
		const char *check_v = (value), *check_e = (expected);                              \
		if (check_v != check_e && (!check_v || !check_e || strcmp(check_v, check_e) != 0)) \
			CHECK_FAIL("%s is \"%s\", not \"%s\"", #value,                             \
				   check_v ? check_v : "(null)", check_e ? check_e : "(null)");    \
	} while (0)

#define CHECK_CONTAINS(value, part)                                        \
	do {                                                               \
		const char *check_v = (value), *check_p = (part);          \
		if (!check_v || !strstr(check_v, check_p))                 \
			CHECK_FAIL("%s is \"%s\", without \"%s\"", #value, \
				   check_v ? check_v : "(null)", check_p); \
	} while (0)

/* Equal as numbers within `tolerance`; NaN equals NaN. */
#define CHECK_DOUBLE(value, expected, tolerance)                                        \
	do {                                                                            \
		double check_v = (value), check_e = (expected);                         \
		if (!(isnan(check_v) && isnan(check_e)) && check_v != check_e &&        \
		    !(fabs(check_v - check_e) <= (tolerance)))                          \
			CHECK_FAIL("%s is %.17g, not %.17g", #value, check_v, check_e); \
	} while (0)

/* Leave the test as skipped, with a reason. */
#define SKIP(reason)                      \
	do {                              \
		check_skipped = (reason); \
		return;                   \
	} while (0)

struct check_test {
	void (*run)(void);
	const char *name;
	int line;
};
static struct check_test check_tests[100];
static int check_count;

static inline void check_add(void (*run)(void), const char *name, int line)
{
	int at = check_count++;

	if (at == sizeof check_tests / sizeof *check_tests)
		abort();
	for (; at && check_tests[at - 1].line > line; at--)
		check_tests[at] = check_tests[at - 1];
	check_tests[at] = (struct check_test){run, name, line};
}

#define TEST(name)                                                  \
	static void name(void);                                     \
	__attribute__((constructor)) static void name##_added(void) \
	{                                                           \
		check_add(name, #name, __LINE__);                   \
	}                                                           \
	static void name(void)

#define CHECK_MAIN(begin, end)       \
	int main(void)               \
	{                            \
		begin;               \
		check_all();         \
		end;                 \
		return check_done(); \
	}

static void check_run(void (*test)(void), const char *name)
{
	check_bad = false;
	check_skipped = NULL;
	test();
	check_number++;
	check_failed += check_bad;
	printf("%s %d - %s", check_bad ? "not ok" : "ok", check_number, name);
	if (check_skipped && !check_bad)
		printf(" # SKIP %s", check_skipped);
	printf("\n");
	fflush(stdout);
}

static inline void check_all(void)
{
	for (int i = 0; i < check_count; i++)
		check_run(check_tests[i].run, check_tests[i].name);
}

/* The end of main(): the plan, and the exit code. */
static int check_done(void)
{
	printf("1..%d\n", check_number);
	return check_failed ? 1 : 0;
}

#endif
