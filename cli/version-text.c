/* SPDX-License-Identifier: BSD-3-Clause */
/* Minor versions as texts, and counts of their profiles. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/listing.h"

struct cli_version *cli_version_copy(const struct perun_minor_version *version)
{
	struct cli_version *copy = perun_alloc_zero(1, sizeof *copy);
	const char **parents = perun_alloc_zero(version->parent_count + 1, sizeof *parents);

	for (size_t i = 0; i < version->parent_count; i++)
		parents[i] = perun_strdup(version->parents[i]);
	/* A plugin of older headers does not tell the last members. */
	memcpy(&copy->version, version,
	       version->struct_size < sizeof *version ? version->struct_size : sizeof *version);
	copy->version.checksum = perun_strdup(version->checksum);
	copy->version.author = perun_strdup(version->author);
	copy->version.email = perun_strdup(version->email);
	copy->version.description = perun_strdup(version->description);
	copy->version.parents = parents;
	return copy;
}

void cli_version_free(struct cli_version *version)
{
	if (!version)
		return;
	for (size_t i = 0; i < version->version.parent_count; i++)
		perun_free((char *)version->version.parents[i]);
	perun_free((void *)version->version.parents);
	perun_free((char *)version->version.checksum);
	perun_free((char *)version->version.author);
	perun_free((char *)version->version.email);
	perun_free((char *)version->version.description);
	perun_free(version);
}

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct cli_version **kept = data;

	cli_version_free(*kept);
	*kept = cli_version_copy(version);
	return PERUN_OK;
}

int cli_version_get(struct cli *cli, struct perun_vcs *vcs, const char *checksum,
		    struct cli_version **version)
{
	int status;

	*version = NULL;
	status = perun_vcs_get_minor_version_info(cli->ctx, vcs, checksum, keep_version, version);
	if (!status && !*version)
		status = perun_fail(cli->ctx, PERUN_INPUT, "no version %s", checksum);
	return status;
}

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
		const char *type = entries->items[i].type;

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
