/* SPDX-License-Identifier: BSD-3-Clause */
/* The history that all commands judge by: which of its strands is which of the site's. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "site.h"

/* A strand of the history, and its names in the order of which they are searched. */
struct named {
	const struct perun_strand *strand;
	const char *command;
};

static int compare_named(const void *one, const void *other)
{
	const struct named *a = one, *b = other;
	int order = strcmp(a->strand->location, b->strand->location);

	if (!order)
		order = strcmp(a->strand->metric, b->strand->metric);
	if (!order)
		order = strcmp(a->strand->machine, b->strand->machine);
	return order ? order : strcmp(a->command, b->command);
}

static const struct perun_strand *find_like(const struct named *named, size_t count,
					    const struct site_strand *strand)
{
	char *command =
		perun_format("%s%s%s", strand->cmd, *strand->cmd && *strand->workload ? " " : "",
			     strand->workload);
	const struct perun_strand names = {
		.location = strand->location, .metric = strand->metric, .machine = strand->machine};
	const struct named like = {&names, command}, *found = NULL;

	if (count)
		found = bsearch(&like, named, count, sizeof *named, compare_named);
	while (found && found > named && compare_named(found - 1, &like) == 0)
		found--;
	/* Units that do not convert are strands of their own. */
	while (found && found < named + count && compare_named(found, &like) == 0 &&
	       perun_unit_factor(found->strand->unit, strand->unit) == 0)
		found++;
	if (found && (found == named + count || compare_named(found, &like) != 0))
		found = NULL;
	perun_free(command);
	return found ? found->strand : NULL;
}

/* Totals of functions that changed are strands of the site as well. */
static void add_total(struct site *site, const struct perun_strand *total)
{
	size_t count = site->strand_count;

	for (size_t s = 0; s < count; s++) {
		struct site_strand like = site->strands[s];
		char *command = perun_format("%s%s%s", like.cmd,
					     *like.cmd && *like.workload ? " " : "", like.workload);
		bool is = strcmp(command, total->command) == 0 &&
			  strcmp(like.metric, total->metric) == 0 &&
			  strcmp(like.machine, total->machine) == 0;

		perun_free(command);
		if (!is)
			continue;
		like.location = (char *)total->location;
		site->strands[site_strand(site, &like)].history = total;
		break;
	}
}

static void match(struct site *site)
{
	size_t count = perun_history_count(site->history);
	struct named *named = perun_alloc_zero(count + 1, sizeof *named);

	for (size_t i = 0; i < count; i++) {
		named[i].strand = perun_history_strand(site->history, i);
		named[i].command = named[i].strand->command;
	}
	if (count)
		qsort(named, count, sizeof *named, compare_named);
	for (size_t s = 0; s < site->strand_count; s++)
		site->strands[s].history = find_like(named, count, &site->strands[s]);
	for (size_t i = 0; i < count; i++) {
		if (named[i].strand->inclusive && named[i].strand->changes->count)
			add_total(site, named[i].strand);
	}
	perun_free(named);
}

int site_find_history(struct site *site)
{
	int status = perun_history_find_changes(site->ctx, site->history, NULL,
						PERUN_HISTORY_DISCOVERIES);

	if (!status)
		match(site);
	return status;
}
