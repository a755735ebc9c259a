/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a version in a directory of their own, or checked out where the user works. */
#ifndef PERUN_CORE_RUN_WORKTREE_H
#define PERUN_CORE_RUN_WORKTREE_H

#include <perun/lib/program.h>
#include <perun/vcs.h>

#include "core/run/shell-commands.h"

struct perun_worktree {
	struct perun_vcs *vcs;
	struct perun_scratch base; /* temporary directory that holds it */
	char *root;                /* the files of the version */
	char *directory;           /* where the user is in the work tree, in it */
};

/* Export a version, for which nothing is built. `place->directory` is not used. */
int perun_worktree_open(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_preparation *place, struct perun_worktree *tree);
/*
 * In the user's own work tree: check the version out there, and run the commands of execute.pre_run. What was there is put aside before the
 * first one by perun_vcs_save_state(), and brought back by the caller.
 */
int perun_worktree_here(struct perun_ctx *ctx, struct perun_store *store,
			const struct perun_preparation *place, struct perun_worktree *tree);
void perun_worktree_close(struct perun_worktree *tree);

/* Where the user is in the work tree, in another copy of the files at `tree`. The caller frees it. */
char *perun_worktree_directory(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *tree);

#endif
