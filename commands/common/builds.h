/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that build versions: perun compare and bisect. */
#ifndef PERUN_COMMANDS_COMMON_BUILDS_H
#define PERUN_COMMANDS_COMMON_BUILDS_H

#include <perun/command.h>
#include <perun/lib/run.h>

/* How versions are built. */
#define COMMANDS_BUILD_OPTIONS                                                               \
	{.name = "build",                                                                    \
	 .aliases = "-b",                                                                    \
	 .metavar = "COMMAND",                                                               \
	 .type = PERUN_OPTION_STRING,                                                        \
	 .help = "how a version is built; execute.pre_run of the configuration by default"}, \
	{                                                                                    \
		.name = "rebuild", .help = "build also versions that are in the cache"       \
	}

/* Who gets the commands of the shell: with --verbose they become notes. Borrowed by a listener. */
struct commands_reporter {
	struct perun_ctx *ctx;
	unsigned verbose;
};

/*
 * Open the store, warn where an interrupted run left something, and prepare to build as the options say.
 * `reporter` has to live as long as the builds, which perun_builds_free() frees.
 */
int commands_builds_new(struct perun_ctx *ctx, const struct perun_command_call *call,
			struct commands_reporter *reporter, struct perun_store **store,
			struct perun_builds **builds);

#endif
