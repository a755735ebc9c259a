/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a plugin that brings commands. */
#ifndef COMMANDS_COMMON_PLUGIN_H
#define COMMANDS_COMMON_PLUGIN_H

#include <perun/command.h>

/* One command: its name, its summary, its options and what runs it. */
#define COMMAND(NAME, SUMMARY, OPTIONS, RUN)                           \
	{                                                              \
		.name = NAME, .summary = SUMMARY, .options = OPTIONS,  \
		.option_size = sizeof(struct perun_option), .run = RUN \
	}

/* A whole plugin: its symbol, name and summary, then its commands. */
#define COMMANDS_PLUGIN(SYMBOL, NAME, SUMMARY, ...)                                            \
	static const struct perun_command SYMBOL##_commands[] = {__VA_ARGS__, {.name = NULL}}; \
	PERUN_PLUGIN(command, SYMBOL) = {                                                      \
		PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, NAME, SUMMARY),                          \
		.version = "1.0",                                                              \
		.license = "BSD-3-Clause",                                                     \
		PERUN_PLUGIN_COMMANDS(SYMBOL##_commands),                                      \
	}

/* The same with one command, which has the name of the plugin. */
#define COMMAND_PLUGIN(SYMBOL, NAME, SUMMARY, COMMAND_SUMMARY, OPTIONS, RUN) \
	COMMANDS_PLUGIN(SYMBOL, NAME, SUMMARY, COMMAND(NAME, COMMAND_SUMMARY, OPTIONS, RUN))

#endif
