/* SPDX-License-Identifier: BSD-3-Clause */
/* The hook on_degradation, which commands run that find one. */
#ifndef PERUN_CLI_COMMANDS_HOOKS_H
#define PERUN_CLI_COMMANDS_HOOKS_H

#include "cli/base/cli.h"

/*
 * For hooks.on_degradation: note a change if it is a degradation; `*list` begins as NULL. `minor` is the
 * version that has it, "" = unknown.
 */
struct perun_stored_change;
void cli_degradations_note(struct perun_json **list, const struct perun_stored_change *change,
			   const char *minor);
/* Run the hook if anything was noted, and free the list. Nothing is run without a store. */
void cli_degradations_report(struct cli *cli, struct perun_json *list);

#endif
