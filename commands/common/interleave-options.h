/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of commands that run a program alternately: perun compare, bisect and doctor. */
#ifndef PERUN_COMMANDS_COMMON_INTERLEAVE_OPTIONS_H
#define PERUN_COMMANDS_COMMON_INTERLEAVE_OPTIONS_H

#include <perun/lib/interleave.h>
#include <perun/option.h>

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
		 .help = "the smallest change that counts"},                                       \
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
		{.name = "explain", .help = "print the statistics of each session"},               \
		{.name = "ignore-status", .help = "accept a program that ends with a failure"},    \
	{                                                                                          \
		.name = "timeout", .metavar = "DURATION", .type = PERUN_OPTION_DURATION,           \
		.ranged = true, .maximum = 1e9, .help = "kill a run that takes longer, and fail"   \
	}

/*
 * Prepare to run `argv` (borrowed) as these options say, which are borrowed until it is freed with
 * perun_interleave_free().
 */
int commands_interleave_new(struct perun_ctx *ctx, const struct perun_options *options,
			    char *const *argv, struct perun_interleave **interleave);

/* The values of an option as an array that ends with NULL; free it, not the texts, with perun_free(). */
const char **commands_words(const struct perun_options *options, const char *name);

#endif
