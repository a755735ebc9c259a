/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts with their units, and shares, as people read them. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <perun/json.h>

#include "views/common/quantity.h"

/* ---- printing -------------------------------------------------------------------------------- */

struct step {
	long double factor;
	const char *name;
};

static const struct step times[] = {{1, "ns"}, {1e3L, "\u00b5s"}, {1e6L, "ms"}, {1e9L, "s"}};
static const struct step bytes[] = {{1, "B"},
				    {1024, "KiB"},
				    {1048576, "MiB"},
				    {1073741824, "GiB"},
				    {1099511627776, "TiB"},
				    {1125899906842624, "PiB"}};
static const struct step counts[] = {{1, ""}, {1e6L, "M"}, {1e9L, "G"}, {1e12L, "T"}, {1e15L, "P"}};

/* Larger numbers are printed with an exponent: nobody counts 300 digits. */
#define MAX_GROUPED 1e21L

/* Put commas between groups of three digits. */
static void add_grouped(struct perun_buffer *out, long double whole)
{
	struct perun_buffer digits = {0};

	if (whole >= MAX_GROUPED) {
		perun_buffer_printf(out, "%.3Lg", whole);
		return;
	}
	perun_buffer_printf(&digits, "%.0Lf", whole);
	for (size_t i = 0; i < digits.length; i++) {
		if (i > 0 && (digits.length - i) % 3 == 0)
			perun_buffer_add_char(out, ',');
		perun_buffer_add_char(out, digits.data[i]);
	}
	perun_buffer_free(&digits);
}

static void add_three_digits(struct perun_buffer *out, long double value)
{
	if (value >= 999.5L)
		add_grouped(out, roundl(value));
	else if (value > 0 && value < 0.1L)
		perun_buffer_printf(out, "%.3Lg", value);
	else
		perun_buffer_printf(out, "%.*Lf",
				    value < 9.995L   ? 2
				    : value < 99.95L ? 1
						     : 0,
				    value);
}

/* The largest unit in which the value, as it is rounded, is not less than 1. */
static const struct step *step_of(const struct step *steps, size_t count, long double value)
{
	while (count > 1 && value < steps[count - 1].factor * 0.9995L)
		count--;
	return &steps[count - 1];
}

void views_add_amount(struct perun_buffer *out, long double amount, const struct perun_unit *unit,
		      bool sign, bool ascii)
{
	long double value = fabsl(amount) * (unit->kind == PERUN_UNIT_COUNT ? 1 : unit->factor);
	const struct step *step = counts;
	const char *name;

	if (!isfinite(value)) {
		perun_buffer_add_text(out, "-");
		return;
	}
	if (amount < 0)
		perun_buffer_add_char(out, '-');
	else if (sign && amount > 0)
		perun_buffer_add_char(out, '+');
	if (unit->kind == PERUN_UNIT_TIME)
		step = step_of(times, sizeof times / sizeof *times, value);
	else if (unit->kind == PERUN_UNIT_BYTES)
		step = step_of(bytes, sizeof bytes / sizeof *bytes, value);
	else if (value >= 1e7L)
		step = step_of(counts, sizeof counts / sizeof *counts, value);
	name = ascii && strcmp(step->name, "\u00b5s") == 0 ? "us" : step->name;
	value /= step->factor;
	/* Whole numbers of the smallest unit stay whole. */
	if (value == 0 || (step->factor == 1 && value == floorl(value)))
		add_grouped(out, value);
	else
		add_three_digits(out, value);
	if (*name && amount != 0)
		perun_buffer_printf(out, " %s", name);
}

void views_add_share(struct perun_buffer *out, long double share, bool sign)
{
	long double percent = fabsl(share) * 100;

	if (!isfinite(share)) {
		perun_buffer_add_text(out, "-");
		return;
	}
	if (percent > 0 && percent < 0.05L) {
		perun_buffer_printf(out, "%s<0.1 %%", share < 0 ? "-" : sign ? "+" : "");
		return;
	}
	if (share < 0)
		perun_buffer_add_char(out, '-');
	else if (sign && share > 0)
		perun_buffer_add_char(out, '+');
	if (percent >= 9999.5L)
		add_grouped(out, roundl(percent));
	else
		perun_buffer_printf(out, "%.*Lf", percent >= 999.95L ? 0 : 1, percent);
	perun_buffer_add_text(out, " %");
}

void views_add_number(struct perun_buffer *out, long double number)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	if (!isfinite(number)) {
		perun_buffer_add_text(out, "null");
	} else if (number == floorl(number) && fabsl(number) < 1e20L) {
		perun_buffer_printf(out, "%.0Lf", number);
	} else {
		perun_buffer_add(out, text, perun_json_print_double((double)number, text));
	}
}

double views_nice_step(double range, size_t wanted)
{
	double rough = range / (double)(wanted ? wanted : 1), power = pow(10, floor(log10(rough)));
	static const double factors[] = {1, 2, 5, 10};

	for (int i = 0; i < 4; i++) {
		if (factors[i] * power >= rough * (1 - 1e-9))
			return factors[i] * power;
	}
	return 10 * power;
}
