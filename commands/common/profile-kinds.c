/* SPDX-License-Identifier: BSD-3-Clause */
/* What many profiles have, in few words: their types and their labels. */
#include <config.h>

#include <string.h>

#include "commands/common/profiles.h"

/* The types that the Python program counts, in its order and colours; others follow by name. */
static const struct kind {
	const char *name, *color;
} kinds[] = {{"memory", "\033[36m"}, {"mixed", "\033[35m"}, {"time", "\033[34m"}};
#define OTHER "\033[33m"

static size_t count_of(const struct perun_entries *entries, const char *type, size_t from)
{
	size_t count = 0;

	for (size_t i = from; i < entries->count; i++)
		count += strcmp(perun_entries_at(entries, i)->type, type) == 0;
	return count;
}

static void add_kind(size_t count, const char *name, const char *color, struct perun_buffer *text)
{
	char *safe = perun_printable(*name ? name : "untyped");

	if (count)
		perun_buffer_printf(text, "%s%s%zu %s%s", text->length ? ", " : "",
				    color ? color : "", count, safe, color ? "\033[0m" : "");
	perun_free(safe);
}

/* Whether it is counted already: as one of the above, or from an earlier profile on. */
static bool is_counted(const struct perun_entries *entries, size_t at)
{
	const char *type = perun_entries_at(entries, at)->type;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(type, kinds[i].name) == 0)
			return true;
	for (size_t i = 0; i < at; i++)
		if (strcmp(type, perun_entries_at(entries, i)->type) == 0)
			return true;
	return false;
}

void commands_add_kinds(const struct perun_entries *entries, bool color, struct perun_buffer *text)
{
	struct perun_buffer list = {0};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		add_kind(count_of(entries, kinds[i].name, 0), kinds[i].name,
			 color ? kinds[i].color : NULL, &list);
	for (size_t i = 0; i < entries->count; i++) {
		const char *type = perun_entries_at(entries, i)->type;

		if (!is_counted(entries, i))
			add_kind(count_of(entries, type, i), type, color ? OTHER : NULL, &list);
	}
	perun_buffer_add(text, list.data ? list.data : "", list.length);
	perun_buffer_free(&list);
}

static bool is_listed(const struct perun_buffer *lines, const char *line, size_t length)
{
	const char *at = lines->data;

	while (at && *at) {
		size_t size = strcspn(at, "\n");

		if (size == length && memcmp(at, line, length) == 0)
			return true;
		at += size + (at[size] == '\n');
	}
	return false;
}

void commands_list_labels(const struct perun_entries *entries, struct perun_buffer *text)
{
	struct perun_buffer lines = {0};

	for (size_t i = 0; i < entries->count; i++) {
		const char *at = perun_entries_at(entries, i)->labels;

		while (at && *at) {
			size_t size = strcspn(at, "\n");

			if (!is_listed(&lines, at, size)) {
				perun_buffer_add(&lines, at, size);
				perun_buffer_add_char(&lines, '\n');
			}
			at += size + (at[size] == '\n');
		}
	}
	for (size_t i = 0; i + 1 < lines.length; i++)
		perun_buffer_add_char(text, lines.data[i] == '\n' ? ' ' : lines.data[i]);
	perun_buffer_free(&lines);
}
