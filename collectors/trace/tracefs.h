/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breakpoints as events of tracefs. Any number of them is one event, which the kernel ends at once; by perf_event_open(2) alone each is an
 * event of its own, and the kernel waits some tenths of a second for each that ends.
 */
#ifndef PERUN_TRACE_TRACEFS_H
#define PERUN_TRACE_TRACEFS_H

#include "targets.h"

struct tracefs;

enum tracefs_kind { TRACEFS_ENTRY, TRACEFS_RETURN, TRACEFS_EXIT, TRACEFS_KINDS };

struct tracefs_hit {
	uint64_t target; /* its number */
	uint64_t stack;
	uint64_t back; /* what is on top of the stack */
	int64_t size;  /* raw, of those that have one */
};

/* Whether this user may define events. */
bool tracefs_usable(void);
/*
 * Define the events of the targets but those that are `left_out` (NULL = none). False: it cannot be done here, and nothing
 * was defined.
 */
bool tracefs_open(const struct targets *targets, const bool *left_out, struct tracefs **tracefs);
/* Undefine them; what perf_event_open(2) made of them was closed before. NULL is fine. */
void tracefs_close(struct tracefs *tracefs);
/* The number of an event for perf_event_open(2); false: no target needs it. */
bool tracefs_event(const struct tracefs *tracefs, enum tracefs_kind kind, uint64_t *number);
/* What PERF_SAMPLE_RAW has of a hit. */
bool tracefs_read(const struct tracefs *tracefs, enum tracefs_kind kind, const char *raw,
		  size_t size, struct tracefs_hit *hit);

#endif
