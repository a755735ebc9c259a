/* SPDX-License-Identifier: BSD-3-Clause */
/* perun version. */
#include <config.h>

#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"

const struct perun_option cli_version_options[] = {{.name = "json", .help = "print JSON"}, {0}};

int cli_version(struct cli *cli, const struct cli_call *call)
{
	struct perun_json *document, *abi;

	(void)cli;
	if (!perun_option_flag(call->options, "json")) {
		printf("perun %s\n", perun_version());
		return PERUN_OK;
	}
	document = perun_json_object();
	abi = perun_json_object();
	perun_json_set(abi, "major", perun_json_int64(PERUN_ABI_MAJOR));
	perun_json_set(abi, "minor", perun_json_int64(PERUN_ABI_MINOR));
	perun_json_set(document, "version", perun_json_text(perun_version()));
	perun_json_set(document, "abi", abi);
	cli_print_facts(document);
	return PERUN_OK;
}
