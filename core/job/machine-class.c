/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two profiles were measured on machines of one class. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/machine.h>

/* Memories are alike when the smaller is this part of the larger: systems keep back some of it. */
#define ALIKE 0.75

/* Bytes in a text such as "23.5 GiB"; 0 = not known. */
static double bytes_of(const char *text)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	char *end;
	double bytes = strtod(text, &end);

	end += strspn(end, " ");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++, bytes *= 1024) {
		if (strcmp(end, units[i]) == 0)
			return bytes;
	}
	return 0;
}

static bool same_text(const char *one, const char *other)
{
	return strcmp(one, other) == 0;
}

static bool same_size(const char *one, const char *other)
{
	double a = bytes_of(one), b = bytes_of(other);

	return a <= 0 || b <= 0 || (a < b ? a / b : b / a) >= ALIKE;
}

/* What makes a class; `path` as perun_profile_text() has it. */
static const struct fact {
	const char *path, *name;
	bool (*same)(const char *one, const char *other);
} facts[] = {
	{"machine.architecture", "architecture", same_text},
	{"machine.system", "system", same_text},
	{"machine.cpu.model", "processor", same_text},
	{"machine.cpu.total", "number of processors", same_text},
	{"machine.memory.total_ram", "size of memory", same_size},
	{"machine.virtualization", "virtualization", same_text},
};

char *perun_machine_difference(const struct perun_profile *one, const struct perun_profile *other)
{
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *here = perun_profile_text(one, facts[i].path);
		const char *there = perun_profile_text(other, facts[i].path);
		char *text, *difference;

		if (!*here || !*there || facts[i].same(here, there))
			continue;
		text = perun_format("%s '%s' and '%s'", facts[i].name, here, there);
		difference = perun_printable(text);
		perun_free(text);
		return difference;
	}
	return NULL;
}
