/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles that the words of a command line name: perun/lib/lookup.h for a person at a terminal. */
#ifndef PERUN_CLI_BASE_LOOKUP_H
#define PERUN_CLI_BASE_LOOKUP_H

#include <perun/lib/lookup.h>

#include "cli/base/cli.h"
#include "commands/common/lookup.h"

/* In the store, opened when a word needs it; `given`: options with --minor, or NULL; `files`: they say how files are read. */
struct perun_lookup *cli_lookup_new(struct cli *cli, const struct perun_options *given, bool files);
/* perun_lookup_add(), but where nothing has that name, a person is asked which candidate is meant. */
int cli_lookup_add(struct cli *cli, struct perun_lookup *lookup, const char *word, unsigned kinds);

#endif
