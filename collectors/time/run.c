/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of the measured program: start it, wait for it, take the time and its resource usage. */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "collectors/common/clock.h"
#include "run.h"

/*
 * Wait until the child ends. Polls a process descriptor, so that a time limit and an interruption
 * of the user are noticed; `*end` is taken at once.
 */
static int wait_for(struct perun_ctx *ctx, const struct run_setup *setup,
		    const struct collectors_child *child, uint64_t *end)
{
	struct pollfd wanted = {.fd = child->watched, .events = POLLIN};
	siginfo_t info;
	int status = PERUN_OK;

	while (!status && child->watched >= 0) {
		int ready = poll(&wanted, 1, 50);

		*end = collectors_clock(0);
		if (ready > 0)
			return PERUN_OK;
		status = collectors_check_time(ctx, &setup->limits, child->started);
	}
	if (status) {
		collectors_kill(child->pid);
		return status;
	}
	while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		if (perun_cancelled(ctx))
			collectors_kill(child->pid);
	*end = collectors_clock(0);
	return PERUN_OK;
}

int run_once(struct perun_ctx *ctx, const struct run_setup *setup, struct run_result *result)
{
	struct collectors_start start = setup->start;
	struct collectors_child child;
	struct counters counters;
	uint64_t end = 0;
	int status;

	*result = (struct run_result){0};
	start.held = setup->counters;
	status = collectors_start(ctx, &start, &child);
	if (status)
		return status;
	if (setup->counters) {
		counters_open(child.pid, &counters);
		status = collectors_go(ctx, &start, &child);
	}
	if (!status) {
		status = wait_for(ctx, setup, &child, &end);
		/* A difference of whole nanoseconds has no digits that were not measured. */
		result->real = (double)(end - child.started) / 1e9;
		result->wait_status = collectors_finish(&child, &result->usage);
	}
	if (setup->counters)
		counters_close(&counters, &result->counters);
	return status;
}
