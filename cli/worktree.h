/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a version in a directory of their own, prepared by execute.pre_run. */
#ifndef PERUN_CLI_WORKTREE_H
#define PERUN_CLI_WORKTREE_H

#include "cli/cli.h"
#include "core/job/scratch.h"

struct cli_worktree {
	struct perun_vcs *vcs;
	struct perun_scratch base; /* temporary directory that holds it */
	char *root;                /* the files of the version */
	char *directory;           /* where the user stands, in it */
};

/* Export a version and run the commands of execute.pre_run in it. */
int cli_worktree_open(struct cli *cli, struct perun_vcs *vcs, const char *minor,
		      struct cli_worktree *tree);
void cli_worktree_close(struct cli *cli, struct cli_worktree *tree);

/* Where the user stands, in another copy of the files at `tree`. The caller frees it. */
char *cli_worktree_directory(struct cli *cli, struct perun_vcs *vcs, const char *tree);
/*
 * Run a shell command in a directory; its output goes to the file `log`, to standard error when that is
 * -1. Its exit status, 128 and the signal's number, or -1 when it could not be run.
 */
int cli_shell(const char *command, const char *directory, int log);

#endif
