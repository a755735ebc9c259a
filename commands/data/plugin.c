/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin that brings perun export and perun query. */
#include "data.h"

static const struct perun_command commands[] = {
	{.name = "export",
	 .summary = "write what the store knows for other tools",
	 .options = export_options,
	 .option_size = sizeof(struct perun_option),
	 .run = data_export},
	{.name = "query",
	 .summary = "answer a question in SQL about the store",
	 .options = query_options,
	 .option_size = sizeof(struct perun_option),
	 .run = data_query},
	{.name = NULL}};

PERUN_PLUGIN(command, data) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "data", "the store for other tools"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
