/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found before: changes that moved or vanished since. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "cli/history.h"

/* A change that is so many measured versions away from where one was is the same. */
#define MOVED 10

static bool says(const struct perun_json *item, const char *key, const char *text)
{
	const char *other = perun_json_as_string(perun_json_get(item, key), NULL);

	return strcmp(other ? other : "", text) == 0;
}

static bool is_of(const struct perun_json *item, const struct cli_strand *strand)
{
	return says(item, "metric", strand->series.metric) &&
	       says(item, "location", strand->location) && says(item, "command", strand->command);
}

/* Where the version under `key` stands in the series; SIZE_MAX = not among those that were looked at. */
static size_t place_of(const struct cli_series *series, const struct perun_json *item,
		       const char *key)
{
	for (size_t i = 0; i < series->count; i++) {
		if (says(item, key, series->labels[i]))
			return i;
	}
	return SIZE_MAX;
}

/*
 * Where a change was found, when all versions are looked at that it was found among: fewer may well not show
 * it. SIZE_MAX otherwise, and at the beginning, where there is nothing to compare.
 */
static size_t judged_place(const struct cli_series *series, const struct perun_json *item)
{
	size_t place = place_of(series, item, "version");

	if (place == 0 ||
	    (perun_json_get(item, "from") && place_of(series, item, "from") == SIZE_MAX) ||
	    (perun_json_get(item, "to") && place_of(series, item, "to") == SIZE_MAX))
		return SIZE_MAX;
	return place;
}

static size_t measured_between(const struct cli_series *series, size_t one, size_t other)
{
	size_t count = 0;

	for (size_t i = one < other ? one : other; i < (one < other ? other : one); i++)
		count += !isnan(series->values[i]);
	return count;
}

static bool is_point(const struct cli_strand *strand, size_t index)
{
	for (size_t i = 0; i < strand->changes.count; i++) {
		if (strand->changes.points[i].index == index)
			return true;
	}
	return false;
}

/* The nearest change that was not found before, to which one at `from` may have moved. */
static size_t moved_to(const struct cli_strand *strand, const struct cli_past *past, size_t from)
{
	size_t best = SIZE_MAX, least = MOVED + 1;

	for (size_t i = 0; i < strand->changes.count; i++) {
		size_t index = strand->changes.points[i].index;
		size_t away = measured_between(&strand->series, from, index);

		if (!past->known[i] && !past->moved_from[i] && away < least) {
			least = away;
			best = i;
		}
	}
	return best;
}

void cli_past_find(const struct perun_json *list, const struct cli_strand *strand,
		   struct cli_past *past)
{
	size_t count = strand->changes.count;

	*past = (struct cli_past){.known = perun_alloc_zero(count + 1, sizeof *past->known),
				  .moved_from =
					  perun_alloc_zero(count + 1, sizeof *past->moved_from)};
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		size_t place =
			is_of(item, strand) ? place_of(&strand->series, item, "version") : SIZE_MAX;

		for (size_t j = 0; place != SIZE_MAX && j < count; j++)
			past->known[j] |= strand->changes.points[j].index == place;
	}
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		size_t place = is_of(item, strand) ? judged_place(&strand->series, item) : SIZE_MAX;
		size_t to;
		const char *version;

		if (place == SIZE_MAX || is_point(strand, place))
			continue;
		version = strand->series.labels[place];
		to = moved_to(strand, past, place);
		if (to != SIZE_MAX) {
			past->moved_from[to] = version;
			continue;
		}
		PERUN_GROW(past->vanished, past->vanished_count, past->vanished_capacity);
		past->vanished[past->vanished_count++] = version;
	}
}

void cli_past_free(struct cli_past *past)
{
	perun_free(past->known);
	perun_free(past->moved_from);
	perun_free(past->vanished);
	*past = (struct cli_past){0};
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Found again, or judged anew. */
static bool is_settled(const struct cli_strand *strand, const struct perun_json *item)
{
	size_t place = place_of(&strand->series, item, "version");

	return place != SIZE_MAX && place > 0 &&
	       (is_point(strand, place) || judged_place(&strand->series, item) != SIZE_MAX);
}

static void add_found(struct perun_json *list, const struct cli_strand *strand, size_t index)
{
	const struct cli_series *series = &strand->series;
	struct perun_json *item = perun_json_object();

	perun_json_set(item, "version", perun_json_text(series->labels[index]));
	perun_json_set(item, "metric", perun_json_text(series->metric));
	perun_json_set(item, "location", perun_json_text(strand->location));
	perun_json_set(item, "command", perun_json_text(strand->command));
	perun_json_set(item, "from", perun_json_text(series->labels[0]));
	perun_json_set(item, "to", perun_json_text(series->labels[series->count - 1]));
	perun_json_append(list, item);
}

static int keep_found(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	const struct cli_history *history = data;

	(void)ctx;
	for (size_t s = 0; s < history->strand_count; s++) {
		const struct cli_strand *strand = &history->strands[s];

		for (size_t i = perun_json_count(list); i-- > 0;) {
			const struct perun_json *item = perun_json_at(list, i);

			if (is_of(item, strand) && is_settled(strand, item))
				perun_json_remove_at(list, i);
		}
		for (size_t i = 0; i < strand->changes.count; i++)
			add_found(list, strand, strand->changes.points[i].index);
	}
	return PERUN_OK;
}

void cli_past_keep(struct cli *cli, const struct perun_json *list,
		   const struct cli_history *history)
{
	struct perun_json *now = perun_json_clone(list);

	keep_found((void *)history, cli->ctx, now);
	/* A store that cannot be written to is no reason to fail. */
	if (!perun_json_equal(list, now) &&
	    perun_store_edit_document(cli->ctx, cli->store, "found", keep_found, (void *)history)) {
		perun_warn(cli->ctx, "what was found is not kept: %s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
	}
	perun_json_free(now);
}
