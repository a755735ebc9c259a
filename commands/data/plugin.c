/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin that brings perun export and perun query. */
#include "commands/common/plugin.h"
#include "data.h"

COMMANDS_PLUGIN(data, "data", "the store for other tools",
		COMMAND("export", "write what the store knows for other tools", export_options,
			data_export),
		COMMAND("query", "answer a question in SQL about the store", query_options,
			data_query));
