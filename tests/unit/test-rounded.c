/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a few digits are those of the format, whatever they are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context/random.h"
#include "core/context/rounded.h"
#include "tests/unit/check.h"

static void check_digits(double value, unsigned digits)
{
	struct perun_buffer text = {0};
	char expected[64];

	(void)snprintf(expected, sizeof expected, "%.*g", (int)digits, value);
	perun_buffer_add_rounded(&text, value, digits);
	perun_buffer_add_char(&text, '\0');
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
}

TEST(test_chosen)
{
	static const double values[] = {
		0,        -0.0,          1,       -1,       10,       99.5,     99.499999999, 0.995,
		0.0001,   0.00009999999, 0.00015, 1e-300,   1e300,    INFINITY, -INFINITY,    NAN,
		999999.5, 999999.4999,   123456,  1234567,  0.1,      0.25,     0.125,        2.5,
		0.05,     0.015,         1e6,     0.999999, 0.9999995};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		for (unsigned digits = 1; digits <= 9; digits++)
			check_digits(values[i], digits);
	}
}

TEST(test_drawn)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < 200000; i++) {
		double u = (double)random_next(&state) / 18446744073709551616.0;
		double value = (u - 0.5) * pow(10, (double)random_below(&state, 16) - 6);
		unsigned digits = 1 + (unsigned)random_below(&state, 9);

		check_digits(value, digits);
		/* Few digits of its own, so that it may be in the middle. */
		check_digits(rint(value * 1000) / 1000, digits);
	}
}

CHECK_MAIN(, )
