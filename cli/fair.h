/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair comparisons: two versions, each built in a place of its own, run in turns in random order. */
#ifndef PERUN_CLI_FAIR_H
#define PERUN_CLI_FAIR_H

#include <jansson.h>

#include <perun/lib/interleave.h>
#include <perun/lib/run.h>

#include "cli/cli.h"
#include "core/job/words.h"

/* How versions are built, for commands that build them. */
#define CLI_BUILD_OPTIONS                                                                    \
	{.name = "build",                                                                    \
	 .aliases = "-b",                                                                    \
	 .metavar = "COMMAND",                                                               \
	 .type = PERUN_OPTION_STRING,                                                        \
	 .help = "how a version is built; execute.pre_run of the configuration by default"}, \
	{                                                                                    \
		.name = "rebuild", .help = "build also versions that are in the cache"       \
	}

/* ---- telling (fair-tell.c) ------------------------------------------------------------------- */

/* "Degradation", "Optimization", "NoChange", "Unknown". */
const char *cli_fair_word(enum perun_answer answer);
void cli_fair_print(struct cli *cli, const struct perun_interleave *interleave,
		    const struct perun_interleave_result *result);
/* {"command", "metric", "unit", "result", "confirmed", "rate", "sessions"}. */
json_t *cli_fair_fact(const struct perun_interleave *interleave,
		      const struct perun_interleave_result *result);

#endif
