/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's own configuration file; private to core/config. */
#ifndef PERUN_CORE_CONFIG_SHARED_H
#define PERUN_CORE_CONFIG_SHARED_H

#include <sys/types.h>

#include <perun/context.h>

/* Its text; false when it is missing or cannot be read. `*path`: caller frees. */
bool perun_shared_read(struct perun_buffer *text, char **path);
/* Its path, after making it with the defaults if it is missing. Caller frees. */
int perun_shared_make(struct perun_ctx *ctx, char **path);
/* A file outside of a store. */
int perun_shared_read_file(struct perun_ctx *ctx, const char *path, struct perun_buffer *text);

#endif
