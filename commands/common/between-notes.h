/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the commits between two versions changed what: what the history of those that were measured says. */
#ifndef PERUN_COMMANDS_COMMON_BETWEEN_NOTES_H
#define PERUN_COMMANDS_COMMON_BETWEEN_NOTES_H

#include <perun/lib/compare.h>
#include <perun/lib/history.h>

struct commands_between_notes {
	size_t count; /* of commits, in the order of perun_between_at() */
	char **texts; /* "parse time(real), print time(real)": what changed at each, NULL = nothing */
	bool any;     /* of them is not NULL */
	bool all;     /* changes were found at some of the commits */
};

/*
 * Of what became worse or better from a base to a head the commits at which the history, up to the head, has it. A commit
 * is noted only where it was measured, and the one before it, and is no merge. Free with commands_between_notes_free(), also after a failure.
 */
int commands_note_between(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_between *between,
			  const struct perun_findings *findings,
			  struct commands_between_notes *notes);
void commands_between_notes_free(struct commands_between_notes *notes);

#endif
