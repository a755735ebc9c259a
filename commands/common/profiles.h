/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of profiles, registered or pending. */
#ifndef PERUN_COMMANDS_COMMON_PROFILES_H
#define PERUN_COMMANDS_COMMON_PROFILES_H

#include <perun/store.h>

#include "commands/common/change-line.h"

/*
 * Append "0@i  time  time  ./prog in.txt  2024-03-08 10:00:00  NAME" for each; `kind`: 'i' or 'p'. Registered
 * ones ('i') have a column of labels where one has any.
 */
void commands_add_profiles(struct perun_ctx *ctx, const struct perun_store *store,
			   const struct commands_screen *screen,
			   const struct perun_entries *entries, char kind,
			   struct perun_buffer *text);

/* "2024-05-17 12:30:00", in the zone of the user. */
void commands_format_time(int64_t seconds, char text[32]);

#endif
