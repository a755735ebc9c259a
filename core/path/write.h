/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing; private to the core. */
#ifndef PERUN_CORE_PATH_WRITE_H
#define PERUN_CORE_PATH_WRITE_H

#include <stddef.h>

#include <perun/context.h>

/* Write everything; 0 or an errno. */
int perun_write_all(int fd, const void *data, size_t size);
/* A directory with those above it. PERUN_INPUT. */
int path_make_directories(struct perun_ctx *ctx, const char *path);

#endif
