/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles below the current directory, and pending ones, whose name matches a regular expression. */
#ifndef PERUN_CORE_LOOKUP_MATCHING_FILES_H
#define PERUN_CORE_LOOKUP_MATCHING_FILES_H

#include <stddef.h>

#include <perun/store.h>

struct perun_matching_files {
	char **paths; /* pending ones first, then those below the current directory, relative and sorted */
	size_t count, capacity;
};

/*
 * Files *.perf whose path matches `expression` (POSIX extended; a text to be found when it is no
 * valid expression). Hidden directories are left out; ends after 100,000 files. Before them come those of
 * `jobs`, a folder with its `pending` profiles, whose name matches; NULL = none.
 */
void perun_matching_files_find(struct perun_matching_files *walk, const char *expression,
			       const char *jobs, const struct perun_entries *pending);
void perun_matching_files_free(struct perun_matching_files *walk);

#endif
