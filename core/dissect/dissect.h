/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a search for the changes of a commit share. */
#ifndef PERUN_CORE_DISSECT_DISSECT_H
#define PERUN_CORE_DISSECT_DISSECT_H

#include "core/dissect/measure.h"
#include "core/dissect/needs.h"
#include "core/run/builds.h"

/* Room for a SHA-256 of a program. */
enum { CODE_BYTES = 32 };

/* A set that was tried; `trial.reason` is ours. */
struct kept_trial {
	bool *set;
	struct perun_dissect_trial trial;
	bool coded; /* `code` is known */
	unsigned char code[CODE_BYTES];
};

struct perun_dissect {
	struct perun_store *store;
	struct perun_vcs *vcs;
	struct perun_builds *builds;
	struct perun_interleave *interleave;
	struct perun_dissect_options options;
	struct perun_build *base,
		*head; /* the commit is a changed tree, where it is the user's work tree */
	struct perun_build *tree; /* where trials are made */
	char *base_root, *head_root, *tree_root;
	char *head_files;            /* where files of the commit are taken from */
	struct perun_words pristine; /* the files of the tree, sorted, before it was built */
	struct changes changes;
	struct needs needs;
	bool *present; /* what the tree has */
	bool built;    /* the tree was built since it was checked out */
	double *weights;
	struct perun_interleave_result ends;
	struct ends scale;
	struct kept_trial *trials;
	size_t trial_count, trial_capacity;
	double wanted; /* the share that a trial is compared with */
	struct perun_dissect_facts facts;
};

/* ---- trial.c --------------------------------------------------------------------------------- */

/*
 * What the parent with the changes of `set` is, compared with the share `wanted`. With `precise` its share is measured as
 * well as it can be. `*trial`, which is the search's, is valid until the next one. PERUN_NOT_COMPARED when there are
 * too many builds.
 */
int trial_make(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set, bool precise,
	       const struct perun_dissect_trial **trial);

/* ---- tree.c ---------------------------------------------------------------------------------- */

/* Give the tree the changes of `set`, and see to it that building makes all again that depends on them. */
int tree_change(struct perun_ctx *ctx, struct perun_dissect *search, const bool *set);
/* The files below a directory, sorted; without what version control keeps. */
void tree_list(const char *root, struct perun_words *names);

/* ---- code.c ---------------------------------------------------------------------------------- */

/*
 * What was built in a tree: a hash of what the programs and libraries in it have in memory, and of all other files that
 * are not sources. False where there are none.
 */
bool code_read(const struct perun_dissect *search, const char *root,
	       unsigned char code[CODE_BYTES]);

#endif
