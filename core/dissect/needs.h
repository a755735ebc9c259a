/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need each other to build. */
#ifndef PERUN_CORE_DISSECT_NEEDS_H
#define PERUN_CORE_DISSECT_NEEDS_H

#include "core/dissect/changes.h"

/* Groups of changes: those with the same number are tried together. */
struct needs {
	size_t *group; /* of each change: the first change of its group */
	size_t count;  /* changes */
};

/* From what the changes say: names that one brings, or takes away, and others use, and parts of a file that only go together. */
void needs_find(const struct changes *changes, struct needs *needs);
/* From the output of a build of the changes of `set` that failed; whether groups were joined. */
bool needs_learn(const struct changes *changes, const bool *set, const char *output,
		 struct needs *needs);
void needs_free(struct needs *needs);

/* Whether a change alters no code of a language like C: comments, blanks, ends of lines. */
bool change_is_plain(const struct perun_dissect_change *change);
/* Names of a text, one after the other: the next one from `*at` on, and its length; false at the end. */
bool next_name(const char **at, const char **name, size_t *length);

#endif
