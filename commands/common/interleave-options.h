/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of commands that run a program alternately: perun compare, bisect and doctor. */
#ifndef PERUN_COMMANDS_COMMON_INTERLEAVE_OPTIONS_H
#define PERUN_COMMANDS_COMMON_INTERLEAVE_OPTIONS_H

#include <perun/lib/interleave.h>
#include <perun/option.h>
#include <perun/store.h>

/* The options of commands that run a program alternately. */
#define COMMANDS_INTERLEAVE_OPTIONS                                                                \
	{.name = "metric",                                                                         \
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
		 .help = "maximum number of runs while undecided (default: 8 times as many, or "   \
			 "what --budget allows)"},                                                 \
		{.name = "budget",                                                                 \
		 .metavar = "DURATION",                                                            \
		 .type = PERUN_OPTION_DURATION,                                                    \
		 .ranged = true,                                                                   \
		 .minimum = 1e-3,                                                                  \
		 .maximum = 1e9,                                                                   \
		 .help = "how long the runs of a command may take in all (default: any time; "     \
			 "without --most quick programs are run for up to 30 s)"},                 \
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
		 .help = "the smallest change that counts; degradation.thresholds may name "       \
			 "another one for a program"},                                             \
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
		{.name = "stdin",                                                                  \
		 .aliases = "--input",                                                             \
		 .metavar = "FILE",                                                                \
		 .type = PERUN_OPTION_PATH,                                                        \
		 .help = "standard input of each run (default: empty)"},                           \
		{.name = "env",                                                                    \
		 .metavar = "NAME=VALUE",                                                          \
		 .type = PERUN_OPTION_STRING,                                                      \
		 .flags = PERUN_OPTION_REPEATABLE,                                                 \
		 .help = "set an environment variable"},                                           \
		{.name = "shell", .help = "run the command with /bin/sh"},                         \
		{.name = "explain", .help = "print the statistics of each session"},               \
		{.name = "ignore-status", .help = "accept a program that ends with a failure"},    \
	{                                                                                          \
		.name = "timeout", .metavar = "DURATION", .type = PERUN_OPTION_DURATION,           \
		.ranged = true, .maximum = 1e9, .help = "kill a run that takes longer, and fail"   \
	}

/* A program that is run, and what its workload says beside the options; ends of arrays are NULL, members may be. */
struct commands_program {
	char *const *argv;
	const char *const *environment;
	const char *input;
	bool shell;
};

/*
 * Prepare to run a program (borrowed) as it says and these options say, which are borrowed, too, until it is freed with
 * perun_interleave_free(). `store` is asked for the program's own threshold; NULL = there is none.
 */
int commands_interleave_program(struct perun_ctx *ctx, struct perun_store *store,
				const struct perun_options *options,
				const struct commands_program *program,
				struct perun_interleave **interleave);
/* The same as a document, for another process (perun_interleave_of_document()). */
int commands_interleave_document(struct perun_ctx *ctx, struct perun_store *store,
				 const struct perun_options *options,
				 const struct commands_program *program,
				 struct perun_json **document);
/* The same for the words of a program alone. */
int commands_interleave_new(struct perun_ctx *ctx, const struct perun_options *options,
			    char *const *argv, struct perun_interleave **interleave);

/* The values of an option as an array that ends with NULL; free it, not the texts, with perun_free(). */
const char **commands_words(const struct perun_options *options, const char *name);

#endif
