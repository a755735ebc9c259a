/* SPDX-License-Identifier: BSD-3-Clause */
/* Minor versions as texts, and counts of their profiles. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/print/listing.h"
#include "commands/common/profiles.h"

void cli_print_version_head(const struct perun_minor_version *version)
{
	char time[32];

	commands_format_time(version->date, time);
	fputs("Author: ", stdout);
	cli_print_safe(version->author);
	fputs(" <", stdout);
	cli_print_safe(version->email);
	printf("> %s\n", time);
	for (size_t i = 0; i < version->parent_count; i++)
		printf("Parent: %s\n", version->parents[i]);
}

void cli_print_message(const char *message, size_t length, const char *indent)
{
	for (size_t i = 0, columns; i <= length; i += columns + 1) {
		char *line;

		columns = strcspn(message + i, "\n");
		line = perun_strndup(message + i, columns);
		if (*line)
			fputs(indent, stdout);
		cli_print_safe(line);
		putchar('\n');
		perun_free(line);
	}
}

struct cli_counts cli_count(const struct perun_entries *entries)
{
	struct cli_counts counts = {.all = entries->count};

	for (size_t i = 0; i < entries->count; i++) {
		const char *type = perun_entries_at(entries, i)->type;

		if (strcmp(type, "memory") == 0)
			counts.types[CLI_MEMORY]++;
		else if (strcmp(type, "mixed") == 0)
			counts.types[CLI_MIXED]++;
		else if (strcmp(type, "time") == 0)
			counts.types[CLI_TIME]++;
		else
			counts.types[CLI_OTHER]++;
	}
	return counts;
}

/* `cli` NULL: without colours. */
static void add_counts(const struct cli *cli, const struct cli_counts *counts,
		       struct perun_buffer *text)
{
	static const char *const names[] = {"memory", "mixed", "time", "other"};
	static const enum cli_color colors[] = {CLI_CYAN, CLI_MAGENTA, CLI_BLUE, CLI_YELLOW};
	bool any = false;

	for (size_t i = 0; i < CLI_TYPES; i++) {
		if (counts->types[i] == 0)
			continue;
		perun_buffer_printf(text, "%s%s%zu %s%s", any ? ", " : "",
				    cli ? cli_color(cli, colors[i]) : "", counts->types[i],
				    names[i], cli ? cli_color_end(cli) : "");
		any = true;
	}
}

void cli_add_kinds(const struct perun_entries *entries, struct perun_buffer *text)
{
	struct cli_counts counts = cli_count(entries);

	add_counts(NULL, &counts, text);
}

void cli_print_counts(struct cli *cli, const struct cli_counts *counts, const char *what)
{
	struct perun_buffer kinds = {0};

	if (counts->all == 0) {
		printf("no %s profiles", what);
		return;
	}
	add_counts(cli, counts, &kinds);
	printf("%zu %s profile%s (%s)", counts->all, what, counts->all == 1 ? "" : "s", kinds.data);
	perun_buffer_free(&kinds);
}
