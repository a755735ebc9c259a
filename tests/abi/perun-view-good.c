/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin as this version's headers make it, with a command of its own. */
#include <perun/command.h>
#include "tests/abi/view.h"

SHOW
{
	return perun_fail(ctx, PERUN_INPUT, "nothing to show");
}

static int run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	(void)ctx;
	(void)call;
	return PERUN_OK;
}

static const struct perun_view_ops ops = {.forms = PERUN_FORM_TERMINAL, .show = show};

static const struct perun_option options[] = {
	{.name = "size", .help = "how large", .type = PERUN_OPTION_SIZE, .default_value = "4k"},
	{0},
};

static const struct perun_command commands[] = {
	{.name = "good", .summary = "do good", .run = run},
	{0},
};

PERUN_PLUGIN(view, good) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "good", "a good one"),
	.version = "7.1",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_COMMANDS(commands),
	PERUN_PLUGIN_OPS(ops),
};
