/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of profiles, registered or pending. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands/common/columns.h"
#include "commands/common/profiles.h"

static const struct commands_column columns[] = {{.name = "id"},
						 {.name = "type"},
						 {.name = "collector"},
						 {.name = "program", .cut = true},
						 {.name = "measured"},
						 {.name = "name", .cut = true, .cut_first = true},
						 {0}};

static const struct commands_column columns_with_labels[] = {
	{.name = "id"},
	{.name = "type"},
	{.name = "collector"},
	{.name = "program", .cut = true},
	{.name = "labels", .cut = true},
	{.name = "measured"},
	{.name = "name", .cut = true, .cut_first = true},
	{0}};

/* What follows the last slash of the first word; arguments that are paths stay whole. */
static const char *without_directories(const char *text, bool one_word)
{
	size_t length = one_word ? strlen(text) : strcspn(text, " ");

	for (size_t i = length; i > 0; i--)
		if (text[i - 1] == '/')
			return i < length ? text + i : text;
	return text;
}

/* What was run: as it was given, or without the directories of the program and of the workload. */
static char *program_of(const struct perun_entry *entry, bool brief)
{
	const char *const words[] = {entry->cmd, entry->args, entry->workload};
	struct perun_buffer text = {0};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *word = brief && words[i] && i != 1
					   ? without_directories(words[i], i == 2)
					   : words[i];

		if (word && *word)
			perun_buffer_printf(&text, "%s%s", text.length ? " " : "", word);
	}
	return perun_buffer_take(&text);
}

struct program {
	char *brief, *whole;
};

static int by_brief(const void *one, const void *other)
{
	return strcmp(((const struct program *)one)->brief, ((const struct program *)other)->brief);
}

/* Whether directories distinguish some of what was run. */
static bool need_directories(const struct perun_entries *entries)
{
	struct program *programs = perun_alloc((entries->count + 1) * sizeof *programs);
	bool needed = false;

	for (size_t i = 0; i < entries->count; i++) {
		const struct perun_entry *entry = perun_entries_at(entries, i);

		programs[i] = (struct program){program_of(entry, true), program_of(entry, false)};
	}
	qsort(programs, entries->count, sizeof *programs, by_brief);
	for (size_t i = 1; i < entries->count && !needed; i++)
		needed = strcmp(programs[i].brief, programs[i - 1].brief) == 0 &&
			 strcmp(programs[i].whole, programs[i - 1].whole) != 0;
	for (size_t i = 0; i < entries->count; i++) {
		perun_free(programs[i].brief);
		perun_free(programs[i].whole);
	}
	perun_free(programs);
	return needed;
}

void commands_format_time(int64_t seconds, char text[32])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!localtime_r(&time, &parts) || !strftime(text, 32, "%Y-%m-%d %H:%M:%S", &parts))
		snprintf(text, 32, "%lld", (long long)seconds);
}

char *commands_labels(const struct perun_entry *entry)
{
	char *text = perun_strdup(entry->labels ? entry->labels : "");

	for (char *at = text; (at = strchr(at, '\n'));)
		*at = ' ';
	return text;
}

struct listing {
	const struct perun_entries *entries;
	char kind;
	bool labelled, brief;
};

static void add_profile(const struct listing *listing, size_t i, struct commands_columns *list)
{
	const struct perun_entry *entry = perun_entries_at(listing->entries, i);
	char *program = program_of(entry, listing->brief), tag[32], time[32];

	snprintf(tag, sizeof tag, "%zu@%c", i, listing->kind);
	commands_columns_add(list, tag, listing->kind == 'p' ? VIEWS_RED : VIEWS_GREEN);
	commands_columns_add(list, entry->type, VIEWS_PLAIN);
	commands_columns_add(list, entry->collector, VIEWS_PLAIN);
	commands_columns_add(list, program, VIEWS_PLAIN);
	if (listing->labelled) {
		char *labels = commands_labels(entry);

		commands_columns_add(list, labels, VIEWS_PLAIN);
		perun_free(labels);
	}
	commands_format_time(entry->time, time);
	commands_columns_add(list, time, VIEWS_PLAIN);
	commands_columns_add(list, entry->path, VIEWS_PLAIN);
	perun_free(program);
}

static bool have_labels(const struct perun_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		if (*perun_entries_at(entries, i)->labels)
			return true;
	return false;
}

void commands_add_profiles(const struct commands_screen *screen,
			   const struct perun_entries *entries, char kind,
			   struct perun_buffer *text)
{
	const bool labelled = have_labels(entries);
	const struct listing listing = {.entries = entries,
					.kind = kind,
					.labelled = labelled,
					.brief = !need_directories(entries)};
	struct commands_columns *list =
		commands_columns_new(labelled ? columns_with_labels : columns);

	for (size_t i = 0; i < entries->count; i++)
		add_profile(&listing, i, list);
	commands_columns_print(list, screen, 2, text);
	commands_columns_free(list);
}

void commands_note_pending(struct perun_ctx *ctx, struct perun_store *store)
{
	struct perun_entries pending = {0};
	size_t count = 0;

	if (store && perun_store_pending(ctx, store, &pending) == PERUN_OK)
		count = pending.count;
	if (count)
		perun_note(ctx, "%zu pending profile%s, %s (0@p)%s: perun add registers %s", count,
			   count == 1 ? " is not compared" : "s are not compared",
			   perun_entries_at(&pending, 0)->path, count == 1 ? "" : " and others",
			   count == 1 ? "it" : "them");
	perun_entries_free(&pending);
}
