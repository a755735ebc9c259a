/* SPDX-License-Identifier: BSD-3-Clause */
/* The strands of two versions, and how those of each kind are judged. */
#ifndef PERUN_CORE_COMPARE_COMPARE_H
#define PERUN_CORE_COMPARE_COMPARE_H

#include <perun/lib/compare.h>

/* The two sides of a comparison. */
enum { BEFORE, AFTER, SIDES };

/* The numbers that a side has of a strand, profile by profile. */
struct compare_side {
	double *values;
	size_t count, capacity;
	double deviation; /* the standard error of one value that a file carries, as a share; 0 = none */
	double *profiles; /* of each profile the median, of functions the sum; NaN = it has none */
};

struct compare_strand {
	struct perun_compared found;
	size_t metric; /* its number: strands of a metric follow each other */
	size_t number; /* in the order of the profiles */
	double sample; /* what one sample adds, in the unit */
	bool stacks;   /* the cost of a function */
	bool whole;    /* everything; it has no location */
	bool says, higher;
	bool counts;   /* `verdict` is on counts of samples */
	bool judged;   /* by `verdict`, whose p waits for all others */
	bool apart;    /* its units do not convert */
	bool moved;    /* its change went to another function */
	bool answered; /* undecided, and another clock of the same has the answer */
	bool pauses;   /* the second version lacks it, and a later one has it again */
	const char *
		failed; /* why the benchmark has no value in the second version; NULL = it did not fail */
	double least_p; /* of counts: what p would be if all samples were on one side */
	struct perun_verdict verdict;
	struct perun_verdict_options options;
	struct compare_side sides[SIDES];
};

struct perun_comparisons {
	struct compare_strand *strands;
	size_t count, capacity;
	size_t profiles[SIDES]; /* how many each side has */
	double loads[SIDES]; /* processes for each processor, as profiles state; 0 = they do not */
	bool recorded;       /* all profiles are of runs from start to end */
	char **texts;
	size_t text_count, text_capacity;
	char **notes;
	size_t note_count, note_capacity;
};

/* Keep a text (taken) as long as the comparisons. */
const char *compare_keep(struct perun_comparisons *all, char *text);
/* Keep a note (taken), unless there is one of the same words. */
void compare_note(struct perun_comparisons *all, char *note);
static inline bool compare_has(const struct compare_strand *strand, int side)
{
	return strand->sides[side].count > 0;
}
/* Whether another strand is of the same metric. */
bool compare_same_metric(const struct compare_strand *one, const struct compare_strand *other);
/* The end of the strands of the metric that begins at `first`. */
size_t compare_end(const struct perun_comparisons *all, size_t first);
/* The result of a change to larger or smaller values. */
enum perun_result compare_result(const struct compare_strand *strand, bool more);

/* ---- strands.c -------------------------------------------------------------------------------- */
int compare_gather(struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   const struct perun_compare_options *options, struct perun_comparisons *all);

/* ---- timed.c, sampled.c, functions.c ---------------------------------------------------------- */
/* Judge a strand that both sides have; may run on any thread. */
void compare_timed(struct compare_strand *strand);
void compare_exact(struct compare_strand *strand, const struct perun_compare_options *options);
/* Of exact values of the metric that begins at `first`: what others show to vary by as much did not change. */
void compare_exact_spread(struct perun_comparisons *all, size_t first);
/* Real times that changed where processor times did not: the machine was busy. Parts of a time that did not change. */
void compare_clocks(struct perun_comparisons *all);
/* What ticks and waits leave undecided, by the sum of user and system time. */
void compare_sums(struct perun_comparisons *all);
/*
 * By how much, as a share, strands differ at least before that says anything: by what several profiles and earlier
 * versions show, and, for few runs, by the other strands.
 */
void compare_spread(const struct perun_comparison *comparison, struct perun_comparisons *all);
/* What the history of the two versions says of a strand decides. */
void compare_steps(const struct perun_comparison *comparison, struct perun_comparisons *all,
		   const struct perun_compare_options *options);
/*
 * Functions of sampled profiles get the levels of their history as well, which are divided by what all its profiles have
 * in common: once it is known which of them say something.
 */
void compare_sampled_levels(const struct perun_comparison *comparison,
			    struct perun_comparisons *all);
/* Judge all strands of samples of the metric that begins at `first`: PERUN_OK, or cancelled. */
int compare_sampled(struct perun_ctx *ctx, struct perun_comparisons *all, size_t first);
/* Of functions: what matters in the whole, what only moved, and which totals say something of their own. */
void compare_functions(struct perun_comparisons *all, size_t first,
		       const struct perun_compare_options *options);

#endif
