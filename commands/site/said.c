/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes say nothing of their own: those that the other commands leave out of their lists. */
#include <config.h>

#include "commands/common/change-line.h"
#include "site.h"

/* A change as a check stores it; its texts are to be freed by free_change(). */
static struct perun_stored_change make_change(const struct site *site,
					      const struct site_place *place)
{
	const struct site_strand *strand = &site->strands[place->strand];
	const struct perun_change_point *point =
		&site->found[place->strand].changes.points[place->change];
	struct perun_change *change = perun_alloc_zero(1, sizeof *change);

	change->struct_size = sizeof *change;
	change->result = strand->undirected ? PERUN_RESULT_UNKNOWN
					    : perun_change_point_result(point, strand->higher);
	change->location = strand->location;
	change->type = strand->metric;
	change->from_baseline = perun_format("%.17g", point->before);
	change->to_target = perun_format("%.17g", point->after);
	change->rate = point->before > 0 ? point->after / point->before : 1;
	/* Only changes of one version, and of one machine, say anything of each other. */
	return (struct perun_stored_change){.struct_size = sizeof(struct perun_stored_change),
					    .change = change,
					    .command = perun_format("%s %s %s %zu", strand->cmd,
								    strand->workload,
								    strand->machine, point->index)};
}

static void free_change(struct perun_stored_change *item)
{
	struct perun_change *change = (struct perun_change *)item->change;

	perun_free((char *)change->from_baseline);
	perun_free((char *)change->to_target);
	perun_free(change);
	perun_free((char *)item->command);
}

void site_find_said(const struct site *site, struct site_place *places, size_t count)
{
	struct perun_stored_change *items = perun_alloc_zero(count + 1, sizeof *items);
	size_t *order = perun_alloc_zero(count + 1, sizeof *order), kept;

	for (size_t i = 0; i < count; i++) {
		items[i] = make_change(site, &places[i]);
		places[i].said = true;
	}
	kept = commands_order_changes(items, count, order);
	for (size_t i = 0; i < kept; i++)
		places[order[i]].said = false;
	for (size_t i = 0; i < count; i++)
		free_change(&items[i]);
	perun_free(order);
	perun_free(items);
}
