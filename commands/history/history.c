/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun history and blame look at, and the plugin that brings them. */
#include <config.h>

#include "commands/common/lookup.h"
#include "history.h"

int history_find(struct perun_ctx *ctx, const struct perun_command_call *call, const char *location,
		 struct history_found *found)
{
	struct perun_history_options query =
		commands_history_query(call->options, perun_option_string(call->options, "range"),
				       perun_option_flag(call->options, "across-machines"));
	struct perun_vcs *vcs;
	int status;

	*found = (struct history_found){0};
	query.location = location;
	status = commands_open_vcs(ctx, call, &found->store, &vcs);
	if (!status)
		status = commands_history_load(ctx, found->store, &query, &found->history);
	return status ? status : perun_acknowledgements_load(ctx, found->store, &found->known);
}

int history_find_changes(struct perun_ctx *ctx, const struct perun_command_call *call,
			 struct perun_history *history)
{
	struct perun_change_options options;
	int status = commands_change_options(ctx, perun_option_string(call->options, "method"),
					     call->options, &options);

	return status ? status
		      : perun_history_find_changes(ctx, history, &options,
						   PERUN_HISTORY_DISCOVERIES);
}

void history_found_free(struct history_found *found)
{
	perun_acknowledgements_free(found->known);
	perun_history_free(found->history);
}

static const struct perun_command commands[] = {
	{.name = "blame",
	 .summary = "find the commits and functions that changed a metric",
	 .options = blame_options,
	 .option_size = sizeof(struct perun_option),
	 .run = history_blame},
	{.name = "history",
	 .summary = "show a metric over the versions of a branch, and its changes",
	 .options = history_options,
	 .option_size = sizeof(struct perun_option),
	 .run = history_show},
	{.name = NULL}};

PERUN_PLUGIN(command, history) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "history",
			  "metrics over versions, and their changes"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
