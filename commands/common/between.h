/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commits may be a change: those that were not measured, and those that a merge brought in. */
#ifndef PERUN_COMMANDS_COMMON_BETWEEN_H
#define PERUN_COMMANDS_COMMON_BETWEEN_H

#include <perun/lib/history.h>
#include <perun/store.h>

#include "between-notes.h"

/*
 * The commits after the last measured version of a strand up to version `index`, where a merge is among them; NULL = none
 * is, and the line of first parents has them all, or they cannot be listed.
 */
struct perun_between *commands_between(struct perun_ctx *ctx, struct perun_store *store,
				       const struct perun_history *history,
				       const struct perun_strand *strand, size_t index);
/* Append commits, the oldest first, as lines if there are several; `measured`: others than the last one were. */
void commands_add_commits(const struct perun_minor_version *const *versions, size_t count,
			  bool measured, struct perun_buffer *text);
void commands_add_between(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_between *between, struct perun_buffer *text);
/* The same of two versions that were compared: only the commits that changed what did, where the history knows them. */
void commands_add_compared(struct perun_ctx *ctx, struct perun_store *store,
			   const struct perun_between *between,
			   const struct commands_between_notes *notes, struct perun_buffer *text);

#endif
