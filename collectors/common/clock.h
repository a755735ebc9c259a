/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of libraries that are loaded into programs: the processor's counter where it is fit. */
#ifndef PERUN_COLLECTORS_CLOCK_H
#define PERUN_COLLECTORS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Ticks of the processor's counter, or nanoseconds. */
static inline uint64_t collectors_clock(uint32_t use_counter)
{
	struct timespec time;

#if defined(__x86_64__)
	if (use_counter)
		return __builtin_ia32_rdtsc();
#else
	(void)use_counter;
#endif
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* How the collector's side reads such times. */
struct collectors_ticks {
	bool counter;
	uint64_t ticks, nanoseconds; /* both clocks at the start */
	double second;               /* ticks of a second */
};

/* Start both clocks; takes some milliseconds to compare them. */
void collectors_ticks_start(struct collectors_ticks *ticks);

#endif
