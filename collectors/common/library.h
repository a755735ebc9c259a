/* SPDX-License-Identifier: BSD-3-Clause */
/* Where files of collectors are that are no plugins: what is loaded into programs, what starts them. */
#ifndef PERUN_COLLECTORS_LIBRARY_H
#define PERUN_COLLECTORS_LIBRARY_H

#include <perun/context.h>

/*
 * The path of such a file: what the environment variable says, beside the plugin, or where plugins
 * are installed. The caller frees it, also after a failure.
 */
int collectors_find_library(struct perun_ctx *ctx, const char *name, const char *variable,
			    char **path);

#endif
