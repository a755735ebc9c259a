/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commits may be a change: a version that was not measured cannot be acquitted. */
#ifndef PERUN_CLI_PRINT_COMMITS_H
#define PERUN_CLI_PRINT_COMMITS_H

#include <perun/lib/history.h>
#include <perun/lib/lookup.h>

#include "cli/print/json.h"
#include "commands/common/between.h"

/* The commits between two versions with their subjects. */
struct perun_json *cli_json_between(const struct perun_between *between);

#endif
