/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of a sweep: a profile that holds measurements of several workloads or parameters. */
#ifndef PERUN_CORE_HISTORY_CASES_H
#define PERUN_CORE_HISTORY_CASES_H

#include <perun/query.h>

/*
 * A case is the rows with the same workload, else with the same parameters. A profile of more cases than a
 * person looks at one by one has none, and neither has one without a sweep.
 */
struct perun_cases {
	struct perun_groups *groups; /* a group for each case; NULL = no sweep */
	char **texts;                /* "workload=8", "p=2 n=100" */
	size_t count;                /* at least 1: without a sweep there is one case of all rows */
};

int perun_cases_find(struct perun_ctx *ctx, const struct perun_table *resources,
		     struct perun_cases *cases);
void perun_cases_free(struct perun_cases *cases);
/* The number of a row's case, and what it is called: "" without a sweep. */
uint32_t perun_case_of(const struct perun_cases *cases, uint32_t row);
const char *perun_case_text(const struct perun_cases *cases, uint32_t number);
/* Put the rows of each group, rows[starts[g]] to rows[starts[g + 1] - 1], in the order of cases. */
void perun_cases_sort(const struct perun_cases *cases, uint32_t *rows, const size_t *starts,
		      size_t groups);

#endif
