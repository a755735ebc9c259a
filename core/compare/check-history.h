/* SPDX-License-Identifier: BSD-3-Clause */
/* A check of all versions of a history. */
#ifndef PERUN_CORE_COMPARE_CHECK_HISTORY_H
#define PERUN_CORE_COMPARE_CHECK_HISTORY_H

#include <perun/lib/lookup.h>

#include "core/compare/checker.h"

/* Versions that are stored in one step. */
enum { MAX_UNSAVED = 100 };

/* What was found of a version and is not stored yet. */
struct unsaved {
	char *version;
	struct perun_findings findings; /* the texts */
	const struct perun_stored_change **changes;
	size_t count;
};

struct history_run {
	struct perun_checker *checker;
	struct perun_minor_version **versions; /* newest first */
	size_t count, capacity;
	struct perun_roots roots;
	struct check_strands strands;
	struct unsaved unsaved[MAX_UNSAVED];
	size_t unsaved_count;
	perun_check_visit *visit;
	void *data;
	struct perun_history_findings *found;
};

/* Report what was found of a version, and keep it to be stored; the findings are the run's then. */
int history_run_take(struct history_run *run, const struct perun_minor_version *version,
		     struct perun_findings *findings);
/* history-pairs.c: compare each version with those before it, by methods that look at no more than two. */
int history_run_pairs(struct history_run *run);

#endif
