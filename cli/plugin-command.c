/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that plugins bring: each as an entry of the table of commands, and running one. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/lib/registry.h>

#include "cli/cli.h"
#include "core/registry/guard.h"

struct host {
	struct cli *cli;
	const char *name; /* of the command */
};

static void page(void *data)
{
	const struct host *host = data;

	cli_page(host->cli, host->name);
}

static int open_store(void *data, struct perun_ctx *ctx, bool required, struct perun_store **store)
{
	struct cli *cli = ((const struct host *)data)->cli;
	int status = required ? cli_open_store(cli) : cli_find_store(cli);

	(void)ctx;
	*store = cli->store;
	return status;
}

/* Errors stick to the stream: cli_screen_end() reports them, and knows those that do not matter. */
static int to_stdout(void *data, const void *bytes, size_t size)
{
	(void)data;
	fwrite(bytes, 1, size, stdout);
	return PERUN_OK;
}

static int run(struct cli *cli, const struct cli_call *call)
{
	const struct perun_command *command = call->command->plugin;
	struct host host = {cli, command->name};
	struct perun_command_call own = {.struct_size = sizeof own,
					 .argv = (char *const *)call->words,
					 .options = call->options,
					 .terminal = cli->terminal,
					 .color = cli->color,
					 .width = cli->width,
					 .unicode = cli_has_unicode(),
					 .host = &host,
					 .page = page,
					 .open_store = open_store,
					 .verbose = cli->verbose};
	int status;

	while (own.argv[own.argc])
		own.argc++;
	own.output = perun_output_to_sink(to_stdout, NULL);
	status = PERUN_PLUGIN_CALL(cli->ctx, call->command->owner, command->run(cli->ctx, &own));
	if (status == PERUN_OK || status == PERUN_DEGRADED)
		perun_output_commit(cli->ctx, own.output);
	perun_output_close(own.output);
	return status;
}

int cli_find_plugin_command(struct cli *cli, const char *name, struct cli_command *found)
{
	const struct perun_plugin_info *info = perun_registry_find_command(cli->ctx, name);
	const struct perun_command *command;
	const struct perun_plugin *plugin;
	int status;

	*found = (struct cli_command){0};
	if (!info)
		return PERUN_OK;
	status = perun_registry_load(cli->ctx, info->kind, info->name, &plugin);
	if (status)
		return status;
	command = plugin->commands;
	while (command && command->name && strcmp(command->name, name) != 0)
		command++;
	if (!command || !command->name)
		return perun_fail(cli->ctx, PERUN_MISSING,
				  "the plugin %s does not bring the command %s that it announces",
				  info->name, name);
	*found = (struct cli_command){
		.name = command->name,
		.summary = command->summary ? command->summary : "",
		.options = command->options,
		.flags = command->flags & PERUN_COMMAND_RAW_ARGUMENTS ? CLI_RAW : 0,
		.run = run,
		.plugin = command,
		.owner = plugin};
	return PERUN_OK;
}
