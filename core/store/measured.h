/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as comparisons and histories want them. */
#ifndef PERUN_CORE_STORE_MEASURED_H
#define PERUN_CORE_STORE_MEASURED_H

#include <perun/json.h>
#include <perun/store.h>

/*
 * perun_store_load(), but what was imported has the same locations whether its rows or its original were stored:
 * samples of stacks without a uid get one, the innermost function.
 */
int perun_store_load_measured(struct perun_ctx *ctx, struct perun_store *store,
			      const char *checksum, struct perun_profile **profile);

/*
 * The same, with what perun_store_read_facts() would read of the object; NULL where the profile is not what the object
 * holds. The caller frees it; `facts` may be NULL.
 */
int perun_store_load_with_facts(struct perun_ctx *ctx, struct perun_store *store,
				const char *checksum, struct perun_profile **profile,
				struct perun_json **facts);

/*
 * A profile of this object is in memory: whoever loads it through this handle gets it, until it is withdrawn with NULL,
 * which it must be before the handle is closed.
 */
void perun_store_offer(struct perun_store *store, const char *checksum,
		       struct perun_profile *profile);

#endif
