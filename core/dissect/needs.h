/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need others to build. */
#ifndef PERUN_CORE_DISSECT_NEEDS_H
#define PERUN_CORE_DISSECT_NEEDS_H

#include "core/dissect/changes.h"

/* A change that another one needs. */
struct need {
	size_t change;
	bool proved; /* by a build that failed; else it is supposed, from what the changes say */
};

/* What a change needs. */
struct needed {
	struct need *items; /* in the order of the changes */
	size_t count, capacity;
};

struct needs {
	struct needed *of; /* each change */
	size_t count;      /* changes */
	size_t known;      /* needs that are supposed or proved: it grows */
};

/* From what the changes say: who uses a name needs who defines it, and who takes a definition away needs all who took its uses away. */
void needs_find(const struct changes *changes, struct needs *needs);
/* From the output of a build of the changes of `set` that failed; whether it says more than was known. */
bool needs_learn(const struct changes *changes, const bool *set, const char *output,
		 struct needs *needs);
void needs_copy(const struct needs *needs, struct needs *copy);
void needs_free(struct needs *needs);

/* Add what the changes of a set need, and what that needs, as far as it is in `within`; with `proved` what is proved only. */
void needs_close(const struct needs *needs, const bool *within, bool proved, bool *set);
/* Take out of a set the changes that need `change`, and it. */
void needs_leave_out(const struct needs *needs, size_t change, bool *set);
/* Note that one change needs another one; whether that was not known. */
bool needs_add(struct needs *needs, size_t change, size_t other, bool proved);

#endif
