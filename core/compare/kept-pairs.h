/* SPDX-License-Identifier: BSD-3-Clause */
/* What methods found of two profiles, kept for the next time. */
#ifndef PERUN_CORE_COMPARE_KEPT_PAIRS_H
#define PERUN_CORE_COMPARE_KEPT_PAIRS_H

#include "core/compare/checker.h"
#include "core/history/verdict-key.h"

/* Belongs to one thread. */
struct kept_pairs;
/*
 * For the methods and options of a checker. Where the history of a version has a say in its comparisons, `followed` is that
 * version, else NULL.
 */
struct kept_pairs *kept_pairs_open(struct perun_checker *checker, const char *followed);
void kept_pairs_close(struct kept_pairs *kept); /* NULL is fine */

/*
 * The key of a comparison of two profiles of versions: of both checksums, what both versions have, methods and options.
 * "" where an answer must not be kept.
 */
int kept_pairs_key(struct kept_pairs *kept, const struct check_baseline *pair,
		   const struct perun_entry *target, const char *target_minor,
		   char key[PERUN_VERDICT_KEY_SIZE]);
/* What was found, into findings that are empty; false = it is not kept. The version is borrowed. */
bool kept_pairs_read(struct kept_pairs *kept, const char *key, const char *minor,
		     struct perun_findings *findings);
void kept_pairs_add(struct kept_pairs *kept, const char *key,
		    const struct perun_findings *findings);

#endif
