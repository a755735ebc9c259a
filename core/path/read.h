/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files as a whole. */
#ifndef PERUN_CORE_PATH_READ_H
#define PERUN_CORE_PATH_READ_H

#include <perun/context.h>

/*
 * Append a regular file of at most `limit` bytes, byte for byte; below .perun no link is followed. PERUN_INPUT where it
 * cannot be read, is something else (nothing is waited for) or has more.
 */
int path_read(struct perun_ctx *ctx, const char *path, size_t limit, struct perun_buffer *text);

#endif
