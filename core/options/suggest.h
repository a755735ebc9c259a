/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest of some names, for "did you mean". */
#ifndef PERUN_CORE_OPTIONS_SUGGEST_H
#define PERUN_CORE_OPTIONS_SUGGEST_H

#include <perun/context.h>

/*
 * Steps between two words: letters inserted, removed, changed, or neighbours swapped (optimal string
 * alignment distance; F. Damerau, "A technique for computer detection and correction of spelling
 * errors", CACM 7 (1964)). Dashes and underscores are the same, upper and lower case are not far.
 */
PERUN_EXPORT size_t perun_word_distance(const char *one, const char *other);
/* The nearest of `count` names, NULL when none is near enough to be meant. Borrowed from `names`. */
PERUN_EXPORT const char *perun_suggest(const char *word, const char *const *names, size_t count);

#endif
