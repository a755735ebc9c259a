/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which settings of a store can run something, and whether the user trusts them.
 * Of the growing part of the interface: see perun/lib/version.h.
 * As a store, these belong to one thread at a time.
 */
#ifndef PERUN_LIB_TRUST_H
#define PERUN_LIB_TRUST_H

#include <perun/json.h>
#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A store may come from anywhere: with a clone, in an archive, by a copy. What its local.yml can run counts only
 * when the user trusts it, which is recorded outside of the store, for its place and for exactly these settings.
 * perun_config_get(), perun_config_document() and perun_config_gather() ask for it, so whoever reads a command from
 * a configuration to run it passes here. Settings of the run (-c) and of the user's own file are trusted.
 */
enum perun_trust {
	PERUN_TRUST_NOTHING,  /* nothing in local.yml can run anything */
	PERUN_TRUST_GIVEN,    /* by perun trust, or by the commands that wrote it */
	PERUN_TRUST_VARIABLE, /* for this run, by PERUN_TRUST=yes */
	PERUN_TRUST_MISSING
};

/*
 * The state, and the settings of local.yml that can run something: an object from keys to values, the caller's.
 * `settings` may be NULL.
 */
PERUN_EXPORT int perun_trust_state(struct perun_ctx *ctx, struct perun_store *store,
				   enum perun_trust *state, struct perun_json **settings);
/* Record that exactly these settings are trusted in this place. */
PERUN_EXPORT int perun_trust_record(struct perun_ctx *ctx, const struct perun_store *store,
				    const struct perun_json *settings);
/* Take the record away; `*was` says whether there was one. */
PERUN_EXPORT int perun_trust_revoke(struct perun_ctx *ctx, const struct perun_store *store,
				    bool *was);

/* Whether what local.yml has under a key (nothing is fine) may be used to run something. */
PERUN_EXPORT bool perun_trust_allows(struct perun_ctx *ctx, struct perun_store *store,
				     const char *key);
/* Whether something was wanted of the store that is not trusted. */
PERUN_EXPORT bool perun_trust_refused(const struct perun_store *store);

/*
 * What the user writes by our commands is trusted: ask before whether that may follow, since nothing that was there
 * is untrusted, and record after what is there now. That is left out, with a note, where it may not follow or the
 * vcs tracks a file of the store, which is others' to change then. A failure is a warning.
 */
PERUN_EXPORT bool perun_trust_may_follow(struct perun_store *store);
PERUN_EXPORT void perun_trust_follow(struct perun_ctx *ctx, struct perun_store *store, bool may);

#ifdef __cplusplus
}
#endif
#endif
