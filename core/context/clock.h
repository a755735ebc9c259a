/* SPDX-License-Identifier: BSD-3-Clause */
/* Time that passes. */
#ifndef PERUN_CORE_CONTEXT_CLOCK_H
#define PERUN_CORE_CONTEXT_CLOCK_H

#include <time.h>

/* Seconds of CLOCK_MONOTONIC. */
static inline double clock_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#endif
