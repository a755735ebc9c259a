/* SPDX-License-Identifier: BSD-3-Clause */
/* Making directories, with the words for what fails; private to the core. */
#ifndef PERUN_CORE_PATH_WRITE_H
#define PERUN_CORE_PATH_WRITE_H

#include <perun/lib/path.h>

/* A directory with those above it. PERUN_INPUT. */
int path_make_directories(struct perun_ctx *ctx, const char *path);

#endif
