/* SPDX-License-Identifier: BSD-3-Clause */
/* Fair comparisons: two versions, each built in a place of its own, run in turns in random order. */
#ifndef PERUN_CLI_FAIR_H
#define PERUN_CLI_FAIR_H

#include <jansson.h>

#include <perun/verdict.h>

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

struct perun_scratch;

/* ---- runs (fair-runs.c) ---------------------------------------------------------------------- */

/* How a program is measured. */
struct cli_fair {
	struct cli *cli;
	char *const *argv;
	char *text;           /* the same in one line */
	const char *metric;   /* of a run: real, user, sys, cpu, max_rss, instructions, ... */
	const char *other;    /* one that may tell where noise hides it; NULL = none */
	const char **options; /* of the collector `time`, with its NULL */
	struct perun_scratch *scratch; /* a directory for the collector's files */
	size_t warmup;                 /* runs of each side that do not count */
	size_t pairs, most;    /* of a session: at first, and at most where that does not decide; */
	size_t longest;        /* even then up to so many, while it is short: */
	double budget;         /* seconds */
	double threshold;      /* least change that counts, as a share */
	uint64_t seed, random; /* state of the generator at first, and now */
};

/* Values of a metric: value i of both sides was measured one right after the other. */
struct cli_fair_series {
	double *values[2];
	size_t block; /* so many pairs were taken together, by their medians, when it was judged */
	struct perun_verdict verdict;
};

struct cli_fair_session {
	struct cli_fair_series told,
		other;          /* of the metric, and of the other one if there is one */
	size_t count, capacity; /* pairs */
	double level;           /* p below which it was told */
};

/* What two sessions say. */
struct cli_fair_result {
	struct cli_fair_session sessions[2];
	size_t count;             /* sessions */
	bool turned;              /* noise hid the metric: the other one has taken its place */
	enum perun_answer answer; /* a change only where both sessions tell it */
	bool unconfirmed;         /* the first told a change, the second did not */
};

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

/* The options that commands which run programs have: those of `cli_fair_start`. */
#define CLI_FAIR_OPTIONS                                                                           \
	{.name = "metric",                                                                         \
	 .aliases = "-m",                                                                          \
	 .metavar = "METRIC",                                                                      \
	 .type = PERUN_OPTION_CHOICE,                                                              \
	 .choices = "real user sys cpu max_rss instructions cycles",                               \
	 .help = "what of each run is compared; cpu is user and sys together (default: real, and " \
		 "cpu where noise hides a change of it)"},                                         \
		{.name = "repeat",                                                                 \
		 .aliases = "-r",                                                                  \
		 .metavar = "N",                                                                   \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .default_value = "20",                                                            \
		 .ranged = true,                                                                   \
		 .minimum = 4,                                                                     \
		 .maximum = 10000,                                                                 \
		 .help = "runs of each version in a session, at first"},                           \
		{.name = "most",                                                                   \
		 .metavar = "N",                                                                   \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .ranged = true,                                                                   \
		 .minimum = 4,                                                                     \
		 .maximum = 100000,                                                                \
		 .help = "at most so many where fewer do not decide (default: 8 times as many, "   \
			 "or what --budget allows)"},                                              \
		{.name = "budget",                                                                 \
		 .metavar = "DURATION",                                                            \
		 .type = PERUN_OPTION_DURATION,                                                    \
		 .default_value = "30s",                                                           \
		 .ranged = true,                                                                   \
		 .maximum = 1e9,                                                                   \
		 .help = "without --most, a session goes on while it is shorter than this and "    \
			 "has not decided"},                                                       \
		{.name = "warmup",                                                                 \
		 .aliases = "-w",                                                                  \
		 .metavar = "N",                                                                   \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .default_value = "1",                                                             \
		 .ranged = true,                                                                   \
		 .maximum = 10000,                                                                 \
		 .help = "runs of each version before those that count"},                          \
		{.name = "threshold",                                                              \
		 .metavar = "PERCENT",                                                             \
		 .type = PERUN_OPTION_NUMBER,                                                      \
		 .default_value = "2",                                                             \
		 .ranged = true,                                                                   \
		 .maximum = 1e6,                                                                   \
		 .help = "the least change that counts"},                                          \
		{.name = "seed",                                                                   \
		 .metavar = "N",                                                                   \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .help = "of the random order; a new one each time by default"},                   \
		{.name = "pin",                                                                    \
		 .metavar = "CPU",                                                                 \
		 .type = PERUN_OPTION_INTEGER,                                                     \
		 .ranged = true,                                                                   \
		 .maximum = 1023,                                                                  \
		 .help = "run on this processor only"},                                            \
		{.name = "input",                                                                  \
		 .metavar = "FILE",                                                                \
		 .type = PERUN_OPTION_PATH,                                                        \
		 .help = "standard input of each run (default: empty)"},                           \
	{                                                                                          \
		.name = "timeout", .metavar = "DURATION", .type = PERUN_OPTION_DURATION,           \
		.ranged = true, .maximum = 1e9, .help = "kill a run that takes longer, and fail"   \
	}

/* Read the options above. `argv` is borrowed. Free with cli_fair_free(), also after a failure. */
int cli_fair_start(struct cli *cli, const struct perun_options *options, char *const *argv,
		   struct cli_fair *fair);
void cli_fair_free(struct cli_fair *fair);
/* Run the program once in a directory. `other`: see cli_fair; left alone without. */
int cli_fair_run(struct cli_fair *fair, const char *directory, double *value, double *other);
/* A number below `end`. */
size_t cli_fair_random(struct cli_fair *fair, size_t end);
/* Runs of both sides in turns, the order of each pair drawn; warm-up runs first if it is empty. */
int cli_fair_pairs(struct cli_fair *fair, const char *const directories[2], size_t count,
		   struct cli_fair_session *session);
/*
 * Compare the programs in two directories; a change is measured again in a second session. Where only the
 * other metric shows one, it becomes the metric of `fair` and of the result.
 */
int cli_fair_compare(struct cli_fair *fair, const char *const directories[2],
		     struct cli_fair_result *result);
void cli_fair_session_free(struct cli_fair_session *session);
void cli_fair_result_free(struct cli_fair_result *result);

/* ---- telling (fair-tell.c) ------------------------------------------------------------------- */

/* "Degradation", "Optimization", "NoChange", "Unknown". */
const char *cli_fair_word(enum perun_answer answer);
/* What the sessions say of a metric together: a change only where each tells it. */
enum perun_answer cli_fair_agreed(const struct cli_fair_result *result, bool other);
/* The unit of a metric. */
const char *cli_fair_unit(const char *metric);
void cli_fair_print(struct cli *cli, const struct cli_fair *fair,
		    const struct cli_fair_result *result);
/* {"command", "metric", "unit", "result", "confirmed", "rate", "sessions"}. */
json_t *cli_fair_fact(const struct cli_fair *fair, const struct cli_fair_result *result);

#endif
