/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command is given that is written as those of plugins are (perun/command.h). */
#ifndef PERUN_CLI_BASE_HOST_H
#define PERUN_CLI_BASE_HOST_H

#include <perun/command.h>

#include "cli/base/cli.h"

struct cli_host {
	struct cli *cli;
	const char *name; /* of the command, for the pager */
	struct perun_command_call call;
};

/* Fills the call; it prints to standard output. End it with cli_host_end(), which flushes what was printed. */
void cli_host_begin(struct cli *cli, const char *name, const struct perun_options *options,
		    const char *const *words, struct cli_host *host);
/* `status` is that of the command: a failed one prints nothing more. Returns it. */
int cli_host_end(struct cli_host *host, int status);
/* Runs the `plugin` of an entry of a table of commands. */
int cli_host_run(struct cli *cli, const struct cli_call *call);

#endif
