/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening the vcs of a store with the options that its configuration has. */
#ifndef PERUN_CORE_VCS_OPEN_H
#define PERUN_CORE_VCS_OPEN_H

#include <perun/vcs.h>

/* perun_vcs_open() with options as a document, {"longest_log": 100}; NULL = the defaults. */
int perun_vcs_open_with(struct perun_ctx *ctx, const char *type, const char *url,
			const struct perun_json *options, struct perun_vcs **result);

#endif
