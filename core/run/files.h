/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that each version gets before it is built: the setting execute.files. */
#ifndef PERUN_CORE_RUN_FILES_H
#define PERUN_CORE_RUN_FILES_H

#include <perun/lib/program.h>
#include <perun/store.h>
#include <perun/vcs.h>

/* {0} has none. */
struct perun_files {
	char *root; /* of the user's work tree, which they are in */
	struct perun_words
		names; /* relative to it: files, and directories with all that is in them */
};

/* What the configuration lists. Free it also after a failure. */
int perun_files_read(struct perun_ctx *ctx, struct perun_store *store, struct perun_vcs *vcs,
		     struct perun_files *files);
void perun_files_free(struct perun_files *files);
/* Copy all to the same places below `tree`, over what is there. */
int perun_files_copy(struct perun_ctx *ctx, const struct perun_files *files, const char *tree);
/* A hash of their names and what is in them; 0 of none. */
int perun_files_hash(struct perun_ctx *ctx, const struct perun_files *files, uint64_t *hash);
/* Whether all that the configuration lists can be opened, before any version is built. */
int perun_files_check(struct perun_ctx *ctx, struct perun_store *store, struct perun_vcs *vcs);

#endif
