/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions, lists of profiles and lists of changes as status, log and check print them. */
#ifndef PERUN_CLI_PRINT_LISTING_H
#define PERUN_CLI_PRINT_LISTING_H

#include <perun/check.h>
#include <perun/lib/lookup.h>
#include <perun/store.h>
#include <perun/vcs.h>

#include "cli/base/cli.h"
#include "commands/common/change-line.h"

/* ---- versions (version-text.c) --------------------------------------------------------------- */

/* "Author: ...", "Parent: ..." lines. */
void cli_print_version_head(const struct perun_minor_version *version);

/* The first bytes of a message, each line after an indent. */
void cli_print_message(const char *message, size_t length, const char *indent);

/* "2 tracked profiles (1 mixed, 1 time)" or "no tracked profiles", without newline. */
void cli_print_counts(struct cli *cli, const struct perun_entries *entries, const char *what);

/* ---- tables of profiles (profile-table.c) ---------------------------------------------------- */

/*
 * Print tables of profiles by a format such as "%type% | %time:19%", or in columns that fit the terminal where
 * the format is NULL: first the columns' widths are
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

struct cli_change_counts {
	size_t better, worse, known; /* what is known counts apart, as in perun ci */
	bool any;     /* what is neither, such as a change without a direction, counts as well */
	bool untimed; /* some are of bytes and others that are no times */
};
/* Add how many changes cli_add_changes() prints. */
void cli_count_changes(const struct perun_stored_change *changes, size_t count, char *const *known,
		       size_t known_count, struct cli_change_counts *counts);
/* "1 slower, 0 faster", "1 worse, 0 better, 2 known changes", or "no changes found". */
void cli_print_change_summary(struct cli *cli, const struct cli_change_counts *counts);
/* "++--": without newline; at most `limit` characters, 0 = all. Returns how many. */
size_t cli_change_marks(const struct perun_stored_change *changes, size_t count,
			struct perun_buffer *marks);
/* What lines are printed on. */
struct commands_screen cli_screen(const struct cli *cli);
struct cli_change_list {
	const struct perun_stored_change *items;
	size_t count;
	char *const *known; /* of the first items: why they are no news, or NULL */
	size_t known_count;
	const char *version, *subject; /* what each line begins and ends with; may be NULL */
	bool alone;                    /* all are of one command, which is not repeated */
	bool explain;                  /* with how each finding came about */
	bool all;                      /* all of them in lines of their own */
	bool stored;                   /* the methods that found them follow */
};
/*
 * A line for each change, the worst first, without those that say nothing of their own; one for all that is
 * undecided. Appends nothing where there is nothing.
 */
void cli_add_changes(struct cli *cli, const struct cli_change_list *list,
		     struct perun_buffer *text);

#endif
