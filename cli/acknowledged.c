/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that are known: acknowledged in the store, or announced by a commit's trailer. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <strings.h>

#include <perun/json.h>

#include "cli/history.h"

/* So many measured versions away, a change that moved is still the one that was acknowledged. */
#define MOVED   2
#define TRAILER "Perun-Expected:"

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

static const char *text_of(const struct perun_json *item, const char *key)
{
	const char *text = perun_json_as_string(perun_json_get(item, key), NULL);

	return text ? text : "";
}

/* An empty pattern stands for everything. */
static bool fits(const char *pattern, const char *text)
{
	return !*pattern || strcmp(pattern, text) == 0;
}

/* Whether the version stands near the change, counted in measured versions. */
static bool is_near(const struct cli_series *series, const char *version, size_t index)
{
	size_t from = index, to = index, left;

	for (left = MOVED; from > 0 && left > 0; left -= !isnan(series->values[from]))
		from--;
	for (left = MOVED; to + 1 < series->count && left > 0; left -= !isnan(series->values[to]))
		to++;
	for (size_t i = from; i <= to && i < series->count; i++) {
		if (strcmp(series->labels[i], version) == 0)
			return true;
	}
	return false;
}

/* The rest of a trailer's line when it announces a change of the metric; the caller's. */
char *cli_announced(const char *message, const char *metric)
{
	for (const char *line = message; line && *line; line = strchr(line, '\n')) {
		size_t length;

		line += *line == '\n';
		if (strncasecmp(line, TRAILER, sizeof TRAILER - 1) != 0)
			continue;
		line += sizeof TRAILER - 1;
		line += strspn(line, " \t");
		length = strcspn(line, " \t\n");
		if ((length == strlen(metric) && strncmp(line, metric, length) == 0) ||
		    (length == 3 && strncmp(line, "any", 3) == 0)) {
			const char *reason = line + length + strspn(line + length, " \t");
			size_t end = strcspn(reason, "\n");

			return end ? perun_strndup(reason, end)
				   : perun_strdup("announced by the commit");
		}
	}
	return NULL;
}

char *cli_known_version(const struct cli_known *known, const char *version, const char *metric,
			const char *location)
{
	for (size_t i = 0; i < perun_json_count(known->list); i++) {
		const struct perun_json *item = perun_json_at(known->list, i);
		const char *reason = text_of(item, "reason");

		if (fits(text_of(item, "metric"), metric) &&
		    fits(text_of(item, "location"), location) &&
		    strcmp(text_of(item, "version"), version) == 0)
			return perun_strdup(*reason ? reason : "acknowledged");
	}
	return NULL;
}

char *cli_known_reason(const struct cli_known *known, const struct cli_history *history,
		       const struct cli_strand *strand, const struct perun_change_point *point)
{
	const struct cli_series *series = &strand->series;
	size_t before = point->index;

	for (size_t i = 0; i < perun_json_count(known->list); i++) {
		const struct perun_json *item = perun_json_at(known->list, i);

		if (fits(text_of(item, "metric"), series->metric) &&
		    fits(text_of(item, "location"), strand->location) &&
		    is_near(series, text_of(item, "version"), point->index)) {
			const char *reason = text_of(item, "reason");

			return perun_strdup(*reason ? reason : "acknowledged");
		}
	}
	/* The commits behind the last measurement of the old level. */
	while (before > 0 && isnan(series->values[before - 1]))
		before--;
	for (size_t i = before; i <= point->index && i < history->count; i++) {
		char *reason =
			cli_announced(history->versions[i]->version.description, series->metric);

		if (reason)
			return reason;
	}
	return NULL;
}
