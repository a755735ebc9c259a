/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found before: changes that moved or vanished since. */
#include <math.h>
#include <string.h>

#include "core/history/history.h"

/* A change up to that many measured versions away from where one was is the same. */
#define MOVED 10

static bool says(const struct perun_json *item, const char *key, const char *text)
{
	const char *other = perun_json_as_string(perun_json_get(item, key), NULL);

	return strcmp(other ? other : "", text) == 0;
}

static bool is_of(const struct perun_json *item, const struct perun_strand *strand)
{
	return says(item, "metric", strand->metric) && says(item, "location", strand->location) &&
	       says(item, "command", strand->command);
}

/* Where the version under `key` is in the series; SIZE_MAX = not among those that were looked at. */
static size_t place_of(const struct perun_strand *strand, const struct perun_json *item,
		       const char *key)
{
	for (size_t i = 0; i < strand->count; i++) {
		if (says(item, key, strand->labels[i]))
			return i;
	}
	return SIZE_MAX;
}

/*
 * Where a change was found, when all versions are looked at that it was found among: fewer may well not show
 * it. SIZE_MAX otherwise, and at the beginning, where there is nothing to compare.
 */
static size_t judged_place(const struct perun_strand *strand, const struct perun_json *item)
{
	size_t place = place_of(strand, item, "version");

	if (place == 0 ||
	    (perun_json_get(item, "from") && place_of(strand, item, "from") == SIZE_MAX) ||
	    (perun_json_get(item, "to") && place_of(strand, item, "to") == SIZE_MAX))
		return SIZE_MAX;
	return place;
}

static size_t measured_between(const struct perun_strand *strand, size_t one, size_t other)
{
	size_t count = 0;

	for (size_t i = one < other ? one : other; i < (one < other ? other : one); i++)
		count += !isnan(strand->values[i]);
	return count;
}

static bool is_point(const struct perun_strand *strand, size_t index)
{
	for (size_t i = 0; i < strand->changes->count; i++) {
		if (strand->changes->points[i].index == index)
			return true;
	}
	return false;
}

/* The nearest change that was not found before, to which one at `from` may have moved. */
static size_t moved_to(const struct perun_strand *strand, const struct perun_earlier *earlier,
		       size_t from)
{
	size_t best = SIZE_MAX, least = MOVED + 1;

	for (size_t i = 0; i < strand->changes->count; i++) {
		size_t index = strand->changes->points[i].index;
		size_t away = measured_between(strand, from, index);

		if (!earlier->known[i] && !earlier->moved_from[i] && away < least) {
			least = away;
			best = i;
		}
	}
	return best;
}

void perun_earlier_find(const struct perun_json *list, const struct perun_strand *strand,
			struct perun_earlier *earlier)
{
	size_t count = strand->changes->count;

	*earlier = (struct perun_earlier){
		.known = perun_alloc_zero(count + 1, sizeof *earlier->known),
		.moved_from = perun_alloc_zero(count + 1, sizeof *earlier->moved_from)};
	earlier->struct_size = sizeof *earlier;
	earlier->vanished = perun_alloc_zero(perun_json_count(list) + 1, sizeof *earlier->vanished);
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		size_t place = is_of(item, strand) ? place_of(strand, item, "version") : SIZE_MAX;

		for (size_t j = 0; place != SIZE_MAX && j < count; j++)
			earlier->known[j] |= strand->changes->points[j].index == place;
	}
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		size_t place = is_of(item, strand) ? judged_place(strand, item) : SIZE_MAX;
		size_t to;
		const char *version;

		if (place == SIZE_MAX || is_point(strand, place))
			continue;
		version = strand->labels[place];
		to = moved_to(strand, earlier, place);
		if (to != SIZE_MAX) {
			earlier->moved_from[to] = version;
			continue;
		}
		earlier->vanished[earlier->vanished_count++] = version;
	}
}

void perun_earlier_free(struct perun_earlier *earlier)
{
	perun_free(earlier->known);
	perun_free(earlier->moved_from);
	perun_free(earlier->vanished);
	*earlier = (struct perun_earlier){0};
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Found again, or judged again. */
static bool is_settled(const struct perun_strand *strand, const struct perun_json *item)
{
	size_t place = place_of(strand, item, "version");

	return place != SIZE_MAX && place > 0 &&
	       (is_point(strand, place) || judged_place(strand, item) != SIZE_MAX);
}

static void add_found(struct perun_json *list, const struct perun_strand *strand, size_t index)
{
	struct perun_json *item = perun_json_object();

	perun_json_set(item, "version", perun_json_text(strand->labels[index]));
	perun_json_set(item, "metric", perun_json_text(strand->metric));
	perun_json_set(item, "location", perun_json_text(strand->location));
	perun_json_set(item, "command", perun_json_text(strand->command));
	perun_json_set(item, "from", perun_json_text(strand->labels[0]));
	perun_json_set(item, "to", perun_json_text(strand->labels[strand->count - 1]));
	perun_json_append(list, item);
}

static int keep_found(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	const struct perun_history *history = data;

	(void)ctx;
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		for (size_t i = perun_json_count(list); i-- > 0;) {
			const struct perun_json *item = perun_json_at(list, i);

			if (is_of(item, strand) && is_settled(strand, item))
				perun_json_remove_at(list, i);
		}
		for (size_t i = 0; i < strand->changes->count; i++)
			add_found(list, strand, strand->changes->points[i].index);
	}
	return PERUN_OK;
}

int perun_earlier_keep(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_json *list, const struct perun_history *history)
{
	struct perun_json *now = perun_json_clone(list);
	int status = PERUN_OK;

	keep_found((void *)history, ctx, now);
	if (!perun_json_equal(list, now))
		status = perun_store_edit_document(ctx, store, PERUN_FOUND, keep_found,
						   (void *)history);
	perun_json_free(now);
	return status;
}
