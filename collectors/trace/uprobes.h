/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of unchanged programs: breakpoints of the kernel (uprobes), reported by perf_event_open(2) or eBPF. */
#ifndef PERUN_TRACE_UPROBES_H
#define PERUN_TRACE_UPROBES_H

#include <sys/types.h>

#include "pairing.h"
#include "targets.h"
#include "trace.h"

struct uprobes;

struct uprobes_options {
	struct pairing_options pairing; /* its base is set by us */
	struct trace_exclusion exclusion;
	double cost; /* nanoseconds of a call, for a share of the time; 0 = however much it takes */
	bool ebpf;   /* a program in the kernel reports the hits, not perf_event_open(2) */
};

/* Try whether this user may set uprobes in a file: PERUN_MISSING with the privilege that is missing. */
int uprobes_allowed(struct perun_ctx *ctx, const char *path);

/*
 * Trace a process that waits to run its program, with its children. The targets are borrowed until
 * uprobes_close(), the calls too: they were initialized.
 */
int uprobes_open(struct perun_ctx *ctx, const struct uprobes_options *options,
		 const struct targets *targets, pid_t pid, struct calls *calls,
		 struct uprobes **uprobes);
/* Take what came; `all`: the program ended. */
void uprobes_drain(struct uprobes *uprobes, bool all);
/* How many events the kernel had no room for. */
uint64_t uprobes_lost(const struct uprobes *uprobes);
/* Also completes the calls. */
void uprobes_close(struct uprobes *uprobes);

#endif
