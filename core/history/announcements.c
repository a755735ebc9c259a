/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that commits announce in trailers of their messages. */
#include <string.h>
#include <strings.h>

#include "core/history/history.h"

#define TRAILER "Perun-Expected:"

static bool ends_name(char after)
{
	return !after || strchr(" \t\r\n", after);
}

size_t perun_metric_meant(const char *text, const char *metric)
{
	size_t length = strlen(metric), type = strcspn(metric, "(");

	if (length && strncmp(text, metric, length) == 0) {
		if (ends_name(text[length]))
			return length;
		/* The finding names the type alone, and here is a metric of it. */
		if (type == length && text[length] == '(') {
			length += strcspn(text + length, ")\r\n");
			if (text[length] == ')' && ends_name(text[length + 1]))
				return length + 1;
		}
	}
	return type && strncmp(text, metric, type) == 0 && ends_name(text[type]) ? type : 0;
}

/* The length of the metric that a trailer begins with, 0 when it names another one. */
static size_t match_metric(const char *line, const char *metric)
{
	if (strncmp(line, "any", 3) == 0 && ends_name(line[3]))
		return 3;
	return perun_metric_meant(line, metric);
}

char *perun_announced(const char *message, const char *metric)
{
	for (const char *line = message; line && *line; line = strchr(line, '\n')) {
		size_t length;

		line += *line == '\n';
		if (strncasecmp(line, TRAILER, sizeof TRAILER - 1) != 0)
			continue;
		line += sizeof TRAILER - 1;
		line += strspn(line, " \t");
		length = match_metric(line, metric);
		if (length) {
			const char *reason = line + length + strspn(line + length, " \t");
			size_t end = strcspn(reason, "\r\n");

			return end ? perun_strndup(reason, end)
				   : perun_strdup("announced by the commit");
		}
	}
	return NULL;
}

/* Note that a version came in with one of the line, the oldest that reaches it. */
static void note_parent(struct perun_announcements *list, const char *parent, size_t depth)
{
	int64_t known;

	if (!list->pending)
		list->pending = perun_json_object();
	if (!perun_json_as_int64(perun_json_get(list->pending, parent), &known) ||
	    known < (int64_t)depth)
		perun_json_set(list->pending, parent, perun_json_int64((int64_t)depth));
}

void perun_announcements_visit(struct perun_announcements *list,
			       const struct perun_minor_version *version, bool on_line)
{
	int64_t depth = (int64_t)list->line;

	if (!on_line &&
	    (!list->pending ||
	     !perun_json_as_int64(perun_json_get(list->pending, version->checksum), &depth)))
		return;
	if (list->pending)
		perun_json_remove(list->pending, version->checksum);
	list->line += on_line;
	for (size_t i = on_line; i < version->parent_count; i++)
		note_parent(list, version->parents[i], (size_t)depth);
	if (!strcasestr(version->description, TRAILER))
		return;
	PERUN_GROW(list->items, list->count, list->capacity);
	list->items[list->count++] = (struct perun_announcement){
		.depth = (size_t)depth, .message = perun_strdup(version->description)};
}

void perun_announcements_free(struct perun_announcements *list)
{
	for (size_t i = 0; i < list->count; i++)
		perun_free(list->items[i].message);
	perun_free(list->items);
	perun_json_free(list->pending);
	*list = (struct perun_announcements){0};
}
