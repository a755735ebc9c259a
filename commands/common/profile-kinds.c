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

struct counted {
	struct counted_kind {
		const char *name;
		size_t count;
	} * items; /* each type once, in the order of its first profile */
	size_t count, capacity;
};

static void count_kinds(const struct perun_entries *entries, struct counted *counted)
{
	for (size_t i = 0; i < entries->count; i++) {
		const char *type = perun_entries_at(entries, i)->type;
		size_t at = 0;

		while (at < counted->count && strcmp(counted->items[at].name, type) != 0)
			at++;
		if (at == counted->count) {
			PERUN_GROW(counted->items, counted->count, counted->capacity);
			counted->items[counted->count++] = (struct counted_kind){type, 0};
		}
		counted->items[at].count++;
	}
}

static void add_kind(size_t count, const char *name, const char *color, struct perun_buffer *text)
{
	char *safe = perun_printable(*name ? name : "untyped");

	perun_buffer_printf(text, "%s%s%zu %s%s", text->length ? ", " : "", color ? color : "",
			    count, safe, color ? "\033[0m" : "");
	perun_free(safe);
}

/* The colour of a type that comes first, else NULL. */
static const char *color_of(const char *type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(type, kinds[i].name) == 0)
			return kinds[i].color;
	return NULL;
}

void commands_add_kinds(const struct perun_entries *entries, bool color, struct perun_buffer *text)
{
	struct perun_buffer list = {0};
	struct counted counted = {0};

	count_kinds(entries, &counted);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (size_t k = 0; k < counted.count; k++)
			if (strcmp(counted.items[k].name, kinds[i].name) == 0)
				add_kind(counted.items[k].count, kinds[i].name,
					 color ? kinds[i].color : NULL, &list);
	for (size_t k = 0; k < counted.count; k++)
		if (!color_of(counted.items[k].name))
			add_kind(counted.items[k].count, counted.items[k].name,
				 color ? OTHER : NULL, &list);
	perun_buffer_add(text, list.data ? list.data : "", list.length);
	perun_buffer_free(&list);
	perun_free(counted.items);
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
