/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands that compare versions share: their options, and what they print of perun/lib/compare.h. */
#ifndef PERUN_CLI_PRINT_FINDINGS_H
#define PERUN_CLI_PRINT_FINDINGS_H

#include <perun/lib/compare.h>

#include "cli/base/cli.h"
#include "cli/print/json.h"

#define CLI_MACHINES_OPTION                                                               \
	{                                                                                 \
		.name = "across-machines",                                                \
		.help = "compare also what was measured on different classes of machines" \
	}

/* The options that cli_checker_new() reads. */
#define CLI_CHECKER_OPTIONS                                                                      \
	{.name = "models-type",                                                                  \
	 .aliases = "-m",                                                                        \
	 .metavar = "TYPE",                                                                      \
	 .type = PERUN_OPTION_CHOICE,                                                            \
	 .choices = "best-model best-param best-nonparam best-both all-models all-param "        \
		    "all-nonparam all-both",                                                     \
	 .default_value = "best-model",                                                          \
	 .help = "which models are compared by checks that compare models"},                     \
		{.name = "method",                                                               \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "a check method, instead of degradation.strategies of the "             \
			 "configuration"},                                                       \
	{                                                                                        \
		.name = "params", .aliases = "-p", .metavar = "YAML", .type = PERUN_OPTION_PATH, \
		.flags = PERUN_OPTION_REPEATABLE,                                                \
		.help = "options of the methods, as a file or as text such as 'threshold: 5'"    \
	}

/* `call` has CLI_CHECKER_OPTIONS and CLI_MACHINES_OPTION; `unchanged`: findings without a change, too. */
int cli_checker_new(struct cli *cli, const struct cli_call *call, bool unchanged,
		    struct perun_checker **checker);

/* Append the changes of a version, and a line for what is undecided unless all is asked for (--explain, --unchanged). */
void cli_add_findings(struct cli *cli, const struct cli_call *call, const char *version,
		      const char *subject, const struct perun_findings *findings,
		      struct perun_buffer *text);
/* "no change in 6 metrics, changes above 2 % excluded": a share; 0 = not known. */
void cli_print_unchanged(size_t unchanged, double excluded);
/* "judged by shift", on whose word, and of which command (NULL = several). */
void cli_print_methods(const struct perun_checker *checker, const char *command);
/* What to do for more certainty where something was measured a few times only, or on a busy machine (NULL = it was not). */
void cli_print_runs(size_t runs, const char *runs_by, const char *busy);
/* The profiles that one of the versions alone has; without `base` and `head` of one and the nearest ones before it. */
void cli_print_unpaired(const struct perun_findings *findings, const char *base, const char *head);
/* Print in how many metrics nothing changed, how many changed, and which methods judged. */
void cli_print_compared(struct cli *cli, const struct perun_checker *checker,
			const struct perun_findings *findings);
/* Say that nothing was compared and why, and what to do; the status of that. `base` NULL = what is before the head. */
int cli_fail_not_compared(struct cli *cli, const char *reason);
int cli_fail_nothing(struct cli *cli, const struct perun_findings *findings, const char *base,
		     const char *head);
/* In a line: that profiles were measured on other machines. */
void cli_note_elsewhere(struct cli *cli, size_t count, const char *difference);

#endif
