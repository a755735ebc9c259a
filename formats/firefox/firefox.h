/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing for the Firefox Profiler: its processed profile, version 46, which every later one upgrades. */
#ifndef FIREFOX_H
#define FIREFOX_H

#include <perun/format.h>
#include <perun/json.h>

#include "formats/common/stacks.h"

/* What is written of a profile, and read. */
struct firefox_options {
	char *metric; /* NULL = the default one */
	bool everything;
	struct stacks_options stacks;
};

/* The samples of one thread of the measured program, in order. */
struct firefox_thread {
	perun_id name;     /* label comm or thread, PERUN_NO_ID = none */
	perun_id process;  /* label process, PERUN_NO_ID = none */
	int64_t pid, tid;  /* -1 = not known */
	perun_id pid_text; /* a pid that is no number, PERUN_NO_ID = none */
	uint32_t *rows;
	size_t count, room;
};

/* Samples sorted into threads by their labels. */
struct firefox_threads {
	struct firefox_thread *threads;
	size_t count, room;
	uint32_t *slots;    /* threads by the hash of what they are: their numbers + 1; 0 = free */
	size_t slot_count;  /* a power of two */
	size_t labels_left; /* samples with labels that say more than the thread */
};
void firefox_find_threads(const struct perun_profile *profile, const struct perun_metric *metric,
			  struct firefox_threads *threads);
void firefox_free_threads(struct firefox_threads *threads);

/* How the profiler is to understand the values. */
struct firefox_weights {
	const struct perun_metric *metric;
	const struct perun_column *time; /* NULL = the order of the samples is all */
	size_t start;                    /* the row with the first time */
	double per_ms;                   /* units of the time in a millisecond */
	const char *type;                /* "samples", "tracing-ms", "bytes" */
	double factor;                   /* value times factor is what is written */
};

/* Write a member of "threads". */
void firefox_write_thread(struct perun_json_writer *json, const struct perun_profile *profile,
			  const struct firefox_thread *thread,
			  const struct firefox_weights *weights, bool first);

#endif
