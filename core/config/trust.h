/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun/lib/trust.h says, and what the core needs besides. */
#ifndef PERUN_CORE_CONFIG_TRUST_H
#define PERUN_CORE_CONFIG_TRUST_H

#include <perun/lib/trust.h>

/* PERUN_INPUT and advice unless perun_trust_allows(), which perun_trust_refused() then remembers. */
int perun_trust_require(struct perun_ctx *ctx, struct perun_store *store, const char *key);

#endif
