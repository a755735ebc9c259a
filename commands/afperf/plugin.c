/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: its command. */
#include "command.h"

static const struct perun_command commands[] = {
	{.name = "afperf",
	 .summary = "check, describe, reduce, split and merge AFPerf files",
	 .options = afperf_options,
	 .option_size = sizeof(struct perun_option),
	 .run = afperf_run_command},
	{.name = NULL},
};

PERUN_PLUGIN(command, afperf) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "afperf", "work with AFPerf files"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
