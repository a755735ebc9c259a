/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a search for a commit share. */
#ifndef PERUN_CORE_INTERLEAVE_BISECT_H
#define PERUN_CORE_INTERLEAVE_BISECT_H

#include <perun/lib/bisect.h>
#include <perun/vcs.h>

/* A version between the good and the bad one. */
struct commit {
	struct perun_bisect_commit facts;
	size_t *parents; /* those that are among them, too */
	size_t parent_count;
	bool skipped; /* undecided, or it does not build */
};

struct perun_bisect {
	struct perun_builds *builds;
	struct perun_build *good, *bad;
	struct perun_interleave *interleave;
	struct perun_interleave_result ends; /* the good and the bad version compared */
	double delta;           /* how much slower the bad one is, as a share of both */
	double deviation;       /* of such differences of two runs */
	double error;           /* of one step */
	struct commit *commits; /* those reachable from the bad one but not from the good */
	size_t count, capacity;
	size_t last; /* the bad one, as far as is known */
	struct perun_bisect_step *steps;
	size_t step_count, step_capacity;
};

/* Read the versions between two; PERUN_USAGE when there are none. */
int bisect_load(struct perun_ctx *ctx, struct perun_bisect *bisect, struct perun_vcs *vcs,
		const char *good, const char *bad);
/* The version to try next; false when no further one says more. */
bool bisect_choose(const struct perun_bisect *bisect, size_t *next);
/* Narrow the suspects down by what was found of a commit. */
void bisect_narrow(struct perun_bisect *bisect, size_t commit, enum perun_bisect_answer answer);

#endif
