/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun run does with runs: plan, measure, look, collect. */
#ifndef COMMANDS_COMMON_RUNS_H
#define COMMANDS_COMMON_RUNS_H

#include <perun/command.h>
#include <perun/lib/cells.h>
#include <perun/lib/run.h>

/* Which executor does it, and how: of any command that has cells. */
#define RUNS_EXECUTOR_OPTIONS(HELP, EXAMPLE)                                                     \
	{.name = "executor", .metavar = "NAME", .type = PERUN_OPTION_STRING, .help = (HELP)},    \
		{.name = "executor-params",                                                      \
		 .metavar = "YAML",                                                              \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .help = "options of the executor, as a file or as text such as '" EXAMPLE "'"}, \
	{                                                                                        \
		.name = "class", .metavar = "NAME", .type = PERUN_OPTION_STRING,                 \
		.help = "the class of machines among those that the setting executors has"       \
	}

/* Options of perun run that are about cells. */
#define RUNS_OPTIONS                                                                              \
	RUNS_EXECUTOR_OPTIONS("measure in cells, which this executor starts: local, slurm, ...",  \
			      "jobs: 2"),                                                         \
		{.name = "jobs",                                                                  \
		 .metavar = "N",                                                                  \
		 .type = PERUN_OPTION_INTEGER,                                                    \
		 .help = "measure in cells on this machine, N at a time, each on processors of "  \
			 "its own; those that take times run alone all the same",                 \
		 .ranged = true,                                                                  \
		 .minimum = 1,                                                                    \
		 .maximum = 1024},                                                                \
		{.name = "together",                                                              \
		 .help = "with --jobs: run cells that take times at the same time as others, "    \
			 "too, which disturbs them"},                                             \
		{.name = "parameter",                                                             \
		 .metavar = "NAME=VALUE,...",                                                     \
		 .type = PERUN_OPTION_STRING,                                                     \
		 .flags = PERUN_OPTION_REPEATABLE,                                                \
		 .help = "measure with each value, which takes the place of {NAME} in commands, " \
			 "arguments and workloads"},                                              \
		{.name = "scratch",                                                               \
		 .metavar = "DIR",                                                                \
		 .type = PERUN_OPTION_PATH,                                                       \
		 .help = "build versions in this directory, which all machines see"},             \
		{.name = "plan-only", .help = "write the plan of the cells, and start nothing"},  \
		{.name = "wait", .help = "wait for the cells and collect them"},                  \
		{.name = "cell",                                                                  \
		 .metavar = "RUN:K",                                                              \
		 .type = PERUN_OPTION_STRING,                                                     \
		 .help = "measure one cell of a run, without its store"},                         \
	{                                                                                         \
		.name = "build", .metavar = "RUN:V", .type = PERUN_OPTION_STRING,                 \
		.help = "build one version of a run, without its store"                           \
	}

/* Modules of a job: what runs_plan_job() reads. */
#define RUNS_MODULE_OPTIONS                                                                   \
	{.name = "collector",                                                                 \
	 .aliases = "-c",                                                                     \
	 .metavar = "NAME",                                                                   \
	 .type = PERUN_OPTION_STRING,                                                         \
	 .flags = PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,                            \
	 .help = "a collector"},                                                              \
		{.name = "collector-params",                                                  \
		 .aliases = "-cp",                                                            \
		 .metavar = "NAME YAML",                                                      \
		 .values = 2,                                                                 \
		 .type = PERUN_OPTION_STRING,                                                 \
		 .flags = PERUN_OPTION_REPEATABLE,                                            \
		 .help = "options of a collector, as a file or as text such as 'repeat: 5'"}, \
		{.name = "postprocessor",                                                     \
		 .aliases = "-p",                                                             \
		 .metavar = "NAME",                                                           \
		 .type = PERUN_OPTION_STRING,                                                 \
		 .flags = PERUN_OPTION_REPEATABLE,                                            \
		 .help = "a postprocessor that each profile goes through"},                   \
	{                                                                                     \
		.name = "postprocessor-params", .aliases = "-pp", .metavar = "NAME YAML",     \
		.values = 2, .type = PERUN_OPTION_STRING, .flags = PERUN_OPTION_REPEATABLE,   \
		.help = "options of a postprocessor"                                          \
	}

/* Fails with the first cell that is not done, as number I of a `kind` ("part"), and why. */
int runs_check_done(struct perun_ctx *ctx, const struct perun_run_cells *cells,
		    const struct perun_run_status *status, const char *kind);

/* The words of perun run and of its sub-command. */
struct runs_words {
	const struct perun_options *options, *before; /* before: may be NULL */
};

/* Put what the options say into a plan: the programs and modules of perun run job. */
int runs_plan_job(struct perun_ctx *ctx, const struct perun_options *options,
		  struct perun_plan *plan);
/* Whether a plan is measured in cells; parameters of the options are in the plan then. */
int runs_in_cells(struct perun_ctx *ctx, const struct runs_words *words, struct perun_plan *plan,
		  bool *cells);
/* Plan, start, and where asked for wait and collect. */
int runs_start(struct perun_ctx *ctx, const struct perun_command_call *call,
	       const struct runs_words *words, const struct perun_plan *plan,
	       const struct perun_run_options *options);
/* perun run --cell and --build. PERUN_USAGE where neither is given. */
int runs_task(struct perun_ctx *ctx, const struct perun_command_call *call);

/* The sub-commands, in the order of RUNS_COMMANDS. */
extern const struct perun_command runs_commands[];
extern const struct perun_option runs_list_options[], runs_run_options[];

/* Their entries in a table of sub-commands; `RUN` runs the command in their member `plugin`. */
#define RUNS_COMMAND(NUMBER, NAME, SUMMARY, OPTIONS, RUN)                         \
	{                                                                         \
		.name = NAME, .summary = SUMMARY, .options = OPTIONS, .run = RUN, \
		.plugin = &runs_commands[NUMBER]                                  \
	}
#define RUNS_COMMANDS(RUN)                                                                       \
	RUNS_COMMAND(0, "list", "list the runs", runs_list_options, RUN),                        \
		RUNS_COMMAND(1, "show", "list the cells of a run as they are planned",           \
			     runs_run_options, RUN),                                             \
		RUNS_COMMAND(2, "status", "say where the cells of a run are", runs_run_options,  \
			     RUN),                                                               \
		RUNS_COMMAND(3, "wait", "wait for the cells of a run and collect them",          \
			     runs_run_options, RUN),                                             \
		RUNS_COMMAND(4, "resume", "measure the cells of a run that were lost or failed", \
			     runs_run_options, RUN),                                             \
		RUNS_COMMAND(5, "cancel", "end the cells of a run that have not ended",          \
			     runs_run_options, RUN),                                             \
		RUNS_COMMAND(6, "collect", "register what the cells of a run measured so far",   \
			     runs_run_options, RUN)

#endif
