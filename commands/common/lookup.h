/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that the words of a command name. */
#ifndef PERUN_COMMANDS_COMMON_LOOKUP_H
#define PERUN_COMMANDS_COMMON_LOOKUP_H

#include <perun/command.h>
#include <perun/lib/lookup.h>

/* Two versions as the arguments of a command; flags of the second, and what its help says more. */
#define COMMANDS_VERSIONS_OPTIONS(head_flags, head_more)                        \
	{.name = "base",                                                        \
	 .metavar = "BASE",                                                     \
	 .type = PERUN_OPTION_STRING,                                           \
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,              \
	 .help = "the baseline"},                                               \
	{                                                                       \
		.name = "head", .metavar = "HEAD", .type = PERUN_OPTION_STRING, \
		.flags = PERUN_OPTION_POSITIONAL | (head_flags),                \
		.help = "the version under test" head_more                      \
	}

/* How the files that a command names are read. */
#define COMMANDS_READ_OPTIONS                                                           \
	{.name = "from",                                                                \
	 .metavar = "FORMAT",                                                           \
	 .type = PERUN_OPTION_STRING,                                                   \
	 .help = "the format of files, by default found out from their content"},       \
	{                                                                               \
		.name = "format-option", .metavar = "K=V", .type = PERUN_OPTION_STRING, \
		.flags = PERUN_OPTION_REPEATABLE, .help = "an option of that format"    \
	}

/* The same lookup, which reads files as these options say; NULL: they are not among those of the command. */
struct perun_lookup *commands_lookup_read_as(struct perun_lookup *lookup,
					     const struct perun_options *given);
/* A lookup in the store of the current directory, which is opened when a word needs it. */
struct perun_lookup *commands_lookup_new(const struct perun_command_call *call);
/* The store and its vcs; warns when an interrupted run left something to be put right. */
int commands_open_vcs(struct perun_ctx *ctx, const struct perun_command_call *call,
		      struct perun_store **store, struct perun_vcs **vcs);
/* What a word names; where nothing has that name, the user says which file is meant. */
int commands_lookup_add(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word);
/* All profiles of a version, where none is registered the pending ones; an error where it has none. */
int commands_lookup_add_version(struct perun_ctx *ctx, const struct perun_command_call *call,
				struct perun_lookup *lookup, const char *word);
/*
 * The template for the name of a profile that was made from the one of a place: `given`, or for a file whose profile has
 * no command the name of the file; NULL = as it is configured. The caller frees it.
 */
char *commands_template_of(const struct perun_profile *profile, const struct perun_place *place,
			   const char *given);

#endif
