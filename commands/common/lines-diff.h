/* SPDX-License-Identifier: BSD-3-Clause */
/* What a search for the lines of a commit found, as a part of a page: perun bisect --page and perun site. */
#ifndef PERUN_COMMANDS_COMMON_LINES_DIFF_H
#define PERUN_COMMANDS_COMMON_LINES_DIFF_H

#include <perun/json.h>
#include <perun/store.h>

/* The file that keeps it for a version; the caller frees it. */
char *commands_lines_path(struct perun_store *store, const char *version);
/* Whether there can be such a file for any version. */
bool commands_has_lines(struct perun_store *store);
/*
 * Append the diff, guilty lines marked, with what lines cost before and after in their margin. `document` is that of perun
 * bisect --lines --json, with all changes and "lines"; what it lacks is left out.
 */
void commands_lines_add(struct perun_buffer *out, const struct perun_json *document);

#endif
