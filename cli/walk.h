/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles below the current directory whose name matches a regular expression. */
#ifndef PERUN_CLI_WALK_H
#define PERUN_CLI_WALK_H

#include <stddef.h>

struct cli_walk {
	char **paths; /* relative, sorted */
	size_t count, capacity;
};

/*
 * Files *.perf whose path matches `expression` (POSIX extended; a text to be found when it is no
 * valid expression). Hidden directories are left out; ends after 100,000 files.
 */
void cli_walk_matching(struct cli_walk *walk, const char *expression);
void cli_walk_free(struct cli_walk *walk);

#endif
