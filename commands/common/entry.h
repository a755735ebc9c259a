/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile measured, for people. */
#ifndef COMMANDS_COMMON_ENTRY_H
#define COMMANDS_COMMON_ENTRY_H

#include <perun/format.h>
#include <perun/store.h>

/* Append "./a x.txt (time, collected by time)". */
void commands_add_entry(struct perun_buffer *out, const struct perun_entry *entry);

#endif
