/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and numbers as pprof writes them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measurement.h"

struct unit {
	const char *name, *aliases; /* aliases: blank-separated, lower case, in the singular */
	double factor;
};

struct family {
	const struct unit *units; /* ascending; ends with a name of NULL */
	struct unit fallback;     /* for what no unit suits */
};

static const struct unit memory_units[] = {
	{"B", "b byte", 1},
	{"kB", "kb kbyte kilobyte", 1024.0},
	{"MB", "mb mbyte megabyte", 1048576.0},
	{"GB", "gb gbyte gigabyte", 1073741824.0},
	{"TB", "tb tbyte terabyte", 1099511627776.0},
	{"PB", "pb pbyte petabyte", 1125899906842624.0},
	{NULL, NULL, 0},
};
static const struct unit time_units[] = {
	{"ns", "ns nanosecond", 1},    {"us", "\316\274s us microsecond", 1e3},
	{"ms", "ms millisecond", 1e6}, {"s", "s sec second", 1e9},
	{"hrs", "hour hr", 3600e9},    {NULL, NULL, 0},
};
/* Google compute units. */
static const struct unit compute_units[] = {
	{"n*GCU", "nanogcu", 1e-9},  {"u*GCU", "microgcu", 1e-6},
	{"m*GCU", "milligcu", 1e-3}, {"GCU", "gcu", 1},
	{"k*GCU", "kilogcu", 1e3},   {"M*GCU", "megagcu", 1e6},
	{"G*GCU", "gigagcu", 1e9},   {"T*GCU", "teragcu", 1e12},
	{"P*GCU", "petagcu", 1e15},  {NULL, NULL, 0},
};
static const struct family families[] = {
	{memory_units, {"B", "", 1}},
	{time_units, {"s", "", 1e9}},
	{compute_units, {"GCU", "", 1}},
};
enum { FAMILIES = sizeof families / sizeof *families, LONGEST_UNIT = 32 };

static bool is_word_of(const char *words, const char *word, size_t length)
{
	while (*words) {
		size_t next = strcspn(words, " ");

		if (next == length && memcmp(words, word, length) == 0)
			return true;
		words += next;
		words += *words == ' ';
	}
	return false;
}

static const struct unit *find_unit(const struct family *family, const char *name)
{
	char lower[LONGEST_UNIT];
	size_t length = strlen(name);

	if (length == 0 || length >= sizeof lower)
		return NULL;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
	if (length > 2 && lower[length - 1] == 's')
		length--;
	for (const struct unit *unit = family->units; unit->name; unit++) {
		if (is_word_of(unit->aliases, lower, length))
			return unit;
	}
	return NULL;
}

static bool is_automatic(const char *unit)
{
	return strcmp(unit, "minimum") == 0 || strcmp(unit, "auto") == 0;
}

static double scale_within(const struct family *family, double value, const char *to,
			   const char **unit)
{
	const struct unit *found = NULL;

	if (!is_automatic(to)) {
		found = find_unit(family, to);
	} else {
		for (const struct unit *each = family->units; each->name; each++) {
			if (value / each->factor >= 1.0)
				found = each;
		}
	}
	if (!found)
		found = &family->fallback;
	*unit = found->name;
	return value / found->factor;
}

double pprof_scale(int64_t value, const char *from, const char *to, const char **unit)
{
	static const char *const silent[] = {"count", "sample", "unit", "minimum", "auto"};

	if (value < 0 && value != INT64_MIN)
		return -pprof_scale(-value, from, to, unit);
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct unit *own = find_unit(&families[i], from);

		if (own)
			return scale_within(&families[i], (double)value * own->factor, to, unit);
	}
	*unit = to;
	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
		if (strcmp(to, silent[i]) == 0)
			*unit = "";
	}
	return (double)value;
}

void pprof_add_scaled(int64_t value, const char *from, const char *to, struct perun_buffer *out)
{
	const char *unit;
	double scaled = pprof_scale(value, from, to, &unit);
	char *text = perun_format("%.2f", scaled);
	size_t length = strlen(text);

	if (length > 3 && strcmp(text + length - 3, ".00") == 0)
		text[length - 3] = '\0';
	if (strcmp(text, "0") == 0 || strcmp(text, "-0") == 0) {
		perun_buffer_add_char(out, '0');
	} else {
		perun_buffer_add_text(out, text);
		perun_buffer_add_text(out, unit);
	}
	perun_free(text);
}

void pprof_add_percentage(int64_t value, int64_t total, struct perun_buffer *out)
{
	double ratio = total ? fabs((double)value / (double)total) * 100 : 0;

	if (ratio >= 99.95 && ratio <= 100.05)
		perun_buffer_add_text(out, "  100%");
	else if (ratio >= 1.0)
		perun_buffer_printf(out, "%5.2f%%", ratio);
	else
		perun_buffer_printf(out, "%5.2g%%", ratio);
}
