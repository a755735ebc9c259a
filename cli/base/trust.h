/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what a store's configuration names may be run. */
#ifndef PERUN_CLI_BASE_TRUST_H
#define PERUN_CLI_BASE_TRUST_H

#include <perun/json.h>
#include <perun/lib/program.h>

#include "cli/base/cli.h"

/*
 * For commands that go on without: whether what local.yml has under `key` (NULL = all of it) may be run. If not, a
 * warning says that `what` ("the hook on_degradation is skipped"), once.
 */
bool cli_may_run(struct cli *cli, const char *key, const char *what);
/* If something of the configuration was refused, list on standard error all that it could run. */
void cli_trust_explain(struct cli *cli);
/* What settings can run, "key: value" on a line each; what a terminal would hide is written as JSON has it. */
void cli_trust_lines(struct perun_words *lines, const struct perun_json *settings);

#endif
