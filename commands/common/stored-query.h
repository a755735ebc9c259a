/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that select registered profiles by their labels and age. */
#ifndef PERUN_COMMANDS_COMMON_STORED_QUERY_H
#define PERUN_COMMANDS_COMMON_STORED_QUERY_H

#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/options.h>

#define COMMANDS_QUERY_OPTIONS(what)                                                            \
	{.name = "label",                                                                       \
	 .metavar = "KEY=VALUE",                                                                \
	 .type = PERUN_OPTION_STRING,                                                           \
	 .flags = PERUN_OPTION_REPEATABLE,                                                      \
	 .help = (what)},                                                                       \
		{.name = "since",                                                               \
		 .metavar = "AGE",                                                              \
		 .type = PERUN_OPTION_DURATION,                                                 \
		 .help = "of registered profiles, those that are no older, such as 2d or 12h"}, \
	{                                                                                       \
		.name = "until", .metavar = "AGE", .type = PERUN_OPTION_DURATION,               \
		.help = "of registered profiles, those that are at least as old"                \
	}

/* Put a label into header.labels of a document, by which these options find a profile. */
void commands_add_label(struct perun_json *document, const char *key, size_t length,
			const char *value);

/* Those of the options --label KEY=VALUE, and whether all of them are such. */
void commands_add_labels(const struct perun_options *options, struct perun_json *document);
int commands_check_labels(struct perun_ctx *ctx, const struct perun_options *options);

bool commands_has_query(const struct perun_options *options);
/*
 * Append the profiles of all branches that these options select, and words for them to `*name`, which is the caller's.
 * PERUN_INPUT when there are none.
 */
int commands_lookup_add_query(struct perun_ctx *ctx, const struct perun_options *options,
			      struct perun_lookup *lookup, char **name);

#endif
