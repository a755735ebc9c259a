/* SPDX-License-Identifier: BSD-3-Clause */
/* What measuring itself costs on this machine: measured once, then remembered. */
#ifndef PERUN_COLLECTORS_OVERHEAD_H
#define PERUN_COLLECTORS_OVERHEAD_H

#include <perun/json.h>

#include "collectors/common/program.h"

/* Measure it, in some tens of milliseconds. A failure means that it is not known. */
typedef int collectors_measure(struct perun_ctx *ctx, void *data, double *amount);

/*
 * The cost under a name such as "memory": from perun/overhead.json in $XDG_CACHE_HOME (~/.cache) when it
 * was measured on this machine, kernel and version of Perun before, else measured now and kept there.
 * False when it cannot be known; that is not a failure.
 */
bool collectors_overhead(struct perun_ctx *ctx, const char *name, collectors_measure *measure,
			 void *data, double *amount);
/* Note it in the header: {"overhead": {"amount", "unit", "per"}}. */
void collectors_add_overhead(struct perun_json *header, double amount, const char *unit,
			     const char *per);

#endif
