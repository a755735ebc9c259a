/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary directories that are told from those that killed processes left. */
#ifndef PERUN_JOB_SCRATCH_H
#define PERUN_JOB_SCRATCH_H

#include <perun/context.h>

struct perun_scratch {
	char *path; /* NULL = none was made */
	int lock; /* held until the directory is removed, and dropped with its process; -1 = none */
};

/*
 * Make PREFIX-XXXXXX in $TMPDIR, or /tmp. Directories of the same prefix and the same user that no
 * process holds any more are removed first, unless they are younger than a minute.
 */
PERUN_EXPORT int perun_scratch_make(struct perun_ctx *ctx, const char *prefix,
				    struct perun_scratch *scratch);
/*
 * The same in memory, in /dev/shm, if that is a file system of its own kind with room enough and the user did
 * not say by TMPDIR where temporary files go; false: none is made.
 */
PERUN_EXPORT bool perun_scratch_make_quick(const char *prefix, struct perun_scratch *scratch);
/* Remove the directory with all that is in it. Nothing happens when none was made. */
PERUN_EXPORT void perun_scratch_remove(struct perun_scratch *scratch);

#endif
