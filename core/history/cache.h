/* SPDX-License-Identifier: BSD-3-Clause */
/* What was read of a store, kept beside it: a file of records that is only ever appended to. */
#ifndef PERUN_CORE_HISTORY_CACHE_H
#define PERUN_CORE_HISTORY_CACHE_H

#include <perun/store.h>

/*
 * .perun/cache/history-values holds records under keys (a kind and a checksum), each with a hash of its
 * own. Of several records of a key the last one counts. A record that is damaged counts for nothing, and
 * so does a file of another version of the program, which is replaced. Numbers are as they lie in memory:
 * other machines do not understand the file. Never fails: what cannot be kept on disk is kept in memory.
 * A handle belongs to one thread at a time; any number of processes may use the file.
 */
struct perun_history_cache;

enum perun_record_kind {
	PERUN_RECORD_VERSION = 1, /* the profiles of a version */
	PERUN_RECORD_VALUES,      /* the values of a profile */
	PERUN_RECORD_FUNCTIONS,   /* those of a profile of stacks, by function */
	PERUN_RECORD_FACTS,       /* the arguments and the machine of a profile */
	PERUN_RECORD_CHANGES,     /* the changes of strands that were judged together */
	PERUN_RECORD_PAIR,        /* what methods find of two profiles */
	PERUN_RECORD_PLAIN,       /* that a profile has neither models nor stacks */
	PERUN_RECORD_SO_FAR       /* what the strands of a line of versions show so far */
};

struct perun_history_cache *perun_history_cache_open(struct perun_store *store);
/*
 * The user's own file CACHE/perun/verdicts, in which answers are kept under the hash of all that they follow from. It
 * is not below .perun: what came with a clone must not answer. A file that others may write is not read.
 */
struct perun_history_cache *perun_verdict_cache_open(void);
void perun_history_cache_close(struct perun_history_cache *cache);
/* Whether there is a record; cheaper than reading it. */
bool perun_history_cache_has(const struct perun_history_cache *cache, enum perun_record_kind kind,
			     const char *key);
/* The record of a key into `body`; false when there is none. */
bool perun_history_cache_read(struct perun_history_cache *cache, enum perun_record_kind kind,
			      const char *key, struct perun_buffer *body);
/* A hash of a record that there is. */
uint64_t perun_history_cache_hash(const struct perun_history_cache *cache,
				  enum perun_record_kind kind, const char *key);
/* Keep a record; it can be read at once. */
void perun_history_cache_add(struct perun_history_cache *cache, enum perun_record_kind kind,
			     const char *key, const void *body, size_t size);

#endif
