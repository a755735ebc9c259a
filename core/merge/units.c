/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that can be turned into each other: those that pprof knows, under the names it takes. */
#include <string.h>

#include "core/merge/merge.h"

enum family { NONE, MEMORY, TIME, COMPUTE };

struct unit {
	const char *name;
	enum family family;
	double factor;
};

static const struct unit units[] = {
	{"b", MEMORY, 1},
	{"byte", MEMORY, 1},
	{"kb", MEMORY, 0x1p10},
	{"kbyte", MEMORY, 0x1p10},
	{"kilobyte", MEMORY, 0x1p10},
	{"mb", MEMORY, 0x1p20},
	{"mbyte", MEMORY, 0x1p20},
	{"megabyte", MEMORY, 0x1p20},
	{"gb", MEMORY, 0x1p30},
	{"gbyte", MEMORY, 0x1p30},
	{"gigabyte", MEMORY, 0x1p30},
	{"tb", MEMORY, 0x1p40},
	{"tbyte", MEMORY, 0x1p40},
	{"terabyte", MEMORY, 0x1p40},
	{"pb", MEMORY, 0x1p50},
	{"pbyte", MEMORY, 0x1p50},
	{"petabyte", MEMORY, 0x1p50},
	{"ns", TIME, 1},
	{"nanosecond", TIME, 1},
	{"us", TIME, 1e3},
	{"microsecond", TIME, 1e3},
	{"ms", TIME, 1e6},
	{"millisecond", TIME, 1e6},
	{"s", TIME, 1e9},
	{"sec", TIME, 1e9},
	{"second", TIME, 1e9},
	{"hour", TIME, 3600e9},
	{"hr", TIME, 3600e9},
	{"nanogcu", COMPUTE, 1e-9},
	{"microgcu", COMPUTE, 1e-6},
	{"milligcu", COMPUTE, 1e-3},
	{"gcu", COMPUTE, 1},
	{"kilogcu", COMPUTE, 1e3},
	{"megagcu", COMPUTE, 1e6},
	{"gigagcu", COMPUTE, 1e9},
	{"teragcu", COMPUTE, 1e12},
	{"petagcu", COMPUTE, 1e15},
};

/* Lower case, and without one "s" at the end of more than two characters. */
static const struct unit *find(const char *name)
{
	size_t length = strlen(name);
	char lower[24];

	if (length >= sizeof lower)
		return NULL;
	for (size_t i = 0; i <= length; i++)
		lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
	if (length > 2 && lower[length - 1] == 's')
		lower[length - 1] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(units[i].name, lower) == 0)
			return &units[i];
	}
	return NULL;
}

double perun_unit_ratio(const char *from, const char *to)
{
	const struct unit *a = find(from), *b = find(to);

	return a && b && a->family == b->family ? a->factor / b->factor : 1;
}

bool perun_units_fit(const char *a, const char *b)
{
	const struct unit *first, *second;

	if (strcmp(a, b) == 0)
		return true;
	first = find(a);
	second = find(b);
	return first && second && first->family == second->family;
}
