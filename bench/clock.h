/* SPDX-License-Identifier: BSD-3-Clause */
/* What benchmarks in C share: the time, and numbers that are the same in each run. */
#ifndef PERUN_BENCH_CLOCK_H
#define PERUN_BENCH_CLOCK_H

#include <stdint.h>

#include "core/context/clock.h"

static inline double now(void)
{
	return clock_now();
}

static inline uint32_t random_below(uint32_t end)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 32) * end >> 32);
}

#endif
