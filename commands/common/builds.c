/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that build versions. */
#include "builds.h"
#include "lookup.h"

static void on_event(void *data, const struct perun_run_event *event)
{
	const struct commands_reporter *reporter = data;

	if (event->kind == PERUN_RUN_SHELL && reporter->verbose)
		perun_note(reporter->ctx, "running %s in %s", event->command, event->path);
}

int commands_builds_new(struct perun_ctx *ctx, const struct perun_command_call *call,
			struct commands_reporter *reporter, struct perun_store **store,
			struct perun_builds **builds)
{
	const struct perun_builds_options options = {
		.struct_size = sizeof options,
		.command = perun_option_string(call->options, "build"),
		.again = perun_option_flag(call->options, "rebuild"),
		.listener = {on_event, reporter}};
	struct perun_vcs *vcs;
	int status = commands_open_vcs(ctx, call, store, &vcs);

	*reporter = (struct commands_reporter){ctx, perun_command_verbose(call)};
	return status ? status : perun_builds_new(ctx, *store, &options, builds);
}
