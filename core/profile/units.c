/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that are known, and how they convert. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include <perun/lib/units.h>

struct known_unit {
	const char *names; /* blank-separated, lower case, singular */
	enum perun_unit_kind kind;
	long double factor;
};

static const struct known_unit known_units[] = {
	{"count sample object unit", PERUN_UNIT_COUNT, 1},
	{"ns nanosecond nanosec nsec", PERUN_UNIT_TIME, 1},
	{"us \u00b5s \u03bcs microsecond microsec usec", PERUN_UNIT_TIME, 1e3L},
	{"ms millisecond millisec msec", PERUN_UNIT_TIME, 1e6L},
	{"s sec second", PERUN_UNIT_TIME, 1e9L},
	{"min minute", PERUN_UNIT_TIME, 60e9L},
	{"h hr hour", PERUN_UNIT_TIME, 3600e9L},
	{"b byte", PERUN_UNIT_BYTES, 1},
	{"kb kib kilobyte kbyte", PERUN_UNIT_BYTES, 1024},
	{"mb mib megabyte mbyte", PERUN_UNIT_BYTES, 1048576},
	{"gb gib gigabyte gbyte", PERUN_UNIT_BYTES, 1073741824},
	{"tb tib terabyte tbyte", PERUN_UNIT_BYTES, 1099511627776},
	{"pb pib petabyte pbyte", PERUN_UNIT_BYTES, 1125899906842624},
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

struct perun_unit perun_unit_of(const char *name)
{
	struct perun_unit unit = {PERUN_UNIT_OTHER, 1, name ? name : ""};

	if (!*unit.name) {
		unit.kind = PERUN_UNIT_COUNT;
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

static long double simple_factor(const char *from, const char *to)
{
	struct perun_unit one = perun_unit_of(from), other = perun_unit_of(to);

	if (strcmp(one.name, other.name) == 0)
		return 1;
	if (one.kind != other.kind || one.kind == PERUN_UNIT_OTHER)
		return 0;
	return one.factor / other.factor;
}

long double perun_unit_factor(const char *from, const char *to)
{
	const char *slash[2] = {strrchr(from ? from : "", '/'), strrchr(to ? to : "", '/')};
	long double above, below;
	char *parts[2];

	if (strcmp(from ? from : "", to ? to : "") == 0)
		return 1;
	if (!slash[0] || !slash[1])
		return simple_factor(from, to);
	parts[0] = perun_strndup(from, (size_t)(slash[0] - from));
	parts[1] = perun_strndup(to, (size_t)(slash[1] - to));
	above = simple_factor(parts[0], parts[1]);
	below = simple_factor(slash[0] + 1, slash[1] + 1);
	perun_free(parts[0]);
	perun_free(parts[1]);
	return below > 0 ? above / below : 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static const struct step {
	enum perun_unit_kind kind;
	double factor;
	const char *name;
} steps[] = {{PERUN_UNIT_TIME, 1e9, "s"},
	     {PERUN_UNIT_TIME, 1e6, "ms"},
	     {PERUN_UNIT_TIME, 1e3, "\u00b5s"},
	     {PERUN_UNIT_TIME, 1, "ns"},
	     {PERUN_UNIT_BYTES, 1099511627776, "TiB"},
	     {PERUN_UNIT_BYTES, 1073741824, "GiB"},
	     {PERUN_UNIT_BYTES, 1048576, "MiB"},
	     {PERUN_UNIT_BYTES, 1024, "KiB"},
	     {PERUN_UNIT_BYTES, 1, "B"}};

/* Whole numbers in full, others with four digits. */
static void add_digits(struct perun_buffer *out, double value)
{
	if (value == floor(value) && fabs(value) < 1e9)
		perun_buffer_printf(out, "%.0f", value);
	else
		perun_buffer_printf(out, "%.4g", value);
}

void perun_add_amount(struct perun_buffer *out, double amount, const char *unit)
{
	struct perun_unit known = perun_unit_of(unit);
	double base = amount * (double)known.factor;

	for (size_t i = 0; amount != 0 && i < sizeof steps / sizeof *steps; i++) {
		/* The last of a kind is for all that is smaller. */
		if (steps[i].kind != known.kind ||
		    (fabs(base) < steps[i].factor * 0.99995 && steps[i].factor != 1))
			continue;
		perun_buffer_printf(out, "%.4g %s", base / steps[i].factor, steps[i].name);
		return;
	}
	add_digits(out, amount);
	unit = known.name[0] == '1' && known.name[1] == '/' ? known.name + 1 : known.name;
	if (*unit)
		perun_buffer_printf(out, "%s%s", *unit == '/' || *unit == '%' ? "" : " ", unit);
}
