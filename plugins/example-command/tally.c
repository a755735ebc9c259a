/* SPDX-License-Identifier: BSD-3-Clause */
/* perun tally: how many profiles of a version there are of each kind. */
#include <string.h>

#include <perun/command.h>

static const struct perun_option options[] = {
	{.name = "version",
	 .metavar = "VERSION",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "the version whose profiles are counted (default: the current one)"},
	{.name = "by",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "type cmd collector",
	 .default_value = "type",
	 .help = "what the profiles of a line share"},
	{.name = NULL}};

static const char *key_of(const struct perun_entry *entry, const char *by)
{
	return strcmp(by, "cmd") == 0    ? entry->cmd
	       : strcmp(by, "type") == 0 ? entry->type
					 : entry->collector;
}

static void print_counts(const struct perun_command_call *call, const struct perun_entries *entries)
{
	const char *by = perun_option_string(call->options, "by");

	for (size_t i = 0; i < entries->count; i++) {
		const char *key = key_of(perun_entries_at(entries, i), by);
		size_t first = 0, count = 0;
		char *safe;

		while (strcmp(key_of(perun_entries_at(entries, first), by), key) != 0)
			first++;
		if (first < i)
			continue;
		for (size_t k = i; k < entries->count; k++)
			count += strcmp(key_of(perun_entries_at(entries, k), by), key) == 0;
		safe = perun_printable(key);
		perun_output_printf(call->output, "%s%6zu%s %s\n", call->color ? "\033[36m" : "",
				    count, call->color ? "\033[0m" : "", safe);
		perun_free(safe);
	}
}

static int run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char *version = perun_option_string(call->options, "version");
	struct perun_entries entries = {0};
	struct perun_store *store;
	struct perun_vcs *vcs;
	char *checksum = NULL;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = perun_store_vcs(ctx, store, &vcs);
	if (!status)
		status = version ? perun_vcs_massage_parameter(ctx, vcs, version, "minor_version",
							       &checksum)
				 : perun_vcs_get_minor_head(ctx, vcs, &checksum);
	if (!status)
		status = perun_store_entries(ctx, store, checksum, &entries);
	if (!status) {
		perun_command_page(call);
		print_counts(call, &entries);
	}
	perun_entries_free(&entries);
	perun_free(checksum);
	return status;
}

static const struct perun_command commands[] = {{.name = "tally",
						 .summary = "count the profiles of a version",
						 .options = options,
						 .option_size = sizeof(struct perun_option),
						 .run = run},
						{.name = NULL}};

PERUN_PLUGIN(command, tally) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "tally", "count the profiles of a version"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
