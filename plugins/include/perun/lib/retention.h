/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long registered profiles stay, where many come in by the hour.
 * Of the growing part of the interface: see perun/lib/version.h.
 * As a store, these belong to one thread at a time.
 */
#ifndef PERUN_LIB_RETENTION_H
#define PERUN_LIB_RETENTION_H

#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ages in seconds. */
struct perun_retention {
	uint32_t struct_size;
	int64_t all; /* what is younger stays; 0 = all stays, however old */
	int64_t hourly; /* then the newest one of each hour stays, up to this age, and of each day from there on */
	bool dry_run;
};
/*
 * What the settings store.retention.all and store.retention.hourly say. PERUN_INPUT where one is no duration, or the second
 * is less than the first.
 */
PERUN_EXPORT int perun_retention_find(struct perun_ctx *ctx, struct perun_store *store,
				      struct perun_retention *retention);
/* A profile that goes, with the version that it was registered with; all borrowed. */
typedef void perun_retention_visit(void *data, const char *minor, const struct perun_entry *entry);
/*
 * Take out of the indexes what does not stay; objects do. Hours and days, of UTC, are counted for each version and each series: type,
 * command, arguments, workload, collector, postprocessors and labels. The newest profile of each series of a version
 * stays at any age, and so does every profile of a version that a tag of the vcs names, or a finding of a check. Each version is changed in one durable
 * step; a failure leaves the others as they are. `visit` may be NULL.
 */
PERUN_EXPORT int perun_store_retain(struct perun_ctx *ctx, struct perun_store *store,
				    const struct perun_retention *retention,
				    perun_retention_visit *visit, void *data);

#ifdef __cplusplus
}
#endif

#endif
