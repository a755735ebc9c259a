/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions behind a change of what a command costs. */
#ifndef PERUN_CLI_SUSPECTS_H
#define PERUN_CLI_SUSPECTS_H

#include "cli/history.h"

/* Of the whole change, to be worth a line. */
#define CLI_LEAST_SHARE 0.01

/* What a function did at a change. */
struct cli_suspect {
	const char *location; /* the leaf of a stack */
	const char *path;     /* the stack with the greatest part in it; else the same */
	char *own_path;       /* its text where it is no other's */
	double before, after; /* medians */
	double p;             /* of Mann and Whitney's test, corrected for all functions */
	char *model_before, *model_after; /* NULL = none */
};

struct cli_suspects {
	struct cli_suspect *items;
	size_t count;
	struct cli_suspect_stack *stacks; /* of the profiles on both sides of the change */
	size_t stack_count, stack_capacity;
};

/* The innermost function of a stack as text; else the location itself. */
const char *cli_leaf_of(const char *location);
/* Whether a strand is part of a sum: of the same command and metric. */
bool cli_strand_in_total(const struct cli_strand *strand, const struct cli_strand *total);
/*
 * Add up a history: for each command and metric all functions (`whole`), and behind it each function
 * (stacks by their innermost one) unless it is the only one; and find the changes of all, without those
 * that so many show by chance. Free with cli_history_free().
 */
int cli_blame_strands(struct cli *cli, const struct cli_call *call,
		      const struct cli_history *history, struct cli_history *sums);

/*
 * At most `most` functions that explain a change of a sum, those with the greatest differences first,
 * without those of less than CLI_LEAST_SHARE of it. Functions that only seem to have changed, by
 * Benjamini and Hochberg over all functions of the total, are left out; unless none is certain, which
 * a few versions cannot make any. What a function did at versions apart from the change does not count.
 * Texts are borrowed from the history. Free with cli_suspects_free().
 */
int cli_suspects_find(struct cli *cli, const struct cli_history *history,
		      const struct cli_strand *total, const struct perun_change_point *point,
		      size_t most, struct cli_suspects *suspects);
void cli_suspects_free(struct cli_suspects *suspects);
/* The part of the change that a function made; negative when it went the other way. */
double cli_suspect_share(const struct cli_suspect *suspect, const struct perun_change_point *point);
/*
 * Note the kinds of the best models in the profiles of a version, and what their stacks cost, as of
 * `after` or before the change.
 */
int cli_suspects_profiles(struct cli *cli, const struct cli_strand *total, const char *minor,
			  bool after, struct cli_suspects *suspects);

/* ---- stacks (suspect-paths.c) ------------------------------------------------------------------ */

/* Note what stacks cost in a profile; then, of both sides, find the one of each function that changed most. */
int cli_suspects_take_stacks(struct cli *cli, const struct perun_profile *profile,
			     const char *metric_name, bool after, struct cli_suspects *suspects);
void cli_suspects_choose_paths(struct cli_suspects *suspects);
void cli_suspects_free_stacks(struct cli_suspects *suspects);

#endif
