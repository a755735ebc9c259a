/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What save_state() put aside, for a version control system that cannot recover itself: a file in the user's own
 * state directory, which no repository can bring along, locked while its run goes on.
 */
#ifndef PERUN_CORE_VCS_STATE_JOURNAL_H
#define PERUN_CORE_VCS_STATE_JOURNAL_H

#include <perun/context.h>

struct perun_state_journal {
	char *path; /* NULL = none is kept */
	int lock;   /* -1 = none */
};

/*
 * Begin a journal for the repository at `url`, before anything is put aside. Without a place for it none is
 * kept. PERUN_INPUT when another process has one, or a killed one left its own.
 */
int perun_state_journal_begin(struct perun_ctx *ctx, const char *url,
			      struct perun_state_journal *journal);
/* Note what was put aside: the arguments for restore_state(). */
int perun_state_journal_note(struct perun_ctx *ctx, const struct perun_state_journal *journal,
			     bool saved, const char *state);
/*
 * Take the journal that a killed process left; `journal->path` is NULL when there is none. `*state`, the
 * caller's, is NULL when it was killed before anything was noted.
 */
void perun_state_journal_take(const char *url, struct perun_state_journal *journal, bool *saved,
			      char **state);
/* Let it go; `done`: everything is restored, and it is removed. {NULL, -1} is fine. */
void perun_state_journal_close(struct perun_state_journal *journal, bool done);

#endif
