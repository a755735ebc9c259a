/* SPDX-License-Identifier: BSD-3-Clause */
/* Delta debugging: the smallest set of changes that is slow. */
#ifndef PERUN_CORE_DISSECT_SUBSETS_H
#define PERUN_CORE_DISSECT_SUBSETS_H

#include "core/dissect/needs.h"

struct subsets {
	size_t count;              /* changes */
	const struct needs *needs; /* a trial may find more of them */
	const double *weights;     /* how probable it is that a change is guilty, in any unit */
	const bool *within;        /* the changes that a trial may have */
	/* What the parent with a set of changes is. A status other than PERUN_OK ends the search. */
	int (*try)(struct perun_ctx *ctx, void *data, const bool *set,
		   enum perun_dissect_answer *answer);
	void *data;
	size_t *left; /* about how many more trials it takes, or NULL */
	bool strict;  /* try also what follows if changes act on their own */
};

/*
 * Of `candidates`, which are slow together with `context`, find as few as can be that are so, each with all that it needs.
 * Unless `strict` is set, one part is taken for slow where the other one is fast, so that the caller has to try what is
 * found. On another status `found` has what is left.
 */
int subsets_reduce(struct perun_ctx *ctx, const struct subsets *subsets, const bool *candidates,
		   const bool *context, bool *found);

#endif
