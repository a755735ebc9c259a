/* SPDX-License-Identifier: BSD-3-Clause */
/* When perun bisect --lines can find the lines of a change, and how it is called then. */
#include <config.h>

#include <string.h>

#include "commands/common/change-line.h"
#include "commands/common/lines-offer.h"

/* What perun compare calls a stored metric; NULL = it does not measure that. The first one is its default. */
static const char *compared_metric(const char *metric)
{
	static const char *const names[][2] = {
		{"time(real)", ""},   {"time(cpu)", "cpu"},   {"time(user)", "user"},
		{"time(sys)", "sys"}, {"max_rss", "max_rss"}, {"instructions", "instructions"},
		{"cycles", "cycles"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(metric, names[i][0]) == 0)
			return names[i][1];
	}
	return NULL;
}

bool commands_add_lines_offer(struct perun_buffer *out, const struct commands_lines_offer *offer)
{
	const char *metric = offer->metric ? compared_metric(offer->metric) : NULL;

	if (!metric || !offer->command || !*offer->command ||
	    (*offer->location && !commands_is_program(offer->location, offer->command)))
		return false;
	perun_buffer_add_text(out, "perun bisect --lines ");
	if (*metric)
		perun_buffer_printf(out, "--metric %s ", metric);
	perun_buffer_printf(out, "%.8s%s%.8s -- %s finds the lines", offer->base ? offer->base : "",
			    offer->base ? ".." : "", offer->version, offer->command);
	return true;
}
