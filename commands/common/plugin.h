/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a plugin that brings one command. */
#ifndef COMMANDS_COMMON_PLUGIN_H
#define COMMANDS_COMMON_PLUGIN_H

#include <perun/command.h>

/* A whole plugin: its symbol, name and summary, then the summary of its command of that name, the options and what runs it. */
#define COMMAND_PLUGIN(SYMBOL, NAME, SUMMARY, COMMAND_SUMMARY, OPTIONS, RUN) \
	static const struct perun_command SYMBOL##_commands[] = {            \
		{.name = NAME,                                               \
		 .summary = COMMAND_SUMMARY,                                 \
		 .options = OPTIONS,                                         \
		 .option_size = sizeof(struct perun_option),                 \
		 .run = RUN},                                                \
		{.name = NULL}};                                             \
	PERUN_PLUGIN(command, SYMBOL) = {                                    \
		PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, NAME, SUMMARY),        \
		.version = "1.0",                                            \
		.license = "BSD-3-Clause",                                   \
		PERUN_PLUGIN_COMMANDS(SYMBOL##_commands),                    \
	}

#endif
