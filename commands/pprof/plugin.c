/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: its command. */
#include "command.h"

static const struct perun_command commands[] = {
	{.name = "pprof",
	 .summary = "print pprof's reports of profiles: -top, -tree, -raw ...",
	 .flags = PERUN_COMMAND_RAW_ARGUMENTS | PERUN_COMMAND_COMPLETES,
	 .run = pprof_run_command},
	{.name = NULL},
};

PERUN_PLUGIN(command, pprof) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "pprof", "pprof's reports of profiles"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
