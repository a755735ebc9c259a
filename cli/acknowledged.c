/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that are known: acknowledged in the store, or announced by a commit. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "cli/history.h"

/* So many measured versions away, a change that moved is still the one that was acknowledged. */
#define MOVED 2

int cli_known_load(struct cli *cli, struct cli_known *known)
{
	*known = (struct cli_known){0};
	if (!cli->store)
		return PERUN_OK;
	return perun_store_document(cli->ctx, cli->store, "acknowledged", &known->list);
}

void cli_known_free(struct cli_known *known)
{
	perun_json_free(known->list);
	*known = (struct cli_known){0};
}

void cli_known_name(struct perun_json *item, const struct perun_minor_version *version)
{
	char *subject = cli_subject(version->description);

	perun_json_set(item, "version", perun_json_text(version->checksum));
	if (version->authored) {
		perun_json_set(item, "email", perun_json_text(version->email));
		perun_json_set(item, "authored", perun_json_int64(version->authored));
		perun_json_set(item, "subject", perun_json_text(subject));
	}
	perun_free(subject);
}

static const char *text_of(const struct perun_json *item, const char *key)
{
	const char *text = perun_json_as_string(perun_json_get(item, key), NULL);

	return text ? text : "";
}

bool cli_known_is(const struct perun_json *item, const struct perun_minor_version *version)
{
	const char *subject = text_of(item, "subject");
	size_t length = strcspn(version->description, "\r\n");
	int64_t authored;

	if (strcmp(text_of(item, "version"), version->checksum) == 0)
		return true;
	return perun_json_as_int64(perun_json_get(item, "authored"), &authored) &&
	       authored == version->authored &&
	       strcmp(text_of(item, "email"), version->email) == 0 && strlen(subject) == length &&
	       strncmp(subject, version->description, length) == 0;
}

/* An empty pattern stands for everything. */
static bool fits(const char *pattern, const char *text)
{
	return !*pattern || strcmp(pattern, text) == 0;
}

static bool fits_metric(const char *pattern, const char *metric)
{
	return !*pattern || cli_metric_meant(pattern, metric) == strlen(pattern);
}

static bool is_about(const struct perun_json *item, const char *metric, const char *location)
{
	return fits_metric(text_of(item, "metric"), metric) &&
	       fits(text_of(item, "location"), location);
}

static char *reason_of(const struct perun_json *item)
{
	const char *reason = text_of(item, "reason");

	return perun_strdup(*reason ? reason : "acknowledged");
}

/* How many measured versions lie between the two. */
static size_t distance(const struct cli_series *series, size_t one, size_t other)
{
	size_t count = 0;

	for (; one < other; one++)
		count += !isnan(series->values[one]);
	for (; one > other; one--)
		count += !isnan(series->values[one]);
	return count;
}

/* Whether what was said of version `place` is about this change: it is the nearest one to there. */
static bool is_meant(const struct cli_strand *strand, const struct perun_change_point *point,
		     size_t place)
{
	size_t away = distance(&strand->series, place, point->index);

	for (size_t i = 0; away <= MOVED && i < strand->changes.count; i++) {
		if (distance(&strand->series, place, strand->changes.points[i].index) < away)
			return false;
	}
	return away <= MOVED;
}

/* Where the version of an acknowledgement stands, when that is near `index`; SIZE_MAX otherwise. */
static size_t place_near(const struct cli_history *history, const struct cli_series *series,
			 const struct perun_json *item, size_t index)
{
	size_t place;

	for (place = index; distance(series, place, index) <= MOVED; place--) {
		if (cli_known_is(item, history->versions[place]))
			return place;
		if (place == 0)
			break;
	}
	for (place = index + 1; place < series->count && distance(series, place, index) <= MOVED;
	     place++) {
		if (cli_known_is(item, history->versions[place]))
			return place;
	}
	return SIZE_MAX;
}

static char *known_version(const struct cli_known *known, const struct perun_minor_version *version,
			   const char *metric, const char *location)
{
	for (size_t i = 0; i < perun_json_count(known->list); i++) {
		const struct perun_json *item = perun_json_at(known->list, i);

		if (is_about(item, metric, location) && cli_known_is(item, version))
			return reason_of(item);
	}
	return NULL;
}

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct cli_between *between = data;

	PERUN_GROW(between->items, between->count, between->capacity);
	between->items[between->count++] = perun_minor_version_copy(version);
	return PERUN_OK;
}

int cli_between_load(struct cli *cli, struct perun_vcs *vcs, const char *base, const char *head,
		     struct cli_between *between)
{
	*between = (struct cli_between){.base = perun_strdup(base), .head = perun_strdup(head)};
	return perun_vcs_walk_range(cli->ctx, vcs, base, head, keep_version, between);
}

void cli_between_free(struct cli_between *between)
{
	for (size_t i = 0; i < between->count; i++)
		perun_minor_version_free(between->items[i]);
	perun_free(between->items);
	perun_free(between->base);
	perun_free(between->head);
	*between = (struct cli_between){0};
}

char *cli_known_between(const struct cli_known *known, const struct cli_between *between,
			const struct perun_change *change)
{
	const char *metric = change->metric && *change->metric ? change->metric : change->type;
	const struct perun_minor_version head = {
		.checksum = between->head, .email = "", .description = ""};
	char *reason = known_version(known, &head, metric, change->location);

	for (size_t i = 0; !reason && i < between->count; i++) {
		const struct perun_minor_version *version = between->items[i];

		reason = known_version(known, version, metric, change->location);
		if (!reason)
			reason = cli_announced(version->description, metric);
	}
	return reason;
}

/* Why a commit announced the change, which shows at the first measured version from there on. */
static char *announced_reason(const struct cli_history *history, const struct cli_strand *strand,
			      const struct perun_change_point *point)
{
	const struct cli_series *series = &strand->series;

	for (size_t i = 0; i < history->announced.count; i++) {
		const struct cli_announcement *item = &history->announced.items[i];
		size_t place = history->count - 1 - item->depth;
		char *reason;

		while (place < series->count && isnan(series->values[place]))
			place++;
		if (place >= series->count || !is_meant(strand, point, place))
			continue;
		reason = cli_announced(item->message, series->metric);
		if (reason)
			return reason;
	}
	return NULL;
}

char *cli_known_reason(const struct cli_known *known, const struct cli_history *history,
		       const struct cli_strand *strand, const struct perun_change_point *point)
{
	const struct cli_series *series = &strand->series;

	for (size_t i = 0; i < perun_json_count(known->list); i++) {
		const struct perun_json *item = perun_json_at(known->list, i);
		size_t place;

		if (!is_about(item, series->metric, strand->location))
			continue;
		place = place_near(history, series, item, point->index);
		if (place != SIZE_MAX && is_meant(strand, point, place))
			return reason_of(item);
	}
	return announced_reason(history, strand, point);
}
