/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of the measured program. */
#ifndef PERUN_TIME_RUN_H
#define PERUN_TIME_RUN_H

#include "collectors/common/setup.h"
#include "counters.h"

/* How the program is run. */
struct run_setup {
	struct collectors_start start;
	struct collectors_limits limits;
	bool counters; /* count events, as far as the system can */
};

/* What a run gave. */
struct run_result {
	double real;         /* seconds from the start to the end of the program */
	struct rusage usage; /* of the program and the children it waited for */
	struct counter_values counters;
	int wait_status; /* as wait(2) gives it */
};

/*
 * Run the program once. Fails with PERUN_MISSING when it cannot be started, PERUN_INPUT when it does
 * not end in time (it is killed then), PERUN_CANCELLED.
 */
int run_once(struct perun_ctx *ctx, const struct run_setup *setup, struct run_result *result);

#endif
