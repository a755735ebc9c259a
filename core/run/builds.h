/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions that are checked out and built: those that are kept, and those whose files are changed. */
#ifndef PERUN_CORE_RUN_BUILDS_H
#define PERUN_CORE_RUN_BUILDS_H

#include <perun/lib/run.h>

#include "core/run/files.h"
#include "core/run/worktree.h"

struct perun_builds {
	struct perun_store *store;
	struct perun_vcs *vcs;
	struct perun_words commands; /* of the shell, run in the root of the files one by one */
	struct perun_files files;    /* that each version gets */
	uint64_t files_hash;
	struct perun_words made; /* versions that were built by us */
	bool again;              /* build also what is there */
	struct perun_run_listener listener;
};

struct perun_build {
	char *minor;
	char *base;      /* directory of the cache entry; the files are in its "tree" */
	char *directory; /* where the user is in the work tree, in them */
	char *log;       /* of what its log is; NULL = build */
	int lock;        /* shared while it is used */
	bool cached;     /* it was there already */
	/* Whose it is, if its files are changed while it is open: never complete, removed at the end; or NULL. */
	const struct perun_builds *changed_by;
};

/* A hash of the commands, of what they build with, and of the files that each version gets: other ones make other builds. */
uint64_t perun_builds_hash(const struct perun_builds *builds);
/*
 * Put the files of a version into BASE/NAME, for others to build: nothing in the repository knows of them. What a killed
 * process left there is replaced; BASE is there.
 */
int perun_builds_export(struct perun_ctx *ctx, struct perun_builds *builds, const char *version,
			const char *base, const char *name);
/* The root of its files; the caller frees it. */
char *perun_build_root(const struct perun_build *build);
/*
 * Check a version out as `name`, for the caller to change and build, always at the same place. Nobody else takes it, and
 * it is removed when it is closed; what a killed process leaves is removed like a build that was not finished.
 */
int perun_build_open_tree(struct perun_ctx *ctx, struct perun_builds *builds, const char *version,
			  const char *name, struct perun_build **build);
/* Check it out again, without what was built and changed. */
int perun_build_reset(struct perun_ctx *ctx, struct perun_builds *builds,
		      const struct perun_build *build);
/*
 * Run the commands that build it: PERUN_INPUT with `*failed` set where one fails. `*log`, unless it is NULL, is the file
 * with their output, which the caller frees.
 */
int perun_build_make(struct perun_ctx *ctx, const struct perun_builds *builds,
		     const struct perun_build *build, bool *failed, char **log);
/*
 * A place for a copy of such a tree as it was built with `content`, a word that names what was changed: `cached` if the copy
 * is there, else the caller's to fill, with perun_build_finish_copy() at the end. It is kept like versions, and closed with
 * perun_build_close(). NULL where another process uses it, or it cannot be made.
 */
struct perun_build *perun_build_open_copy(const struct perun_builds *builds,
					  const struct perun_build *build, const char *content);
/* The copy is whole, or removed. */
void perun_build_finish_copy(struct perun_ctx *ctx, const struct perun_builds *builds,
			     struct perun_build *copy, bool whole);

#endif
