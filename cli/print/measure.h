/* SPDX-License-Identifier: BSD-3-Clause */
/* What the measuring commands share: their options, and what they print of a run. */
#ifndef PERUN_CLI_PRINT_MEASURE_H
#define PERUN_CLI_PRINT_MEASURE_H

#include <perun/lib/run.h>

#include "cli/base/cli.h"

/* Whether a version has a profile of a job already, said in `*has`. */
typedef int cli_has_profile(void *data, const char *cmd, const char *args, const char *workload,
			    const char *collector, bool *has);

/* What the program that is measured is given. */
#define CLI_PROGRAM_OPTIONS                                                  \
	{.name = "args",                                                     \
	 .aliases = "-a",                                                    \
	 .metavar = "ARGUMENTS",                                             \
	 .type = PERUN_OPTION_STRING,                                        \
	 .flags = PERUN_OPTION_REPEATABLE,                                   \
	 .help = "its arguments"},                                           \
	{.name = "workload",                                                 \
	 .aliases = "-w",                                                    \
	 .metavar = "WORKLOAD",                                              \
	 .type = PERUN_OPTION_PATH,                                          \
	 .flags = PERUN_OPTION_REPEATABLE,                                   \
	 .help = "a further argument that the measurements differ in"},      \
	{.name = "stdin",                                                    \
	 .metavar = "FILE",                                                  \
	 .type = PERUN_OPTION_PATH,                                          \
	 .help = "its standard input (default: empty)"},                     \
	{.name = "env",                                                      \
	 .metavar = "NAME=VALUE",                                            \
	 .type = PERUN_OPTION_STRING,                                        \
	 .flags = PERUN_OPTION_REPEATABLE,                                   \
	 .help = "set an environment variable"},                             \
	{                                                                    \
		.name = "shell",                                             \
		.help = "run command, arguments and workload with /bin/sh"   \
	}
/* Options that the measuring commands have in common; `crawl` are the short names of one of them. */
#define CLI_MEASURE_OPTIONS(crawl)                                                       \
	{.name = "minor-version",                                                        \
	 .aliases = "-m",                                                                \
	 .metavar = "REV",                                                               \
	 .type = PERUN_OPTION_STRING,                                                    \
	 .flags = PERUN_OPTION_REPEATABLE,                                               \
	 .help = "measure a version, or each of HEAD~10..HEAD, in a tree of its own"},   \
		{.name = "crawl-parents",                                                \
		 .aliases = (crawl),                                                     \
		 .help = "measure also all versions before it"},                         \
		{.name = "in-place",                                                     \
		 .help = "check versions out in your own work tree, and back again"},    \
		{.name = "output-filename-template",                                     \
		 .aliases = "-ot",                                                       \
		 .metavar = "TEMPLATE",                                                  \
		 .type = PERUN_OPTION_STRING,                                            \
		 .help = "the name of the new pending profiles"},                        \
		{.name = "force-dirty",                                                  \
		 .aliases = "-f",                                                        \
		 .help = "do not warn about uncommitted changes"},                       \
		{.name = "resume", .help = "go on with an interrupted run of the same"}, \
		{.name = "no-progress", .help = "show no progress on the terminal"},     \
	{                                                                                \
		.name = "json", .help = "print JSON"                                     \
	}

/* The revisions and the settings of a run from these options of a call; all borrowed. */
struct perun_run_options cli_run_options_of(const struct cli_call *call, struct perun_plan *plan);
/* The workloads from --workload, --stdin, --env and --shell; none where none of these is given. */
int cli_add_workloads(struct cli *cli, const struct perun_options *options,
		      struct perun_plan *plan);
/* Run a plan and print what happens, as text or, with --json, all in the end. */
int cli_measure(struct cli *cli, const struct cli_call *call, const struct perun_plan *plan,
		const struct perun_run_options *options);
/* With -v: print the commands that the shell runs. For listeners, with the cli as data. */
void cli_run_event(void *cli, const struct perun_run_event *event);
/*
 * Measure one version by the matrix of the configuration, and register the profiles with it; jobs
 * that it has profiles of are left out.
 */
int cli_measure_missing(struct cli *cli, const char *minor, cli_has_profile *has_profile,
			void *data);

#endif
