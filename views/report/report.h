/* SPDX-License-Identifier: BSD-3-Clause */
/* What changed between two profiles, gathered for people and programs. */
#ifndef PERUN_VIEWS_REPORT_REPORT_H
#define PERUN_VIEWS_REPORT_REPORT_H

#include <perun/view.h>

#include "views/common/tree.h"

/* Own cost of a function by one caller: what it was and is. */
struct report_caller {
	char *name; /* NULL = no caller: the function is the root of the stack */
	long double base, new;
};

/* A function whose own value changed. */
struct report_function {
	struct views_row *row; /* of report->rows */
	struct report_caller *callers;
	size_t caller_count, caller_capacity;
	char **path; /* the calls through which most of the change came, the root first */
	size_t path_count, path_capacity;
	bool path_is_cut; /* it goes on towards the root */
	bool noise;       /* a difference as small as chance makes */
};

/* The sum of a metric over all rows; NaN where the profile has it not. */
struct report_metric {
	const char *name, *unit; /* of a profile */
	long double base, new;   /* in the same unit */
	bool comparable;         /* its units convert */
};

struct report {
	struct perun_ctx *ctx;
	const struct perun_options *options;
	struct views_pair pair;
	const struct views_data *base, *new;
	struct views_rows rows; /* of all functions, the largest own change first */
	struct report_function *functions;
	size_t function_count;
	size_t others;             /* functions that changed and are not reported */
	long double grown, shrunk; /* sums of the own changes up and down; shrunk is not negative */
	struct report_metric *metrics;
	size_t metric_count, metric_capacity;
	bool sampled;  /* noise is what sampling makes by chance */
	bool repeated; /* it is what runs differ by; neither: it is not known */
	bool exact;    /* there is none: the program repeats what is counted */
	char **remarks;
	size_t remark_count, remark_capacity;
};

/* Gather all; report_free() also after a failure. */
int report_gather(struct report *report, struct perun_profile *const *profiles,
		  const char *const *names);
void report_free(struct report *report);

/* Mark what is within the differences of runs, which both profiles repeat (runs.c). */
int report_judge_runs(struct report *report, struct perun_profile *const *profiles);

/* Whether both profiles have stacks. */
bool report_knows_callers(const struct report *report);
/* Find callers and paths of the functions that are reported. */
int report_find_paths(struct report *report);
/* Sum all metrics of both profiles. */
int report_sum_metrics(struct report *report);
/* Say what makes the comparison weaker than it looks. */
void report_add_remarks(struct report *report);

/* Append the report: for a terminal or as Markdown; as JSON. */
void report_add_text(const struct report *report, const struct perun_canvas *canvas,
		     struct perun_buffer *out);
void report_add_json(const struct report *report, struct perun_buffer *out);

#endif
