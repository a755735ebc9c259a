/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair comparisons: two versions, each built in a place of its own, run in turns in random order. */
#ifndef PERUN_CLI_FAIR_H
#define PERUN_CLI_FAIR_H

#include <jansson.h>

#include <perun/lib/interleave.h>

#include "cli/cli.h"
#include "core/job/words.h"

/* ---- built versions (fair-build.c) ----------------------------------------------------------- */

/* A version's files, built, in .perun/cache/builds. */
struct cli_build {
	char *minor;
	char *base;      /* directory of the cache entry; the files are in its "tree" */
	char *directory; /* where the user stands, in them */
	int lock;        /* shared while it is used */
	bool cached;     /* it was there already */
	bool unbuilt;    /* after a failure: its build failed, not ours */
};

struct cli_builder {
	struct cli *cli;
	struct perun_vcs *vcs;
	struct perun_words commands; /* of the shell, run in the root of the files one by one */
	bool again;                  /* build also what is there */
};

/* Commands of --build where it is not NULL, else of execute.pre_run. */
int cli_builder_start(struct cli *cli, struct perun_vcs *vcs, const char *command, bool again,
		      struct cli_builder *builder);
void cli_builder_free(struct cli_builder *builder);
/*
 * Take a version from the cache, or check it out into the cache and build it there. What killed runs
 * left is removed, and so are entries that were not used for the longest time. PERUN_INPUT with
 * `unbuilt` when a command failed; its output is in a file that the message names.
 */
int cli_build_open(const struct cli_builder *builder, const char *minor, struct cli_build *build);
void cli_build_close(struct cli_build *build);

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
