/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what a store's configuration names may be run. */
#ifndef PERUN_CLI_TRUST_H
#define PERUN_CLI_TRUST_H

#include "cli/cli.h"

/*
 * For commands that go on without: whether what local.yml has under `key` (NULL = all of it) may be run. If not, a
 * warning says that `what` ("the hook on_degradation is skipped"), once.
 */
bool cli_may_run(struct cli *cli, const char *key, const char *what);
/* If something of the configuration was refused, list on standard error all that it could run. */
void cli_trust_explain(struct cli *cli);

#endif
