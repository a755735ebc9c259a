/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions, lists of profiles and lists of changes as status, log and check print them. */
#ifndef PERUN_CLI_LISTING_H
#define PERUN_CLI_LISTING_H

#include <perun/check.h>
#include <perun/lib/lookup.h>
#include <perun/store.h>
#include <perun/vcs.h>

#include "cli/cli.h"

/* ---- versions (version-text.c) --------------------------------------------------------------- */

/* "Author: ...", "Parent: ..." lines. */
void cli_print_version_head(const struct perun_minor_version *version);

/* The kinds that profiles are counted by. */
enum { CLI_MEMORY, CLI_MIXED, CLI_TIME, CLI_OTHER, CLI_TYPES };
struct cli_counts {
	size_t all, types[CLI_TYPES];
};
struct cli_counts cli_count(const struct perun_entries *entries);
/* "2 tracked profiles (1 mixed, 1 time)" or "(no tracked profiles)", without newline. */
void cli_print_counts(struct cli *cli, const struct cli_counts *counts, const char *what);

/* ---- tables of profiles (profile-table.c) ---------------------------------------------------- */

/*
 * Print tables of profiles by a format such as "%type% | %time:19%": first the columns' widths are
 * taken from all lists that will be shown, then each is printed.
 */
struct cli_table;
/* Fails when the format names an unknown field. `*table` is freed with cli_table_free(). */
int cli_table_new(struct cli *cli, const char *format, struct cli_table **table);
void cli_table_free(struct cli_table *table);
void cli_table_measure(struct cli_table *table, const struct perun_entries *entries);
/* `kind`: 'i' or 'p', for the column of tags. */
void cli_table_print(struct cli *cli, struct cli_table *table, const struct perun_entries *entries,
		     char kind);

/* ---- changes (change-list.c) ----------------------------------------------------------------- */

/* "2 changes | +-" and, for `both`, "1 optimizations(+), 1 degradations(-)". */
void cli_print_change_summary(struct cli *cli, const struct perun_stored_change *changes,
			      size_t count, bool both);
/* "++--": without newline; at most `limit` characters, 0 = all. Returns how many. */
size_t cli_change_marks(const struct perun_stored_change *changes, size_t count,
			struct perun_buffer *marks);
/* All changes by location, or "no changes found". Appends lines; `indent` goes before each. */
void cli_add_change_list(struct cli *cli, const struct perun_stored_change *changes, size_t count,
			 struct perun_buffer *text);

#endif
