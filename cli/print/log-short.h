/* SPDX-License-Identifier: BSD-3-Clause */
/* perun log --short: a line for each version, in columns as wide as their widest value. */
#ifndef PERUN_CLI_PRINT_LOG_SHORT_H
#define PERUN_CLI_PRINT_LOG_SHORT_H

#include <perun/store.h>
#include <perun/vcs.h>

#include "cli/print/findings.h"
#include "cli/base/cli.h"

struct cli_short;

/* Fails when the setting format.shortlog names an unknown field. */
int cli_short_new(struct cli *cli, struct cli_short **rows);
void cli_short_add(struct cli_short *rows, const struct perun_minor_version *version,
		   const struct perun_entries *entries, const struct perun_stored_findings *stored);
void cli_short_print(struct cli *cli, struct cli_short *rows);
void cli_short_free(struct cli_short *rows);

#endif
