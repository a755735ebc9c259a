/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a search for the changes of a commit share. */
#ifndef PERUN_CORE_DISSECT_DISSECT_H
#define PERUN_CORE_DISSECT_DISSECT_H

#include "core/dissect/costs.h"
#include "core/dissect/functions.h"
#include "core/dissect/measure.h"
#include "core/dissect/needs.h"
#include "core/dissect/file-list.h"
#include "core/run/builds.h"

/* Room for a SHA-256 of a program. */
enum { CODE_BYTES = 32 };

/* A set that was tried; `trial.reason` is ours. */
struct kept_trial {
	bool *set;
	struct perun_dissect_trial trial;
	bool precise; /* its share was measured as well as it can be */
	bool coded;   /* `code` is known */
	bool resumed; /* by an interrupted search */
	unsigned char code[CODE_BYTES];
};

/* A tree that trials are made in. */
struct workspace {
	struct perun_build *build;
	char *root;
	bool *present; /* the changes that it has */
	bool built;    /* since it was checked out */
	char *copied;  /* where the last copy of it is; NULL = there is none */
};

/* How a set was built. */
struct made {
	bool failed; /* a command that builds did */
	bool kept;   /* it was built before: nothing was done */
	char *log;   /* the file, which the caller frees; NULL = there is none */
};

struct ahead;

/* What a search would try if a set were slow, or fast: it runs on known trials alone, and ends at the first other one. */
struct oracle {
	const bool *set;
	enum perun_dissect_answer answer;
	bool *next;
	bool found;
};

struct perun_dissect {
	struct perun_store *store;
	struct perun_vcs *vcs;
	struct perun_builds *builds;
	struct perun_interleave *interleave;
	struct perun_dissect_options options;
	struct perun_build *base,
		*head;          /* the commit is a changed tree, where it is the user's work tree */
	struct workspace *tree; /* where the next trial is made */
	char *base_root, *head_root;
	char *head_files;            /* where files of the commit are taken from */
	struct perun_words pristine; /* the files of the tree, sorted, before it was built */
	struct changes changes;
	struct needs needs;
	double *weights;
	bool *acquitted; /* taken for innocent while that explains all */
	struct functions functions;
	struct costs costs;
	struct perun_interleave_result ends;
	struct ends scale;
	struct kept_trial *trials;
	size_t trial_count, trial_capacity;
	size_t tried;    /* trials, each time that one is made again counted */
	double wanted;   /* the share that a trial is compared with */
	double deadline; /* of the monotonic clock */
	size_t left;     /* about how many more builds */
	char *kept_path; /* the file of the trials */
	struct ahead *ahead;
	const struct oracle *asked; /* NULL = it is a real search */
	struct perun_dissect_facts facts;
};

/* ---- search.c -------------------------------------------------------------------------------- */

/* The whole search, as the trials answer. Roles and shares are set. */
int search_run(struct perun_ctx *ctx, struct perun_dissect *search);
/*
 * Of a set that is slow with what it needs of `within`, leave out what it is slow without, one by one. The roles of what is
 * left: guilty, or needed where it does not build without it.
 */
int search_refine(struct perun_ctx *ctx, struct perun_dissect *search, const bool *within,
		  bool *found);
/* Of `candidates`, as few as can be that are slow with what they need; with `strict` all that is taken for slow was tried. */
int search_reduce(struct perun_ctx *ctx, struct perun_dissect *search, const bool *candidates,
		  bool strict, bool *found);
/* The share that counts as none. */
double search_least_share(const struct perun_dissect *search);

/* ---- finest.c -------------------------------------------------------------------------------- */

/* Take guilty changes apart into single lines, and search among these. */
int finest_run(struct perun_ctx *ctx, struct perun_dissect *search);

/* ---- kept-trials.c --------------------------------------------------------------------------- */

/* Name the file that trials of such a search are kept in; `diff` is what is searched. */
void kept_name(struct perun_dissect *search, const char *base, const char *head,
	       const struct perun_buffer *diff);
/* Take the trials that are there. What cannot be read is as if it were not there. */
void kept_load(struct perun_dissect *search);
/* Write them, as well as it goes: a search does not fail for it. */
void kept_save(const struct perun_dissect *search);
void kept_forget(const struct perun_dissect *search);

/* ---- ahead.c --------------------------------------------------------------------------------- */

/* Trees for builds that are made ahead; NULL where there are none. */
int ahead_new(struct perun_ctx *ctx, struct perun_dissect *search, const char *base,
	      struct ahead **ahead);
void ahead_free(struct perun_dissect *search);
/* Begin to build what may come after the trial of `set`. */
void ahead_start(struct perun_dissect *search, const bool *set);
/*
 * Where a set was built ahead, or is being built: wait for it and make its tree that of the search. `*status` and
 * `*made` are those of tree_make().
 */
bool ahead_take(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set, int *status,
		struct made *made);

/* ---- trial.c --------------------------------------------------------------------------------- */

/* One that is kept already, or NULL. */
struct kept_trial *trial_find(struct perun_dissect *search, const bool *set);
struct kept_trial *trial_add(struct perun_dissect *search, const bool *set);
/*
 * What the parent with the changes of `set` is, compared with the share `wanted`. With `precise` its share is measured as
 * well as it can be, and again where it was known from a trial that the search chose for it: of many trials the one that
 * is far from the others may be so by chance. `*trial`, which is the search's, is valid until the next one.
 * PERUN_NOT_COMPARED when there are too many builds.
 */
int trial_make(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set, bool precise,
	       const struct perun_dissect_trial **trial);

/* ---- tree.c ---------------------------------------------------------------------------------- */

/*
 * Give the tree the changes of `set` and build it, or make it what it was when the same was built before, by whichever search.
 * Fails as perun_build_make() does.
 */
int tree_make(struct perun_ctx *ctx, const struct perun_dissect *search,
	      const struct perun_builds *builds, struct workspace *tree, const bool *set,
	      struct made *made);
int tree_open(struct perun_ctx *ctx, const struct perun_dissect *search, const char *base,
	      const char *name, struct workspace **tree);
void tree_close(struct workspace *tree);

/* ---- code.c ---------------------------------------------------------------------------------- */

/*
 * What was built in a tree: a hash of what the programs and libraries in it have in memory, and of all other files that
 * are not sources. False where there are none.
 */
bool code_read(const struct perun_dissect *search, const char *root,
	       unsigned char code[CODE_BYTES]);

#endif
