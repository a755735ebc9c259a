/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of profiles, registered or pending. */
#ifndef PERUN_COMMANDS_COMMON_PROFILES_H
#define PERUN_COMMANDS_COMMON_PROFILES_H

#include <perun/store.h>

#include "commands/common/change-line.h"

/*
 * Append "0@i  time  time  ./prog in.txt  2024-03-08 10:00:00  NAME" for each; `kind`: 'i' or 'p'. There is a
 * column of labels where perun_lookup_labels() found some.
 */
void commands_add_profiles(const struct commands_screen *screen,
			   const struct perun_entries *entries, char kind,
			   struct perun_buffer *text);
/* The labels of a profile in one line; the caller frees it. */
char *commands_labels(const struct perun_entry *entry);
/* Those of all in one line, each once, in the order of their first profile. */
void commands_list_labels(const struct perun_entries *entries, struct perun_buffer *text);
/* "1 mixed, 1 time, 2 energy": how many there are of each type, the Python program's first. */
void commands_add_kinds(const struct perun_entries *entries, bool color, struct perun_buffer *text);
/* Name pending profiles, if there are any: whoever measured and did not add sees no profiles where some are. NULL is fine. */
void commands_note_pending(struct perun_ctx *ctx, struct perun_store *store);

/* "2024-05-17 12:30:00", in the zone of the user. */
void commands_format_time(int64_t seconds, char text[32]);

#endif
