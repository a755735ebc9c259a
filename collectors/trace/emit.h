/* SPDX-License-Identifier: BSD-3-Clause */
/* Traced calls as a profile of Perun. */
#ifndef PERUN_TRACE_EMIT_H
#define PERUN_TRACE_EMIT_H

#include <perun/profile.h>

#include "calls.h"

struct emit_options {
	const char *const *functions; /* patterns, NULL-terminated; empty = all */
	const char *const *sampled;   /* pairs of a function and a number, NULL-terminated */
	double second;                /* ticks */
	uint64_t duration;            /* of the run, in ticks */
	const char *folder;           /* where the program was built */
	bool grouped;                 /* sums by stack instead of single calls */
};

void emit_calls(struct perun_ctx *ctx, const struct emit_options *options,
		const struct calls *calls, struct perun_builder *builder);

#endif
