/* SPDX-License-Identifier: BSD-3-Clause */
/* Commits in lines, each with the worst that was found of it. */
#ifndef PERUN_COMMANDS_COMMON_COMMITS_H
#define PERUN_COMMANDS_COMMON_COMMITS_H

#include <perun/vcs.h>

#include "commands/common/columns.h"

/* The columns of such a list. */
extern const struct commands_column commands_commit_columns[];
/*
 * Add a commit and, below it, its worst change that nobody acknowledged, in the words of every command, and how many
 * more there are. `kinds`: its profiles, "1 memory, 2 time"; NULL = none.
 */
void commands_add_commit(struct commands_columns *list, const struct commands_screen *screen,
			 const struct perun_minor_version *version, const char *kinds,
			 const struct perun_stored_findings *stored);
/* The changes that nobody acknowledged; the caller frees the array, the changes are borrowed. */
struct perun_stored_change *commands_news(const struct perun_stored_findings *stored,
					  size_t *count);

#endif
