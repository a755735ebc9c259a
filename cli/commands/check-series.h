/* SPDX-License-Identifier: BSD-3-Clause */
/* Series of measurements: where they come from, and what is said of their changes. */
#ifndef PERUN_CLI_COMMANDS_CHECK_SERIES_H
#define PERUN_CLI_COMMANDS_CHECK_SERIES_H

#include <perun/lib/changepoint.h>
#include <perun/check.h>
#include <perun/lib/history.h>

#include "cli/base/cli.h"
#include "commands/common/history.h"

/* A change shows from that many values on. */
enum { CLI_SERIES_MIN = 4 };

/* ---- series ---------------------------------------------------------------------------------- */

/* What is given with --params of check, NULL-terminated; free the array. */
const char **cli_series_params(const struct cli_call *call);
/* What the options --method, --threshold and, of check, --params say. */
int cli_change_options(struct cli *cli, const struct cli_call *call,
		       struct perun_change_options *options);
/* The check plugin that --method names; NULL when that is one of the methods of perun itself. */
const char *cli_series_plugin(const struct cli_call *call);
/* Print what that plugin finds in these strands, those of a command together. */
int cli_series_by_plugin(struct cli *cli, const struct cli_call *call,
			 const struct perun_strand *const *strands, size_t count, bool *worse);
/* perun check series --from: the changes of a stored history. `*worse`: one is bad news. */
int cli_check_history(struct cli *cli, const struct cli_call *call,
		      const struct perun_command_call *output, bool *worse);

#endif
