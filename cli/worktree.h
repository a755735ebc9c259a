/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a version in a directory of their own, prepared by execute.pre_run. */
#ifndef PERUN_CLI_WORKTREE_H
#define PERUN_CLI_WORKTREE_H

#include "cli/cli.h"
#include "core/job/scratch.h"
#include "core/job/words.h"

struct cli_worktree {
	struct perun_vcs *vcs;
	struct perun_scratch base; /* temporary directory that holds it */
	char *root;                /* the files of the version */
	char *directory;           /* where the user stands, in it */
};

/*
 * Export a version and run the commands of execute.pre_run in it; what they print goes to the file `log`,
 * which messages call `log_path`.
 */
int cli_worktree_open(struct cli *cli, struct perun_vcs *vcs, const char *minor, int log,
		      const char *log_path, struct cli_worktree *tree);
/*
 * The same in the user's own work tree: check the version out there. What was there is put aside before the
 * first one by perun_vcs_save_state(), and brought back by the caller.
 */
int cli_worktree_here(struct cli *cli, struct perun_vcs *vcs, const char *minor, int log,
		      const char *log_path, struct cli_worktree *tree);
void cli_worktree_close(struct cli *cli, struct cli_worktree *tree);

/* Where the user stands, in another copy of the files at `tree`. The caller frees it. */
char *cli_worktree_directory(struct cli *cli, struct perun_vcs *vcs, const char *tree);
/* The commands of a setting: a list of texts, or one text. Added to `commands`. */
int cli_commands_read(struct cli *cli, const char *key, struct perun_words *commands);
/*
 * Run the commands that build a version, one after the other, until one fails: PERUN_INPUT with `*failed`
 * set. The message names the log.
 */
int cli_commands_build(struct cli *cli, const struct perun_words *commands, const char *minor,
		       const char *directory, int log, const char *log_path, bool *failed);
/* Open .perun/logs/VERSION-NAME.log for writing it anew; -1 = it cannot be. `*path` is the caller's. */
int cli_log_open(struct cli *cli, const char *minor, const char *name, char **path);

#endif
