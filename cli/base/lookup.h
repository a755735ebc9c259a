/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles that the words of a command line name: perun/lib/lookup.h for a person at a terminal. */
#ifndef PERUN_CLI_BASE_LOOKUP_H
#define PERUN_CLI_BASE_LOOKUP_H

#include <perun/lib/lookup.h>

#include "cli/base/cli.h"

/* A lookup in the store of the command, opened when a word needs it. `revision` is borrowed. */
struct perun_lookup *cli_lookup_new(struct cli *cli, const char *revision);
/* perun_lookup_add(), but where nothing has that name, a person is asked which candidate is meant. */
int cli_lookup_add(struct cli *cli, struct perun_lookup *lookup, const char *word, unsigned kinds);

#endif
