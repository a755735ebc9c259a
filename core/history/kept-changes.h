/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes of strands that were judged together, kept for the next time. */
#ifndef PERUN_CORE_HISTORY_KEPT_CHANGES_H
#define PERUN_CORE_HISTORY_KEPT_CHANGES_H

#include <perun/lib/history.h>

#include "core/history/verdict-key.h"

/*
 * The key of what is found of the strands of a history, which follow from `profiles` and of which each is of a family of
 * tests; false where keeping it is not worth while.
 */
bool perun_kept_changes_key(const struct perun_hash *profiles,
			    const struct perun_strand *const *strands, const size_t *families,
			    size_t count, const struct perun_change_options *options, double rate,
			    char key[PERUN_VERDICT_KEY_SIZE]);
/* What was found of these series, into `changes`, which are empty; false = it is not kept. */
bool perun_kept_changes_read(const char *key, const struct perun_value_series *series, size_t count,
			     struct perun_segmentation *changes);
void perun_kept_changes_add(const char *key, const struct perun_segmentation *changes,
			    size_t count);

#endif
