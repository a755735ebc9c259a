/* SPDX-License-Identifier: BSD-3-Clause */
/* What sampling costs the program. */
#ifndef PERUN_CPU_COST_H
#define PERUN_CPU_COST_H

#include "perf.h"

/*
 * The part of the sampled processor time that sampling itself takes, with these options; measured once for
 * a machine. False when it cannot be known.
 */
bool cpu_cost(struct perun_ctx *ctx, const struct perf_options *options, double *share);

#endif
