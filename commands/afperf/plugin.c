/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: its command. */
#include "command.h"
#include "commands/common/plugin.h"

COMMAND_PLUGIN(afperf, "afperf", "work with AFPerf files",
	       "check, describe, reduce, split and merge AFPerf files", afperf_options,
	       afperf_run_command);
