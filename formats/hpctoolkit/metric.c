/* SPDX-License-Identifier: BSD-3-Clause */
/* Titles of metrics: the name, the unit in it, and how it came about. */
#include <string.h>

#include "hpctoolkit.h"

/* "GKER (sec)", "GXCOPY:COUNT": what a GPU did, which is counted and timed, but for samples of instructions. */
static bool is_gpu(const char *name)
{
	static const char *const activities[] = {"GPUOP",  "GKER",   "GMEM", "GMSET",
						 "GXCOPY", "GICOPY", "GSYNC"};
	size_t length = strcspn(name, ": ");

	for (size_t i = 0; i < sizeof activities / sizeof *activities; i++)
		if (strlen(activities[i]) == length && memcmp(name, activities[i], length) == 0)
			return true;
	return false;
}

/* "CPUTIME (usec):Sum (E)", "PAPI_TOT_CYC (E)". */
unsigned hpctoolkit_make_metric(struct stacks *stacks, const char *title)
{
	static const struct {
		const char *text, *unit;
	} units[] = {{" (usec)", "us"},     {" (sec)", "s"},   {" (nsec)", "ns"},
		     {" (bytes)", "bytes"}, {" (B)", "bytes"}, {" (cyc)", "cycles"}};
	char *name = perun_strdup(title), *at;
	const char *unit = "";
	unsigned metric;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		at = strstr(name, units[i].text);
		if (at) {
			unit = units[i].unit;
			*at = '\0';
			break;
		}
	}
	if (!*unit && (at = strstr(name, " (E)")))
		*at = '\0';
	if (!*unit && (at = strstr(name, ":Sum")))
		*at = '\0';
	if (!is_gpu(name))
		metric = stacks_metric(stacks, name, unit);
	else if (*unit && strcmp(unit, "bytes") != 0)
		metric = stacks_measured(stacks, name, unit);
	else
		metric = stacks_exact(stacks, name, unit);
	perun_free(name);
	return metric;
}
