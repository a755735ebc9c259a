/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions are worth tracing: those that changed, those near the roots of the call graph, those that take a time that varies. */
#ifndef PERUN_TRACE_NARROW_H
#define PERUN_TRACE_NARROW_H

#include "targets.h"

/* What is wanted; all zero = every function. */
struct narrowing {
	const char *since; /* functions that changed since this version; NULL = all */
	size_t callers;    /* and those that call them, up to N calls up */
	size_t depth; /* functions that roots of the call graph reach by fewer calls; 0 = all */
	bool skip_constant; /* not those that neither loop nor call */
};

/* How many functions were left out, and why. */
struct narrowed {
	size_t all, unchanged, deep, constant;
	size_t unknown; /* among the unchanged: without lines of the project */
};

bool narrowing_is_wanted(const struct narrowing *how);
/* Keep those of the targets that are wanted. PERUN_INPUT when none is left. */
int narrow_targets(struct perun_ctx *ctx, const struct narrowing *how, const char *folder,
		   struct targets *targets, struct narrowed *narrowed);

#endif
