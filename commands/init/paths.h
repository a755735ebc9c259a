/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths that need not exist. */
#ifndef PERUN_COMMANDS_INIT_PATHS_H
#define PERUN_COMMANDS_INIT_PATHS_H

#include <perun/context.h>

/* An absolute path of a path; the caller's. */
char *init_absolute_path(const char *path);
/* A directory-relative way from directory `from` to `to`, both absolute; the caller's. */
char *init_relative_path(const char *from, const char *to);

#endif
