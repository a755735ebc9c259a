/* SPDX-License-Identifier: BSD-3-Clause */
/* Minor versions as texts, and counts of their profiles. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/print/listing.h"

void cli_print_version_head(const struct perun_minor_version *version)
{
	char time[32];

	cli_format_time(version->date, time);
	fputs("Author: ", stdout);
	cli_print_safe(version->author);
	fputs(" <", stdout);
	cli_print_safe(version->email);
	printf("> %s\n", time);
	for (size_t i = 0; i < version->parent_count; i++)
		printf("Parent: %s\n", version->parents[i]);
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

void cli_print_counts(struct cli *cli, const struct cli_counts *counts, const char *what)
{
	static const char *const names[] = {"memory", "mixed", "time", "other"};
	static const enum cli_color colors[] = {CLI_CYAN, CLI_MAGENTA, CLI_BLUE, CLI_YELLOW};
	bool any = false;

	if (counts->all == 0) {
		printf("(no %s profiles)", what);
		return;
	}
	printf("%zu %s profiles (", counts->all, what);
	for (size_t i = 0; i < CLI_TYPES; i++) {
		if (counts->types[i] == 0)
			continue;
		printf("%s%s%zu %s%s", any ? ", " : "", cli_color(cli, colors[i]), counts->types[i],
		       names[i], cli_color_end(cli));
		any = true;
	}
	putchar(')');
}
