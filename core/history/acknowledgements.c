/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that are known: acknowledged in the store, or announced by a commit. */
#include <math.h>
#include <string.h>

#include <perun/lib/lookup.h>

#include "core/history/history.h"

/* Up to that many measured versions away, a change that moved is still the one that was acknowledged. */
#define MOVED 2

struct perun_acknowledgements {
	struct perun_json *list; /* of {"version", "metric", "location", "reason", "time", ...} */
};

int perun_acknowledgements_load(struct perun_ctx *ctx, struct perun_store *store,
				struct perun_acknowledgements **result)
{
	struct perun_acknowledgements *acknowledgements =
		perun_alloc_zero(1, sizeof *acknowledgements);
	int status = store ? perun_store_document(ctx, store, PERUN_ACKNOWLEDGED,
						  &acknowledgements->list)
			   : PERUN_OK;

	*result = acknowledgements;
	if (status) {
		perun_acknowledgements_free(acknowledgements);
		*result = NULL;
	}
	return status;
}

void perun_acknowledgements_free(struct perun_acknowledgements *acknowledgements)
{
	if (!acknowledgements)
		return;
	perun_json_free(acknowledgements->list);
	perun_free(acknowledgements);
}

static char *subject_of(const char *description)
{
	return perun_strndup(description, strcspn(description, "\r\n"));
}

void perun_acknowledgement_name(struct perun_json *item, const struct perun_minor_version *version)
{
	char *subject = subject_of(version->description);

	perun_json_set(item, "version", perun_json_text(version->checksum));
	if (version->authored) {
		perun_json_set(item, "email", perun_json_text(version->email));
		perun_json_set(item, "authored", perun_json_int64(version->authored));
		perun_json_set(item, "subject", perun_json_text(subject));
	}
	perun_free(subject);
}

bool perun_acknowledgement_is(const struct perun_json *item,
			      const struct perun_minor_version *version)
{
	const char *subject = perun_json_get_text(item, "subject");
	size_t length = strcspn(version->description, "\r\n");
	int64_t authored;

	if (strcmp(perun_json_get_text(item, "version"), version->checksum) == 0)
		return true;
	return perun_json_as_int64(perun_json_get(item, "authored"), &authored) &&
	       authored == version->authored &&
	       strcmp(perun_json_get_text(item, "email"), version->email) == 0 &&
	       strlen(subject) == length && strncmp(subject, version->description, length) == 0;
}

/* An empty pattern represents everything. */
static bool fits(const char *pattern, const char *text)
{
	return !*pattern || strcmp(pattern, text) == 0;
}

static bool fits_metric(const char *pattern, const char *metric)
{
	return !*pattern || perun_metric_meant(pattern, metric) == strlen(pattern);
}

static bool is_about(const struct perun_json *item, const char *metric, const char *location)
{
	return fits_metric(perun_json_get_text(item, "metric"), metric) &&
	       fits(perun_json_get_text(item, "location"), location);
}

static char *reason_of(const struct perun_json *item)
{
	const char *reason = perun_json_get_text(item, "reason");

	return perun_strdup(*reason ? reason : "acknowledged");
}

/* How many measured versions lie between the two. */
static size_t distance(const struct perun_strand *strand, size_t one, size_t other)
{
	size_t count = 0;

	for (; one < other; one++)
		count += !isnan(strand->values[one]);
	for (; one > other; one--)
		count += !isnan(strand->values[one]);
	return count;
}

/* What is counted, and the same each time, does not move. */
static size_t moves_of(const struct perun_strand *strand)
{
	return perun_strand_is_certain(strand) ? 0 : MOVED;
}

/* Whether what was said of version `place` is about this change: it is the nearest one to there. */
static bool is_meant(const struct perun_strand *strand, const struct perun_change_point *point,
		     size_t place)
{
	size_t away = distance(strand, place, point->index), moves = moves_of(strand);

	for (size_t i = 0; away <= moves && i < strand->changes->count; i++) {
		if (distance(strand, place, strand->changes->points[i].index) < away)
			return false;
	}
	return away <= moves;
}

/* Where the version of an acknowledgement is, when that is near `index`; SIZE_MAX otherwise. */
static size_t place_near(const struct perun_version_line *line, const struct perun_strand *strand,
			 const struct perun_json *item, size_t index)
{
	size_t place, moves = moves_of(strand);

	for (place = index; distance(strand, place, index) <= moves; place--) {
		if (perun_acknowledgement_is(item, line->versions[place]))
			return place;
		if (place == 0)
			break;
	}
	for (place = index + 1; place < strand->count && distance(strand, place, index) <= moves;
	     place++) {
		if (perun_acknowledgement_is(item, line->versions[place]))
			return place;
	}
	return SIZE_MAX;
}

static char *known_version(const struct perun_acknowledgements *acknowledgements,
			   const struct perun_minor_version *version, const char *metric,
			   const char *location)
{
	for (size_t i = 0; i < perun_json_count(acknowledgements->list); i++) {
		const struct perun_json *item = perun_json_at(acknowledgements->list, i);

		if (is_about(item, metric, location) && perun_acknowledgement_is(item, version))
			return reason_of(item);
	}
	return NULL;
}

struct perun_between {
	char *base, *head;
	struct perun_minor_version **items;
	size_t count, capacity;
};

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct perun_between *between = data;

	PERUN_GROW(between->items, between->count, between->capacity);
	between->items[between->count++] = perun_minor_version_copy(version);
	return PERUN_OK;
}

int perun_between_load(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *base,
		       const char *head, struct perun_between **result)
{
	struct perun_between *between = perun_alloc_zero(1, sizeof *between);
	int status;

	between->base = perun_strdup(base);
	between->head = perun_strdup(head);
	status = perun_vcs_walk_range(ctx, vcs, base, head, keep_version, between);
	*result = between;
	if (status) {
		perun_between_free(between);
		*result = NULL;
	}
	return status;
}

void perun_between_free(struct perun_between *between)
{
	if (!between)
		return;
	for (size_t i = 0; i < between->count; i++)
		perun_minor_version_free(between->items[i]);
	perun_free(between->items);
	perun_free(between->base);
	perun_free(between->head);
	perun_free(between);
}

bool perun_between_is(const struct perun_between *between, const char *base, const char *head)
{
	return between && strcmp(between->base, base) == 0 && strcmp(between->head, head) == 0;
}

size_t perun_between_count(const struct perun_between *between)
{
	return between->count;
}

const struct perun_minor_version *perun_between_at(const struct perun_between *between, size_t i)
{
	return i < between->count ? between->items[i] : NULL;
}

char *perun_acknowledged_between(const struct perun_acknowledgements *acknowledgements,
				 const struct perun_between *between,
				 const struct perun_change *change)
{
	const char *metric = change->metric && *change->metric ? change->metric : change->type;
	const struct perun_minor_version head = {
		.checksum = between->head, .email = "", .description = ""};
	char *reason = known_version(acknowledgements, &head, metric, change->location);

	for (size_t i = 0; !reason && i < between->count; i++) {
		const struct perun_minor_version *version = between->items[i];

		reason = known_version(acknowledgements, version, metric, change->location);
		if (!reason)
			reason = perun_announced(version->description, metric);
	}
	return reason;
}

/* Why a commit announced the change, which shows at the first measured version from there on. */
static char *announced_reason(const struct perun_version_line *line,
			      const struct perun_strand *strand,
			      const struct perun_change_point *point)
{
	for (size_t i = 0; i < line->announced.count; i++) {
		const struct perun_announcement *item = &line->announced.items[i];
		size_t place = line->count - 1 - item->depth;
		char *reason;

		while (place < strand->count && isnan(strand->values[place]))
			place++;
		if (place >= strand->count || !is_meant(strand, point, place))
			continue;
		reason = perun_announced(item->message, strand->metric);
		if (reason)
			return reason;
	}
	return NULL;
}

char *perun_acknowledged_change(const struct perun_acknowledgements *acknowledgements,
				const struct perun_version_line *line,
				const struct perun_strand *strand,
				const struct perun_change_point *point)
{
	for (size_t i = 0; i < perun_json_count(acknowledgements->list); i++) {
		const struct perun_json *item = perun_json_at(acknowledgements->list, i);
		size_t place;

		if (!is_about(item, strand->metric, strand->location))
			continue;
		place = place_near(line, strand, item, point->index);
		if (place != SIZE_MAX && is_meant(strand, point, place))
			return reason_of(item);
	}
	return announced_reason(line, strand, point);
}
