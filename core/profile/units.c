/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that are known, and how they convert. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include <perun/lib/units.h>

#include "core/context/rounded.h"

struct known_unit {
	const char *name; /* lower case, singular */
	enum perun_unit_kind kind;
	long double factor;
};

static const struct known_unit known_units[] = {
	{"count", PERUN_UNIT_COUNT, 1},
	{"sample", PERUN_UNIT_COUNT, 1},
	{"object", PERUN_UNIT_COUNT, 1},
	{"unit", PERUN_UNIT_COUNT, 1},
	{"ns", PERUN_UNIT_TIME, 1},
	{"nanosecond", PERUN_UNIT_TIME, 1},
	{"nanosec", PERUN_UNIT_TIME, 1},
	{"nsec", PERUN_UNIT_TIME, 1},
	{"us", PERUN_UNIT_TIME, 1e3L},
	{"\u00b5s", PERUN_UNIT_TIME, 1e3L},
	{"\u03bcs", PERUN_UNIT_TIME, 1e3L},
	{"microsecond", PERUN_UNIT_TIME, 1e3L},
	{"microsec", PERUN_UNIT_TIME, 1e3L},
	{"usec", PERUN_UNIT_TIME, 1e3L},
	{"ms", PERUN_UNIT_TIME, 1e6L},
	{"millisecond", PERUN_UNIT_TIME, 1e6L},
	{"millisec", PERUN_UNIT_TIME, 1e6L},
	{"msec", PERUN_UNIT_TIME, 1e6L},
	{"s", PERUN_UNIT_TIME, 1e9L},
	{"sec", PERUN_UNIT_TIME, 1e9L},
	{"second", PERUN_UNIT_TIME, 1e9L},
	{"min", PERUN_UNIT_TIME, 60e9L},
	{"minute", PERUN_UNIT_TIME, 60e9L},
	{"h", PERUN_UNIT_TIME, 3600e9L},
	{"hr", PERUN_UNIT_TIME, 3600e9L},
	{"hour", PERUN_UNIT_TIME, 3600e9L},
	{"b", PERUN_UNIT_BYTES, 1},
	{"byte", PERUN_UNIT_BYTES, 1},
	{"kb", PERUN_UNIT_BYTES, 1024},
	{"kib", PERUN_UNIT_BYTES, 1024},
	{"kilobyte", PERUN_UNIT_BYTES, 1024},
	{"kbyte", PERUN_UNIT_BYTES, 1024},
	{"mb", PERUN_UNIT_BYTES, 1048576},
	{"mib", PERUN_UNIT_BYTES, 1048576},
	{"megabyte", PERUN_UNIT_BYTES, 1048576},
	{"mbyte", PERUN_UNIT_BYTES, 1048576},
	{"gb", PERUN_UNIT_BYTES, 1073741824},
	{"gib", PERUN_UNIT_BYTES, 1073741824},
	{"gigabyte", PERUN_UNIT_BYTES, 1073741824},
	{"gbyte", PERUN_UNIT_BYTES, 1073741824},
	{"tb", PERUN_UNIT_BYTES, 1099511627776},
	{"tib", PERUN_UNIT_BYTES, 1099511627776},
	{"terabyte", PERUN_UNIT_BYTES, 1099511627776},
	{"tbyte", PERUN_UNIT_BYTES, 1099511627776},
	{"pb", PERUN_UNIT_BYTES, 1125899906842624},
	{"pib", PERUN_UNIT_BYTES, 1125899906842624},
	{"petabyte", PERUN_UNIT_BYTES, 1125899906842624},
	{"pbyte", PERUN_UNIT_BYTES, 1125899906842624},
};

/* Whether a name, or its singular, of these lengths is the word. */
static bool is_unit(const char *word, const char *name, size_t length, size_t singular)
{
	size_t size = strlen(word);

	return (size == length || size == singular) && strncasecmp(word, name, size) == 0;
}

struct perun_unit perun_unit_of(const char *name)
{
	struct perun_unit unit = {PERUN_UNIT_OTHER, 1, name ? name : ""};
	size_t length = strlen(unit.name), singular = length;
	int first;

	if (!length) {
		unit.kind = PERUN_UNIT_COUNT;
		return unit;
	}
	if (length > 2 && tolower((unsigned char)name[length - 1]) == 's')
		singular--;
	/* Explanations ask for the unit of each of their numbers: most words differ in their first letter. */
	first = tolower((unsigned char)*name);
	for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++) {
		if ((unsigned char)known_units[i].name[0] == first &&
		    is_unit(known_units[i].name, name, length, singular)) {
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
	const char *slash[2];
	long double above, below;
	char *parts[2];

	from = from ? from : "";
	to = to ? to : "";
	if (strcmp(from, to) == 0)
		return 1;
	slash[0] = strrchr(from, '/');
	slash[1] = strrchr(to, '/');
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

/* Four digits, or all before the point: exponents are for numbers that are too long to be read. */
static void add_short(struct perun_buffer *out, double value)
{
	double size = fabs(value), scale = 1, rest;
	unsigned places = 0;

	for (; size >= 0.001 && size * scale < 1000; scale *= 10)
		places++;
	rest = size * scale - floor(size * scale) - 0.5;
	/* Explanations have thousands of such numbers. So near to half a digit all digits of the value decide. */
	if (!(size >= 0.001 && size < 1e9) || fabs(rest) < 1e-6) {
		perun_buffer_printf(out, size >= 9999.5 && size < 1e9 ? "%.0f" : "%.4g", value);
		return;
	}
	if (value < 0)
		perun_buffer_add_char(out, '-');
	perun_buffer_add_decimal(out, (unsigned)(size * scale + 0.5), places);
}

/* What a unit of an amount is, or of times per something ("ns/op") that of the times; what follows it then, else "". */
static struct perun_unit scaled_unit(const char *unit, const char **below)
{
	const char *slash = unit ? strchr(unit, '/') : NULL;
	struct perun_unit known;
	char *above;

	*below = "";
	if (!slash)
		return perun_unit_of(unit);
	above = perun_strndup(unit, (size_t)(slash - unit));
	known = perun_unit_of(above);
	perun_free(above);
	if (known.kind != PERUN_UNIT_TIME)
		return perun_unit_of(unit);
	known.name = unit;
	*below = slash;
	return known;
}

void perun_add_amount(struct perun_buffer *out, double amount, const char *unit)
{
	const char *below;
	struct perun_unit known = scaled_unit(unit, &below);
	/* The largest numbers of seconds are more nanoseconds than a double holds. */
	long double base = amount * known.factor;

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		/* The last of a kind is for all that is smaller; 0 stays in its own unit. */
		if (steps[i].kind != known.kind ||
		    (amount == 0 ? steps[i].factor != known.factor
				 : fabsl(base) < steps[i].factor * 0.99995 && steps[i].factor != 1))
			continue;
		add_short(out, (double)(base / steps[i].factor));
		perun_buffer_add_char(out, ' ');
		perun_buffer_add_text(out, steps[i].name);
		perun_buffer_add_text(out, below);
		return;
	}
	add_short(out, amount);
	unit = known.name[0] == '1' && known.name[1] == '/' ? known.name + 1 : known.name;
	if (*unit)
		perun_buffer_add_text(out, *unit == '/' || *unit == '%' ? "" : " ");
	perun_buffer_add_text(out, unit);
}
