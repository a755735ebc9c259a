/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether two profiles were measured on machines of one class. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/job/machine-class.h"

/* Memories are alike when the smaller is this part of the larger: systems keep back some of it. */
#define ALIKE 0.75

/* Bytes in a text such as "23.5 GiB"; 0 = not known. */
static double bytes_of(const char *text)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	char *end;
	double bytes = perun_strtod(text, &end);

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
	{"/machine/architecture", "architecture", same_text},
	{"/machine/system", "system", same_text},
	{"/machine/cpu/model", "processor", same_text},
	{"/machine/cpu/total", "number of processors", same_text},
	{"/machine/memory/total_ram", "size of memory", same_size},
	{"/machine/virtualization", "virtualization", same_text},
	{"/machine/gpu", "graphics processors", same_text},
	{"/machine/partition", "partition", same_text}, /* of a cluster */
	{"/machine/gres", "generic resources", same_text},
	/* What other tools say of what they measured. */
	{"/machine/host_measured", "host", same_text},
	{"/machine/build", "build", same_text},
	{"/machine/toolchain", "toolchain", same_text},
	{"/machine/cpu/scaling", "CPU scaling", same_text},
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

char *perun_machine_facts(const struct perun_profile *profile)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		perun_buffer_printf(&text, "%s\n", perun_profile_text(profile, facts[i].path));
	return perun_buffer_take(&text);
}

/* The nearest of 1, 1.5, 2, 3, 4, 6, 8, 12 ... GiB. */
static double rounded_size(double bytes)
{
	double low = exp2(floor(log2(bytes))), best = low;
	const double sizes[] = {1.5 * low, 2 * low};

	for (size_t i = 0; i < 2; i++) {
		if (fabs(log(sizes[i] / bytes)) < fabs(log(best / bytes)))
			best = sizes[i];
	}
	return best / (1 << 30);
}

static void add_word(struct perun_buffer *text, const char *word)
{
	if (*word)
		perun_buffer_printf(text, "%s%s", text->length ? ", " : "", word);
}

char *perun_machine_name(const struct perun_profile *profile)
{
	const char *total = perun_profile_text(profile, "/machine/cpu/total");
	const char *system = perun_profile_text(profile, "/machine/system");
	const char *virtual = perun_profile_text(profile, "/machine/virtualization");
	const char *gpu = perun_profile_text(profile, "/machine/gpu");
	double bytes = bytes_of(perun_profile_text(profile, "/machine/memory/total_ram"));
	struct perun_buffer text = {0};
	char *name;

	add_word(&text, perun_profile_text(profile, "/machine/cpu/model"));
	if (*total)
		perun_buffer_printf(&text, "%s%s processor%s", text.length ? ", " : "", total,
				    strcmp(total, "1") == 0 ? "" : "s");
	if (bytes > 0)
		perun_buffer_printf(&text, "%s%.3g GiB", text.length ? ", " : "",
				    rounded_size(bytes));
	add_word(&text, perun_profile_text(profile, "/machine/architecture"));
	add_word(&text, strcmp(system, "Linux") == 0 ? "" : system);
	add_word(&text, strcmp(virtual, "none") == 0 ? "" : virtual);
	add_word(&text, strcmp(gpu, "none") == 0 ? "" : gpu);
	name = perun_printable(text.data ? text.data : "");
	perun_buffer_free(&text);
	return name;
}
