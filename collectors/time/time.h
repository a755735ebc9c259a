/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the collector `time` share. */
#ifndef PERUN_TIME_TIME_H
#define PERUN_TIME_TIME_H

#include "run.h"

/* The counted runs. */
struct run_results {
	struct run_result *items;
	size_t count, capacity;
	double empty;               /* seconds that an empty run takes; NaN = not known */
	const char *uncounted;      /* why no events are counted; NULL = they are */
	bool apart;                 /* events are those of `warm` alone */
	struct counter_values warm; /* of the last warm-up run */
};

/* ---- how many runs (repeats.c) ------------------------------------------------------------------ */

/* When there are enough of them. */
struct run_repeats {
	int64_t least, most;
	double precision; /* of the median: half the interval in relation to it; 0 = not asked for */
	double confidence; /* of the interval, between 0 and 1 */
	double budget;     /* seconds; 0 = none */
};

/* What the runs say together. */
struct run_verdict {
	double median, low, high, confidence; /* seconds */
	double deviation;                     /* robust; 0 when all runs are the same */
	bool sure;                            /* low and high are an interval of this confidence */
	const char *stopped; /* NULL = go on; "repeat", "precision", "budget" or "maximum" */
};

/* Whether there are enough runs for the budget; `start` as collectors_clock(0). */
bool run_budget_spent(const struct run_results *results, const struct run_repeats *repeats,
		      uint64_t start);
/* Look at the runs so far; `start` as collectors_clock(0). */
struct run_verdict run_judge(const struct run_results *results, const struct run_repeats *repeats,
			     uint64_t start);
/* How many deviations a run is away from the median; positive = it took longer. */
double run_deviations(const struct run_results *results, size_t run,
		      const struct run_verdict *verdict);
bool run_is_outlier(const struct run_results *results, size_t run,
		    const struct run_verdict *verdict);
double run_seconds(struct timeval time);
/*
 * How many times its processor time the program took, where most runs did not give up the processor by themselves: these waited for
 * nothing but their turn, so that this is what other programs cost them. 0 = it may have waited for something else, or hardly waited.
 */
double run_felt_load(const struct run_results *results);
/* Say how long the runs that are left will take, if that is long; `run` as seconds. */
void run_report_wait(struct perun_ctx *ctx, const struct run_repeats *repeats, double run,
		     int64_t left);
/* Say what the runs lack. */
void run_report(struct perun_ctx *ctx, const struct run_results *results,
		const struct run_repeats *repeats, const struct run_verdict *verdict);

/* ---- the profile (profile.c) -------------------------------------------------------------------- */

void time_fill_profile(const struct run_results *results, const struct run_verdict *verdict,
		       const struct perun_collect_job *job, struct perun_builder *builder);

#endif
