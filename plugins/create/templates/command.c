/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: what the command does. Here: the profiles of a version. */
#include <perun/command.h>

static const struct perun_option options[] = {
	{.name = "version",
	 .metavar = "VERSION",
	 .help = "the version whose profiles are listed (default: the current one)",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL},
	{.name = "count",
	 .aliases = "-n",
	 .metavar = "N",
	 .help = "list at most that many",
	 .default_value = "10",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 10000},
	{.name = NULL}};

static void print(const struct perun_command_call *call, const struct perun_entries *entries)
{
	size_t most = (size_t)perun_option_integer(call->options, "count");

	for (size_t i = 0; i < entries->count && i < most; i++) {
		const struct perun_entry *entry = perun_entries_at(entries, i);
		char *path = perun_printable(entry->path);

		perun_output_printf(call->output, "%.8s %s\n", entry->checksum, path);
		perun_free(path);
	}
}

/* The status becomes the exit code. The store is the host's and is not closed. */
static int run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_entries entries = {0};
	struct perun_store *store;
	struct perun_vcs *vcs;
	char *checksum = NULL;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = perun_store_vcs(ctx, store, &vcs);
	if (!status)
		status = perun_vcs_massage_parameter(
			ctx, vcs, perun_option_string(call->options, "version"), NULL, &checksum);
	if (!status)
		status = perun_store_entries(ctx, store, checksum, &entries);
	if (!status) {
		perun_command_page(call);
		print(call, &entries);
	}
	perun_entries_free(&entries);
	perun_free(checksum);
	return status;
}

static const struct perun_command commands[] = {{.name = "@NAME@",
						 .summary = "one line for the list of commands",
						 .options = options,
						 .option_size = sizeof(struct perun_option),
						 .run = run},
						{.name = NULL}};

PERUN_PLUGIN(command, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
