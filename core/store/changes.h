/* SPDX-License-Identifier: BSD-3-Clause */
/* What checks found of several versions, kept in one step; private to the core. */
#ifndef PERUN_CORE_STORE_CHANGES_H
#define PERUN_CORE_STORE_CHANGES_H

#include <perun/store.h>

/* What is merged into the .changes of a version, see perun_store_save_changes(). */
struct perun_version_changes {
	const char *minor;
	const struct perun_stored_change *const *changes;
	size_t count;
	/* Commands, as in perun_stored_change, of which everything was judged: what was found of them before goes. */
	const char *const *judged;
	size_t judged_count;
};
/* Those of several versions, each of them once, in one durable step. All borrowed. */
int perun_store_save_all_changes(struct perun_ctx *ctx, struct perun_store *store,
				 const struct perun_version_changes *versions, size_t count);

#endif
