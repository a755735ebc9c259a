/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a program is between two others: 0 is as the first, 1 as the second. */
#ifndef PERUN_CORE_DISSECT_MEASURE_H
#define PERUN_CORE_DISSECT_MEASURE_H

#include <perun/lib/interleave.h>

/* What the comparison of both says. */
struct ends {
	bool second; /* the second metric distinguishes them better */
	double before, after;
	double delta;     /* after - before; negative for an improvement */
	double deviation; /* of such differences of two runs, as a share of delta */
	double least;     /* the deviation to reckon with at least */
	bool exact;       /* all differences are next to the same */
};

/* What both compared say, `delta` of another sign than it should have where they are not distinguished. */
void measure_ends(const struct perun_interleave *interleave,
		  const struct perun_interleave_result *result, struct ends *ends);

/*
 * Whether the change that a metric shows is the one that `ends` shows. `busy`: waiting for a processor stretches real times, so
 * that those of the program itself have a part of the difference, and the same factor.
 */
bool measure_shows_as_much(const struct ends *other, const struct ends *ends, bool busy);
/* The share of the change that counts as none; `threshold`: a share of `before`; `timed`: the metric is a time. */
double measure_least_share(const struct ends *ends, double threshold, bool timed);

/* Half of an interval that needs no more runs. */
#define MEASURE_PRECISE 0.04
/* A share that is known so well and is still not clear of the one in question is on either side. */
#define MEASURE_EQUAL 0.02

struct position {
	size_t rounds;           /* of all three */
	size_t runs;             /* of any of them */
	double share, uncertain; /* half of the 95 % interval */
};

/*
 * Run all three, the first two being the ends, until it is clear on which side of the share `wanted` the third one is, or,
 * with `precise`, where it is; what is counted and is the same in each run at both ends is clear after one run. Until
 * `deadline` (of the monotonic clock) at the latest.
 */
int measure_position(struct perun_ctx *ctx, struct perun_interleave *interleave,
		     const char *const directories[3], const struct ends *ends, double wanted,
		     bool precise, double deadline, struct position *position);

#endif
