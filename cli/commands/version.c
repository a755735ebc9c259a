/* SPDX-License-Identifier: BSD-3-Clause */
/* perun version. */
#include <config.h>

#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"

const struct perun_option cli_version_options[] = {{.name = "json", .help = "print JSON"}, {0}};

int cli_version(struct cli *cli, const struct cli_call *call)
{
	(void)cli;
	if (perun_option_flag(call->options, "json"))
		cli_print_facts(json_pack("{s: s, s: {s: i, s: i}}", "version", perun_version(),
					  "abi", "major", PERUN_ABI_MAJOR, "minor",
					  PERUN_ABI_MINOR));
	else
		printf("perun %s\n", perun_version());
	return PERUN_OK;
}
