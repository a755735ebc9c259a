/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's editor. */
#ifndef PERUN_COMMANDS_COMMON_EDIT_H
#define PERUN_COMMANDS_COMMON_EDIT_H

#include <perun/store.h>

/* Whether the program that a command of the shell begins with is there, as far as can be determined. */
bool commands_is_installed(const char *command);
/* Open a file in the user's editor and wait. `store` may be NULL. */
int commands_edit_file(struct perun_ctx *ctx, struct perun_store *store, const char *path);

#endif
