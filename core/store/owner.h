/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose store it is; private to core/store. */
#ifndef PERUN_CORE_STORE_OWNER_H
#define PERUN_CORE_STORE_OWNER_H

#include <perun/context.h>

/*
 * PERUN_INPUT unless the store `path` (opened as `fd`) in the directory `root` belongs to the user, or the user
 * listed it in safe.store. Root may use its own stores and those of the user who called sudo.
 */
int perun_owner_check(struct perun_ctx *ctx, const char *root, const char *path, int fd);
/* Whether safe.store of the user's own configuration lists the store in the directory `root`. */
bool perun_owner_listed(const char *root);
/* Whether everybody may make files in a directory. */
bool perun_owner_shared(const char *directory);

#endif
