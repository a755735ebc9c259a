/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counters of a child process, where the system has them. */
#include <config.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters.h"

const char *const counter_names[COUNTERS] = {"instructions", "cycles", "branch_misses",
					     "cache_misses"};

static const uint64_t events[COUNTERS] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
					  PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_CACHE_MISSES};

/* Of a process that waits, and of those that it makes; counts from when it executes a program. */
static int open_counter(pid_t process, enum counter counter)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof attributes,
		.config = events[counter],
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, process, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

const char *counters_missing(void)
{
	for (int i = 0; i < COUNTERS; i++) {
		int descriptor = open_counter(0, (enum counter)i);

		if (descriptor >= 0) {
			close(descriptor);
			return NULL;
		}
		if (errno == EACCES || errno == EPERM)
			return "the kernel forbids them (kernel.perf_event_paranoid above 2, or "
			       "the "
			       "sandbox)";
		if (errno == ENOSYS)
			return "the kernel has no perf_event_open(2)";
	}
	return "the processor shows none, as in most virtual machines";
}

void counters_open(pid_t process, struct counters *counters)
{
	for (int i = 0; i < COUNTERS; i++)
		counters->descriptors[i] = open_counter(process, (enum counter)i);
}

void counters_close(struct counters *counters, struct counter_values *values)
{
	*values = (struct counter_values){0};
	for (int i = 0; i < COUNTERS; i++) {
		uint64_t read_out[3]; /* value, time enabled, time running */
		int descriptor = counters->descriptors[i];

		if (descriptor < 0)
			continue;
		if (read(descriptor, read_out, sizeof read_out) == sizeof read_out && read_out[2]) {
			double share = (double)read_out[1] / (double)read_out[2];

			values->counted[i] = true;
			values->value[i] =
				share == 1 ? read_out[0] : (uint64_t)((double)read_out[0] * share);
		}
		close(descriptor);
	}
}
