/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary directories that are told from those that killed processes left. */
#ifndef PERUN_JOB_SCRATCH_H
#define PERUN_JOB_SCRATCH_H

#include <perun/context.h>

struct perun_scratch {
	char *path;   /* NULL = none was made */
	char *record; /* the file that says so, for when this process is killed; NULL = none */
	int lock;     /* on the record: held until the directory is removed; -1 = none */
};

/* Make PREFIX-RANDOM in $TMPDIR, or /tmp. What killed processes left is removed first. */
PERUN_EXPORT int perun_scratch_make(struct perun_ctx *ctx, const char *prefix,
				    struct perun_scratch *scratch);
/*
 * The same in memory, in /dev/shm, if that is a file system of its own kind with room enough and the user did
 * not say by TMPDIR where temporary files go; false: none is made.
 */
PERUN_EXPORT bool perun_scratch_make_quick(const char *prefix, struct perun_scratch *scratch);
/* Remove the directory with all that is in it. Nothing happens when none was made. */
PERUN_EXPORT void perun_scratch_remove(struct perun_scratch *scratch);

/*
 * Remove the directories that killed processes of this user left, wherever they are, and return how many. Each
 * is known by a record in $XDG_STATE_HOME/perun/scratch; without such a place nothing is known of them.
 */
PERUN_EXPORT size_t perun_scratch_clear(void);

#endif
