/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals of runs: which measurements were finished, so that an interrupted run can be resumed. */
#ifndef PERUN_CORE_RUN_JOURNAL_H
#define PERUN_CORE_RUN_JOURNAL_H

#include <perun/store.h>
#include <perun/profile.h>

struct perun_journal;

/*
 * Begin the journal of a plan in .perun/tmp/runs, or go on with that of an interrupted run of the same
 * plan (`resume`), if there is one. `*journal` is NULL when another process runs the same plan now.
 */
int perun_journal_open(struct perun_ctx *ctx, struct perun_store *store, const char *plan,
		       bool resume, struct perun_journal **journal);
/* Whether a run of the plan was interrupted before: how many measurements it had finished. */
size_t perun_journal_finished(const struct perun_journal *journal);
/* Whether it was resumed. */
bool perun_journal_resumed(const struct perun_journal *journal);
/* Whether the measurement `key` of a version was finished. */
bool perun_journal_has(const struct perun_journal *journal, const char *minor, const char *key);
/*
 * A profile is about to be saved (a perun_pending_note's arguments), and is there. A kill between the
 * two is understood: the file is compared with what the first one said.
 */
int perun_journal_saving(struct perun_journal *journal, struct perun_ctx *ctx, const char *minor,
			 const char *key, const char *name, const char *text, size_t length);
void perun_journal_saved(struct perun_journal *journal);
/*
 * The pending profiles of a version that earlier sessions of the run made, as far as they are still
 * pending: paths, NULL-terminated, the caller's, as is the list.
 */
char **perun_journal_pending(const struct perun_journal *journal, const char *minor);
/*
 * Parts of a measurement that takes long (one workload of many): what an earlier session measured, NULL =
 * nothing; and for the next one. A part that cannot be kept is measured again.
 */
struct perun_profile *perun_journal_part(const struct perun_journal *journal, const char *minor,
					 const char *key, size_t part);
void perun_journal_keep_part(const struct perun_journal *journal, const char *minor,
			     const char *key, size_t part, const struct perun_profile *profile);
/* The measurement is finished: its parts go. */
void perun_journal_drop_parts(const struct perun_journal *journal, const char *minor,
			      const char *key, size_t count);
/* Close it; it is deleted when the run is complete. NULL is fine. */
void perun_journal_close(struct perun_journal *journal, bool complete);

#endif
