/* SPDX-License-Identifier: BSD-3-Clause */
/* What the strands of a history show so far, kept so that one more version does not take all of them. */
#ifndef PERUN_CORE_HISTORY_SO_FAR_H
#define PERUN_CORE_HISTORY_SO_FAR_H

#include <perun/lib/history.h>

/*
 * Keep what all strands of a history show, whose options are those of perun_deviations_load(): before its changes are
 * found. Nothing is kept of a few versions, or where names of files are joined.
 */
void history_keep_so_far(struct perun_ctx *ctx, struct perun_store *store,
			 struct perun_history *history);
/*
 * The history of the last versions of `*line`, which becomes its own and is NULL then, in the place of that of all: where
 * the last version of all is certain to have no change, by what is kept of those before. It has no changes; its strands that
 * the last version has are as those of all, as far as VERSIONS_BEFORE values back. NULL = the history of all is needed.
 */
#define VERSIONS_BEFORE 50
int history_load_last(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_history_options *options, struct perun_version_line **line,
		      struct perun_history **history);

#endif
