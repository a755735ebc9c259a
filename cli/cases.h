/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of a sweep: a profile that holds measurements of several workloads or parameters. */
#ifndef PERUN_CLI_CASES_H
#define PERUN_CLI_CASES_H

#include <perun/query.h>
#include <perun/store.h>

/*
 * A case is the rows with the same workload, else with the same parameters. A profile of more cases than a
 * person looks at one by one has none, and neither has one without a sweep.
 */
struct cli_cases {
	struct perun_groups *groups; /* a group for each case; NULL = no sweep */
	char **texts;                /* "workload=8", "p=2 n=100" */
	size_t count;                /* at least 1: without a sweep there is one case of all rows */
};

int cli_cases_find(struct perun_ctx *ctx, const struct perun_table *resources,
		   struct cli_cases *cases);
void cli_cases_free(struct cli_cases *cases);
/* The number of a row's case, and what it is called: "" without a sweep. */
uint32_t cli_case_of(const struct cli_cases *cases, uint32_t row);
const char *cli_case_text(const struct cli_cases *cases, uint32_t number);
/* Put the rows of each group, rows[starts[g]] to rows[starts[g + 1] - 1], in the order of cases. */
void cli_cases_sort(const struct cli_cases *cases, uint32_t *rows, const size_t *starts,
		    size_t groups);

/*
 * What a measurement is of. Indexes do not keep the arguments (the profile does). All are the caller's: the
 * command with its arguments, the workload with the case, and both in one line.
 */
char *cli_measured_command(const struct perun_entry *entry, const char *arguments);
char *cli_measured_workload(const struct perun_entry *entry, const char *text);
char *cli_measured_line(const struct perun_entry *entry, const char *arguments, const char *text);

#endif
