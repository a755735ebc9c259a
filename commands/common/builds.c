/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that build versions. */
#include "builds.h"

static void on_event(void *data, const struct perun_run_event *event)
{
	const struct commands_teller *teller = data;

	if (event->kind == PERUN_RUN_SHELL && teller->verbose)
		perun_note(teller->ctx, "running %s in %s", event->command, event->path);
}

int commands_builds_new(struct perun_ctx *ctx, const struct perun_command_call *call,
			struct commands_teller *teller, struct perun_store **store,
			struct perun_builds **builds)
{
	const struct perun_builds_options options = {
		.struct_size = sizeof options,
		.command = perun_option_string(call->options, "build"),
		.again = perun_option_flag(call->options, "rebuild"),
		.listener = {on_event, teller}};
	struct perun_vcs *vcs;
	char *left = NULL;
	int status = perun_command_store(call, ctx, true, store);

	*teller = (struct commands_teller){ctx, perun_command_verbose(call)};
	if (!status)
		status = perun_store_vcs(ctx, *store, &vcs);
	if (!status)
		status = perun_vcs_recover(ctx, vcs, true, &left);
	if (left)
		perun_warn(ctx, "%s; perun recover puts it right", left);
	perun_free(left);
	return status ? status : perun_builds_new(ctx, *store, &options, builds);
}
