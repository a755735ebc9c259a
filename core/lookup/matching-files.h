/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles below the current directory whose name matches a regular expression. */
#ifndef PERUN_CORE_LOOKUP_MATCHING_FILES_H
#define PERUN_CORE_LOOKUP_MATCHING_FILES_H

#include <stddef.h>

struct perun_matching_files {
	char **paths; /* relative, sorted */
	size_t count, capacity;
};

/*
 * Files *.perf whose path matches `expression` (POSIX extended; a text to be found when it is no
 * valid expression). Hidden directories are left out; ends after 100,000 files.
 */
void perun_matching_files_find(struct perun_matching_files *walk, const char *expression);
void perun_matching_files_free(struct perun_matching_files *walk);

#endif
