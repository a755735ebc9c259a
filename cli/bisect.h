/* SPDX-License-Identifier: BSD-3-Clause */
/* A search for the commit that made a program slower. */
#ifndef PERUN_CLI_BISECT_H
#define PERUN_CLI_BISECT_H

#include "cli/fair.h"

/* What is known of a version. */
enum step_answer { STEP_FAST, STEP_SLOW, STEP_OPEN, STEP_UNBUILT };

struct step {
	size_t commit;
	enum step_answer answer;
	size_t pairs; /* runs of it, and of the good version */
	double rate;  /* its median, divided by that of the good version */
};

/* A version between the good and the bad one. */
struct commit {
	char *checksum, *subject;
	size_t *parents; /* those that are among them, too */
	size_t parent_count;
	bool suspect; /* it may have brought the change */
	bool skipped; /* it cannot be told */
};

struct search {
	struct cli *cli;
	const struct perun_options *options;
	struct perun_vcs *vcs;
	struct perun_builds *builds;
	struct perun_build *good, *bad;
	struct perun_interleave *interleave;
	struct perun_interleave_result ends; /* the good and the bad version compared */
	double delta;           /* by so much is the bad one slower, as a share of both */
	double deviation;       /* of such differences of two runs */
	double error;           /* of one step */
	struct commit *commits; /* those reachable from the bad one but not from the good */
	size_t count, capacity;
	size_t last; /* the bad one, as far as is known */
	struct step *steps;
	size_t step_count, step_capacity;
	bool json;
};

/* Read the versions between two; PERUN_USAGE when there are none. */
int cli_bisect_load(struct search *search, const char *good, const char *bad);
/* The version to try next; false when no further one says more. */
bool cli_bisect_next(const struct search *search, size_t *next);
/* Narrow the suspects down by what a step found. */
void cli_bisect_take(struct search *search, const struct step *step);
void cli_bisect_print_step(const struct search *search, const struct step *step);
/* Print what was found. */
void cli_bisect_tell(const struct search *search);
void cli_bisect_free(struct search *search);

#endif
