/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that plugins bring: each as an entry of the table of commands, and running one. */
#include <config.h>

#include <string.h>

#include <perun/lib/registry.h>

#include "cli/base/host.h"

static void page(void *data)
{
	const struct cli_host *host = data;

	cli_page(host->cli, host->name);
}

static int open_store(void *data, struct perun_ctx *ctx, bool required, struct perun_store **store)
{
	struct cli *cli = ((const struct cli_host *)data)->cli;
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

void cli_host_begin(struct cli *cli, const char *name, const struct perun_options *options,
		    const char *const *words, struct cli_host *host)
{
	static const char *const none[] = {NULL};
	struct perun_command_call *call = &host->call;

	*host = (struct cli_host){.cli = cli, .name = name};
	*call = (struct perun_command_call){.struct_size = sizeof *call,
					    .argv = (char *const *)(words ? words : none),
					    .options = options,
					    .output = perun_output_to_sink(to_stdout, NULL),
					    .terminal = cli->terminal,
					    .color = cli->color,
					    .width = cli->width,
					    .unicode = cli_has_unicode(),
					    .host = host,
					    .page = page,
					    .open_store = open_store,
					    .verbose = cli->verbose};
	while (call->argv[call->argc])
		call->argc++;
}

int cli_host_end(struct cli_host *host, int status)
{
	if (status == PERUN_OK || status == PERUN_DEGRADED)
		perun_output_commit(host->cli->ctx, host->call.output);
	else /* what it printed before it failed is not lost */
		perun_output_flush(host->call.output);
	perun_output_close(host->call.output);
	return status;
}

static int run(struct cli *cli, const struct cli_call *call)
{
	const struct perun_command *command = call->command->plugin;
	struct cli_host host;
	int status;

	cli_host_begin(cli, command->name, call->options, call->words, &host);
	status = PERUN_PLUGIN_CALL(cli->ctx, call->command->owner,
				   command->run(cli->ctx, &host.call));
	return cli_host_end(&host, status);
}

int cli_host_run(struct cli *cli, const struct cli_call *call)
{
	const struct perun_command *command = call->command->plugin;
	struct cli_host host;

	cli_host_begin(cli, command->name, call->options, NULL, &host);
	return cli_host_end(&host, command->run(cli->ctx, &host.call));
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
