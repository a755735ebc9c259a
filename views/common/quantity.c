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

struct known_unit {
	const char *names; /* blank-separated, lower case, singular */
	enum views_unit_kind kind;
	long double factor;
};

static const struct known_unit known_units[] = {
	{"count sample object unit", VIEWS_COUNT, 1},
	{"ns nanosecond nanosec nsec", VIEWS_TIME, 1},
	{"us \u00b5s \u03bcs microsecond microsec usec", VIEWS_TIME, 1e3L},
	{"ms millisecond millisec msec", VIEWS_TIME, 1e6L},
	{"s sec second", VIEWS_TIME, 1e9L},
	{"min minute", VIEWS_TIME, 60e9L},
	{"h hr hour", VIEWS_TIME, 3600e9L},
	{"b byte", VIEWS_BYTES, 1},
	{"kb kib kilobyte kbyte", VIEWS_BYTES, 1024},
	{"mb mib megabyte mbyte", VIEWS_BYTES, 1048576},
	{"gb gib gigabyte gbyte", VIEWS_BYTES, 1073741824},
	{"tb tib terabyte tbyte", VIEWS_BYTES, 1099511627776},
	{"pb pib petabyte pbyte", VIEWS_BYTES, 1125899906842624},
};

/* Whether `name`, or its singular, is one of the words. */
static bool is_one_of(const char *words, const char *name)
{
	size_t length = strlen(name);

	if (length > 2 && tolower((unsigned char)name[length - 1]) == 's')
		length--;
	for (; *words; words += strspn(words, " ")) {
		size_t word = strcspn(words, " ");

		if ((word == length || word == strlen(name)) && strncasecmp(words, name, word) == 0)
			return true;
		words += word;
	}
	return false;
}

struct views_unit views_unit_of(const char *name)
{
	struct views_unit unit = {VIEWS_OTHER, 1, name ? name : ""};

	if (!*unit.name) {
		unit.kind = VIEWS_COUNT;
		return unit;
	}
	for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++) {
		if (is_one_of(known_units[i].names, name)) {
			unit.kind = known_units[i].kind;
			unit.factor = known_units[i].factor;
			break;
		}
	}
	return unit;
}

long double views_unit_factor(const char *from, const char *to)
{
	struct views_unit one = views_unit_of(from), other = views_unit_of(to);

	if (strcmp(one.name, other.name) == 0)
		return 1;
	if (one.kind != other.kind || one.kind == VIEWS_OTHER)
		return 0;
	return one.factor / other.factor;
}

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
	if (value >= 9999.5L)
		add_grouped(out, roundl(value));
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

void views_add_amount(struct perun_buffer *out, long double amount, const struct views_unit *unit,
		      bool sign, bool ascii)
{
	long double value = fabsl(amount) * (unit->kind == VIEWS_COUNT ? 1 : unit->factor);
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
	if (unit->kind == VIEWS_TIME)
		step = step_of(times, sizeof times / sizeof *times, value);
	else if (unit->kind == VIEWS_BYTES)
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
