/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of what the user trusts; private to core/config. */
#ifndef PERUN_CORE_CONFIG_TRUST_RECORD_H
#define PERUN_CORE_CONFIG_TRUST_RECORD_H

#include <perun/json.h>

/*
 * A store has one record: the file $XDG_STATE_HOME/perun/trust/HASH, where HASH is that of its place (the
 * canonical path of .perun). It holds the hash of the place with the settings, and for people the place.
 */
bool perun_trust_is_recorded(const char *place, const struct perun_json *settings);
int perun_trust_write(struct perun_ctx *ctx, const char *place, const struct perun_json *settings);
int perun_trust_remove(struct perun_ctx *ctx, const char *place, bool *was);

#endif
