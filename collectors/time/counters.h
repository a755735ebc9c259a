/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counters of a child process, where the system has them. */
#ifndef PERUN_TIME_COUNTERS_H
#define PERUN_TIME_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum counter {
	COUNTER_INSTRUCTIONS,
	COUNTER_CYCLES,
	COUNTER_BRANCH_MISSES,
	COUNTER_CACHE_MISSES,
	COUNTERS
};

/* Names as they are in a profile. */
extern const char *const counter_names[COUNTERS];

struct counter_values {
	bool counted[COUNTERS];
	uint64_t value[COUNTERS];
};

struct counters {
	int descriptors[COUNTERS];
};

/* Why this system counts nothing of own processes; NULL = it does. */
const char *counters_missing(void);
/* Count in a child that waits, from the moment it executes a program; what cannot be counted is left out. */
void counters_open(pid_t process, struct counters *counters);
/* After its end: read (scaled when the system had to share a counter) and close. */
void counters_close(struct counters *counters, struct counter_values *values);

#endif
