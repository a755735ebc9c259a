/* SPDX-License-Identifier: BSD-3-Clause */
/* How findings came about that are stored without saying so. */
#include <string.h>

#include <perun/lib/history.h>

#include "change-line.h"
#include "explanations.h"

/* A finding as it is stored, and how it came about. */
struct commands_explained {
	struct perun_change change;
	char *text;
};

/* Without a history nothing but a command can be named. */
static void load(struct perun_ctx *ctx, struct perun_store *store,
		 struct commands_explanations *explanations)
{
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .every_metric = true,
						      .machines_apart = true,
						      .measured = true};

	explanations->loaded = true;
	if (perun_history_load(ctx, store, &options, &explanations->history) ||
	    perun_history_find_changes(ctx, explanations->history, NULL,
				       PERUN_HISTORY_DISCOVERIES)) {
		perun_ctx_clear(ctx);
		perun_history_free(explanations->history);
		explanations->history = NULL;
	}
}

/* The change of a strand at a version; NULL = there is none. */
static const struct perun_change_point *find_point(const struct perun_strand *strand,
						   const char *version)
{
	for (size_t i = 0; i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];

		if (strcmp(strand->labels[point->index], version) == 0)
			return point;
	}
	return NULL;
}

/*
 * What the history says of a change of the finding's metric and location at the version; the caller's. Where several
 * commands have one, it is that of the finding's own; a finding that names its command otherwise has none then.
 */
static char *explain(const struct commands_explanations *explanations, const char *version,
		     const struct perun_stored_change *item)
{
	const struct perun_history *history = explanations->history;
	const char *metric = commands_change_metric(item->change);
	size_t count = history ? perun_history_count(history) : 0, found = 0;
	const struct perun_strand *chosen = NULL;
	bool own = false;

	for (size_t s = 0; s < count && !own; s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		if (strcmp(strand->metric, metric) != 0 ||
		    strcmp(strand->location, item->change->location) != 0 ||
		    !find_point(strand, version))
			continue;
		own = item->command && strcmp(strand->command, item->command) == 0;
		chosen = strand;
		found++;
	}
	if (own || found == 1)
		return perun_strand_explain(chosen, find_point(chosen, version));
	return perun_format("perun check --explain head %.8s says how it was found", version);
}

void commands_explain(struct perun_ctx *ctx, struct perun_store *store,
		      struct commands_explanations *explanations, const char *version,
		      struct perun_stored_change *items, size_t count)
{
	if (count && !explanations->loaded)
		load(ctx, store, explanations);
	for (size_t i = 0; i < count; i++) {
		struct commands_explained *explained = perun_alloc_zero(1, sizeof *explained);

		explained->text = explain(explanations, version, &items[i]);
		explained->change = *items[i].change;
		explained->change.explanation = explained->text;
		items[i].change = &explained->change;
		PERUN_GROW(explanations->items, explanations->count, explanations->capacity);
		explanations->items[explanations->count++] = explained;
	}
}

void commands_explanations_free(struct commands_explanations *explanations)
{
	for (size_t i = 0; i < explanations->count; i++) {
		perun_free(explanations->items[i]->text);
		perun_free(explanations->items[i]);
	}
	perun_free(explanations->items);
	perun_history_free(explanations->history);
	*explanations = (struct commands_explanations){0};
}
