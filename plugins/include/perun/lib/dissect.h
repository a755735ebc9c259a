/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the changes of a commit that made a program slower: which of its hunks, by building the parent with
 * some of them and running it alternately with both. Of the growing part of the interface: see perun/lib/version.h.
 *
 * Threads: a search and what it was made with belong to one thread at a time.
 */
#ifndef PERUN_LIB_DISSECT_H
#define PERUN_LIB_DISSECT_H

#include <perun/lib/interleave.h>
#include <perun/lib/run.h>

#ifdef __cplusplus
extern "C" {
#endif

enum perun_dissect_kind {
	PERUN_DISSECT_CHANGE_LINES,    /* a hunk of a text */
	PERUN_DISSECT_CHANGE_ADDED,    /* a new file */
	PERUN_DISSECT_CHANGE_REMOVED,  /* a file that is gone */
	PERUN_DISSECT_CHANGE_REPLACED, /* a file that is not a text */
	PERUN_DISSECT_CHANGE_RENAMED, /* the name of a file; what changed in it are changes of their own */
	PERUN_DISSECT_CHANGE_MODE /* the permissions of a file */
};

enum perun_dissect_role {
	PERUN_DISSECT_INNOCENT, /* without it the program is as slow */
	PERUN_DISSECT_GUILTY,
	PERUN_DISSECT_NEEDED, /* a guilty change does not build without it */
	PERUN_DISSECT_OPEN    /* among those that could not be decided */
};

/* A change of the commit. Its texts are the search's. */
struct perun_dissect_change {
	uint32_t struct_size;
	enum perun_dissect_kind kind;
	enum perun_dissect_role role;
	const char *file, *old_file; /* in the commit and in its parent */
	size_t old_start, old_lines; /* as `git diff -U0` counts them; 0 if it is not lines */
	size_t new_start, new_lines; /* likewise */
	const char *function;        /* the line that names what is around it; "" = not known */
	const char *removed, *added; /* the lines, each with its end */
	double share; /* of the slowdown, what this change carries; NAN = not known */
};

/* A function that either build spends time in, by samples: milliseconds of a run, before and after. */
struct perun_dissect_function {
	uint32_t struct_size;
	const char *name;
	double self[2], total[2]; /* total: with what it calls */
	bool noise; /* `self` moved by no more than two standard deviations of the numbers of samples */
};

/* A line that either build spends time in, with what it calls: milliseconds of a run. Lines of a build have its numbers. */
struct perun_dissect_line {
	uint32_t struct_size;
	const char *file; /* as the program says it */
	size_t line;
	double cost[2];
};

enum perun_dissect_answer {
	PERUN_DISSECT_FAST, /* nearer to the parent: it carries less than 5/12 of what is searched for */
	PERUN_DISSECT_SLOW,      /* nearer to the commit */
	PERUN_DISSECT_UNRESOLVED /* it does not build, or not run, or fails the test */
};

/* A set of changes that was tried on the parent. */
struct perun_dissect_trial {
	uint32_t struct_size;
	enum perun_dissect_answer answer;
	size_t changes;     /* of the set */
	size_t left;        /* about how many more builds there will be */
	size_t number;      /* of the trial, from 1 on */
	size_t rounds;      /* runs of each of the three; 0 = not run */
	bool identical;     /* what was built is the same as of another set: it was not run */
	double share;       /* of the slowdown; NAN = not run */
	double uncertain;   /* half of the 95 % interval of `share` */
	const char *reason; /* why it is unresolved; NULL = it is not */
	bool kept;          /* the same was built before, and kept: it was not built again */
};

struct perun_dissect_options {
	uint32_t struct_size;
	bool better; /* search for what made it faster */
	const char *
		test; /* a command of the shell; a set where it does not end with 0 is unresolved; NULL = none */
	size_t max_builds; /* 0 = 100 */
	double budget;     /* seconds for all of it; 0 = any time */
	size_t jobs;       /* builds that are made ahead while runs go on */
	bool finest;       /* take guilty changes apart into single lines */
	bool resume;       /* take what an interrupted search of the same found out */
	bool no_samples;   /* do not sample both builds for where they spend their time */
	/* Called after each trial; NULL = nobody. */
	void (*tried)(void *data, const struct perun_dissect_trial *trial);
	void *data; /* of `tried` */
};

struct perun_dissect;

/*
 * Take apart what `head` (a checksum; NULL = the tracked files of the user's work tree) changed against `base`, and build
 * both. `builds` and `interleave` are borrowed until it is freed, and the texts of `options`. PERUN_USAGE when there is
 * no change. Free with perun_dissect_free(), which takes NULL, too.
 */
PERUN_EXPORT int perun_dissect_new(struct perun_ctx *ctx, struct perun_store *store,
				   struct perun_builds *builds, struct perun_interleave *interleave,
				   const char *base, const char *head,
				   const struct perun_dissect_options *options,
				   struct perun_dissect **lines);
PERUN_EXPORT void perun_dissect_free(struct perun_dissect *search);
/*
 * Compare both, before the search. There is something to search for if the answer is PERUN_VERDICT_INCREASE, or with
 * `better` PERUN_VERDICT_DECREASE. `*result` is the search's; `*identical` says that both are the same program, which
 * was not run then.
 */
PERUN_EXPORT int perun_dissect_compare(struct perun_ctx *ctx, struct perun_dissect *search,
				       const struct perun_interleave_result **result,
				       bool *identical);
/*
 * Search. The changes have their roles and shares then. A search that is cancelled, or ends with PERUN_NOT_COMPARED
 * because builds or the budget are used up, leaves what is certain, and its trials for `resume`. Delta debugging (Zeller, "Yesterday, my program worked. Today,
 * it does not. Why?", 1999), with halves by probability instead of by number, and once more for what the set that was
 * found does not carry.
 */
PERUN_EXPORT int perun_dissect_search(struct perun_ctx *ctx, struct perun_dissect *search);

/* What was found, after the search. */
struct perun_dissect_facts {
	uint32_t struct_size;
	const char *metric;
	double base, head; /* medians of the metric, of the comparison */
	double alone; /* share of the slowdown that base with the guilty changes has; NAN = not measured */
	double rest; /* share that the commit without them has; NAN = not measured */
	double alone_uncertain, rest_uncertain;
	bool certain;  /* alone carries it, and the rest is as fast as the parent */
	bool together; /* no guilty change is slow without the others */
	/* Of trials, without what was built before and kept, and single runs of programs in them. */
	size_t builds, runs;
	/* Why the search ended before all was decided; NULL = it is complete. Changes with the role OPEN are left. */
	const char *ended;
	size_t resumed; /* trials that an interrupted search had made */
	/* No part of the guilty changes and those that they need builds: which of them are guilty is what samples say. */
	bool by_samples;
};
PERUN_EXPORT const struct perun_dissect_facts *
perun_dissect_facts(const struct perun_dissect *search);
/* What costs more or less, by the greatest difference of self costs first; NULL after the last one. */
PERUN_EXPORT const struct perun_dissect_function *
perun_dissect_function(const struct perun_dissect *search, size_t i);
/* Lines with costs, in no order; NULL after the last one. */
PERUN_EXPORT const struct perun_dissect_line *perun_dissect_line(const struct perun_dissect *search,
								 size_t i);
/* Where a file of the commit is as long as the search is; the caller frees it. */
PERUN_EXPORT char *perun_dissect_path(const struct perun_dissect *search, const char *file);
PERUN_EXPORT size_t perun_dissect_changes(const struct perun_dissect *search);
PERUN_EXPORT const struct perun_dissect_change *
perun_dissect_change(const struct perun_dissect *search, size_t i);

#ifdef __cplusplus
}
#endif
#endif
