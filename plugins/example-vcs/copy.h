/* SPDX-License-Identifier: BSD-3-Clause */
/* Copying and removing whole directories. */
#ifndef TAGIT_COPY_H
#define TAGIT_COPY_H

#include <perun/context.h>

/* Copy files, directories and symbolic links; `target` must not exist. */
int tagit_copy_directory(struct perun_ctx *ctx, const char *source, const char *target);
int tagit_remove_directory(struct perun_ctx *ctx, const char *directory);

#endif
