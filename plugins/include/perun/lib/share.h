/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharing a store through the repositories of a team. Of the growing part of the interface: see perun/lib/version.h.
 * Threads: as a store, these belong to one thread at a time.
 */
#ifndef PERUN_LIB_SHARE_H
#define PERUN_LIB_SHARE_H

#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Each store is a writer with a name of its own, and adds what it has to the files that its vcs keeps for this writer
 * (perun_vcs_share_add()): profiles with their attachments, and what people said of changes and directions of metrics.
 * What came from others is in the store like all else, and is not sent on. It is data: verified when it comes, and
 * nothing in it is run.
 *
 * Killed at any moment, all that was there stays, and the same call again does the rest. One process of a store shares
 * at a time; a second one waits, and fails with PERUN_INPUT when that takes too long.
 */
struct perun_share_options {
	uint32_t struct_size;
	const char *remote; /* as the vcs names it */
	/* Fetching: profiles of versions committed before, in seconds since the epoch, are left out; 0 = none. */
	int64_t since;
	/* Fetching: only profiles with this in the name of their class of machine; NULL = all. */
	const char *machine;
};

/* What was sent or has come now. */
struct perun_shared {
	uint32_t struct_size;
	size_t profiles;
	size_t statements; /* acknowledged changes and directions */
	size_t writers;    /* others with anything new */
	size_t left_out;   /* by the options */
	size_t damaged;    /* what others have that cannot be used; a warning says why */
	char writer[65];   /* of this store; "" = it has not sent anything yet */
};

PERUN_EXPORT int perun_share_push(struct perun_ctx *ctx, struct perun_store *store,
				  const struct perun_share_options *options,
				  struct perun_shared *shared);
PERUN_EXPORT int perun_share_fetch(struct perun_ctx *ctx, struct perun_store *store,
				   const struct perun_share_options *options,
				   struct perun_shared *shared);

/*
 * The profiles that a store sent in a month (UTC) are a generation. Remove from a remote those of this store whose month ended
 * this many seconds ago. What others fetched stays with them, and nothing that was removed is sent again; what people said stays, and so
 * does all that other writers sent. `visit`, unless NULL, gets the name of each generation, such as alice-3f09c2d1-202611.
 * PERUN_MISSING where the vcs cannot do this.
 */
struct perun_share_drop_options {
	uint32_t struct_size;
	const char *remote;
	int64_t older_than;
	bool dry_run;
};
typedef void perun_share_drop_visit(void *data, const char *generation);
PERUN_EXPORT int perun_share_drop(struct perun_ctx *ctx, struct perun_store *store,
				  const struct perun_share_drop_options *options,
				  perun_share_drop_visit *visit, void *data);

#ifdef __cplusplus
}
#endif
#endif
