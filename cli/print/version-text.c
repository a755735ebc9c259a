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

void cli_print_counts(struct cli *cli, const struct perun_entries *entries, const char *what)
{
	struct perun_buffer kinds = {0};

	if (entries->count == 0) {
		printf("no %s profiles", what);
		return;
	}
	commands_add_kinds(entries, *cli_color(cli, CLI_CYAN), &kinds);
	printf("%zu %s profile%s (%s)", entries->count, what, entries->count == 1 ? "" : "s",
	       kinds.data);
	perun_buffer_free(&kinds);
}
