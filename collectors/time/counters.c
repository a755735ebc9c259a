/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counters of a child process, where the system has them. */
#include <config.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters.h"

const char *const counter_names[COUNTERS] = {"instructions", "cycles", "branch_misses",
					     "cache_misses"};

static const uint64_t events[COUNTERS] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
					  PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_CACHE_MISSES};

static int open_counter(enum counter counter, pid_t pid, bool on_exec)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof attributes,
		.config = events[counter],
		.disabled = on_exec,
		.enable_on_exec = on_exec,
		.inherit = on_exec,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool counters_available(void)
{
	int descriptor = open_counter(COUNTER_INSTRUCTIONS, 0, false);

	if (descriptor < 0)
		return false;
	close(descriptor);
	return true;
}

void counters_attach(struct counters *counters, pid_t child)
{
	for (int i = 0; i < COUNTERS; i++)
		counters->descriptors[i] = open_counter((enum counter)i, child, true);
}

void counters_read(struct counters *counters, struct counter_values *values)
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
