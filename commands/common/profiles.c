/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of profiles, registered or pending. */
#include <config.h>

#include <stdio.h>
#include <time.h>

#include "commands/common/columns.h"
#include "commands/common/profiles.h"

static const struct commands_column columns[] = {{.name = "id"},
						 {.name = "type"},
						 {.name = "collector"},
						 {.name = "program", .cut = true},
						 {.name = "measured"},
						 {.name = "name", .cut = true},
						 {0}};

static void add_program(struct commands_columns *list, const struct perun_entry *entry)
{
	const char *const words[] = {entry->cmd, entry->args, entry->workload};
	struct perun_buffer text = {0};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (words[i] && *words[i])
			perun_buffer_printf(&text, "%s%s", text.length ? " " : "", words[i]);
	}
	commands_columns_add(list, text.data, VIEWS_PLAIN);
	perun_buffer_free(&text);
}

void commands_format_time(int64_t seconds, char text[32])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!localtime_r(&time, &parts) || !strftime(text, 32, "%Y-%m-%d %H:%M:%S", &parts))
		snprintf(text, 32, "%lld", (long long)seconds);
}

void commands_add_profiles(const struct commands_screen *screen,
			   const struct perun_entries *entries, char kind,
			   struct perun_buffer *text)
{
	struct commands_columns *list = commands_columns_new(columns);
	char tag[32], time[32];

	for (size_t i = 0; i < entries->count; i++) {
		const struct perun_entry *entry = perun_entries_at(entries, i);

		snprintf(tag, sizeof tag, "%zu@%c", i, kind);
		commands_columns_add(list, tag, kind == 'p' ? VIEWS_RED : VIEWS_GREEN);
		commands_columns_add(list, entry->type, VIEWS_PLAIN);
		commands_columns_add(list, entry->collector, VIEWS_PLAIN);
		add_program(list, entry);
		commands_format_time(entry->time, time);
		commands_columns_add(list, time, VIEWS_PLAIN);
		commands_columns_add(list, entry->path, VIEWS_PLAIN);
	}
	commands_columns_print(list, screen, 2, text);
	commands_columns_free(list);
}
