/* SPDX-License-Identifier: BSD-3-Clause */
/* What profiles say of a metric, kept beside the store, so that a new version does not redo the past. */
#ifndef PERUN_CLI_HISTORY_CACHE_H
#define PERUN_CLI_HISTORY_CACHE_H

#include <perun/profile.h>

#include "cli/cli.h"

/*
 * A file for each metric, .perun/cache/history-NUMBER, with a record for each object that was read,
 * found by the checksum of the object: objects never change, so a record never becomes wrong. The
 * file carries a hash of its bytes and the version of the program; one that is damaged or older counts
 * for nothing and is made anew. It is replaced atomically. What is not kept is read from the store.
 */
struct cli_history_cache;

/* `metric` NULL = the first one of each profile. Never fails: then the cache is empty. */
struct cli_history_cache *cli_history_cache_open(struct cli *cli, const char *metric);
/* Write it, if there is anything new. Who cannot write goes without. */
void cli_history_cache_close(struct cli_history_cache *cache);
/* Remove all of them: perun gc. */
void cli_history_cache_clear(struct cli *cli);

/* A record. Texts and numbers are borrowed from the bytes it is read from. */
struct cli_kept {
	bool there;          /* the profile has the metric */
	const char *machine; /* "machine" of the document, as JSON */
	const char *arguments;
	const char *name, *unit;
	enum perun_direction better;
	uint32_t groups; /* that cli_kept_group() gives */
	const char *at, *end;
};
/* Whether the object is known. */
bool cli_history_cache_find(const struct cli_history_cache *cache, const char *checksum,
			    struct cli_kept *kept);
/*
 * The next uid with the case of a sweep, see cases.h; the values are not aligned: copy them. False at the
 * end, or when the bytes end.
 */
bool cli_kept_group(struct cli_kept *kept, const char **location, const char **text,
		    const void **values, uint32_t *count);

/* Begin a record of an object, then its groups. `metric` NULL = the profile has it not. */
void cli_history_cache_add(struct cli_history_cache *cache, const char *checksum,
			   const struct perun_profile *profile, const struct perun_metric *metric,
			   uint32_t groups);
void cli_history_cache_add_group(struct cli_history_cache *cache, const char *location,
				 const char *text, const double *values, size_t count);
/* The record is whole: it can be found from now on. */
void cli_history_cache_end(struct cli_history_cache *cache);

#endif
