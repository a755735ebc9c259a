/* SPDX-License-Identifier: BSD-3-Clause */
/* A small harness for unit tests: prints TAP, one line for each RUN. */
#ifndef PERUN_TESTS_UNIT_CHECK_H
#define PERUN_TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * static void test_x(void) { CHECK(1 + 1 == 2); }
 * int main(void) { RUN(test_x); return check_done(); }
 *
 * A failed check prints where and what, fails its test and goes on.
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

#define RUN(test) check_run(test, #test)

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

/* The end of main(): the plan, and the exit code. */
static int check_done(void)
{
	printf("1..%d\n", check_number);
	return check_failed ? 1 : 0;
}

#endif
