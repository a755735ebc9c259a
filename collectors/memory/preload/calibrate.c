/* SPDX-License-Identifier: BSD-3-Clause */
/* What an allocation and its free() cost more than those of the C library: for a session that asks. */
#include <dlfcn.h>
#include <stdlib.h>

#include "preload.h"

static void *volatile sink;

static uint64_t time_pairs(void *(*allocate)(size_t), void (*release)(void *), uint32_t pairs)
{
	uint64_t start = collectors_clock(0);

	for (uint32_t i = 0; i < pairs; i++) {
		sink = allocate(16 + i % 64);
		release(sink);
	}
	return collectors_clock(0) - start;
}

/*
 * The shortest of some rounds of both: whatever comes between makes them longer. At the end of the program,
 * where stacks are known; before its start the dynamic linker's are not.
 */
__attribute__((destructor)) static void calibrate(void)
{
	enum { ROUNDS = 5 };
	void *(*plain_malloc)(size_t);
	void (*plain_free)(void *);
	uint64_t plain = UINT64_MAX, traced = UINT64_MAX;
	uint32_t pairs;

	if (!recorder_session || !recorder_session->calibrate)
		return;
	pairs = recorder_session->calibrate;
	*(void **)&plain_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&plain_free = dlsym(RTLD_NEXT, "free");
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t time = time_pairs(plain_malloc, plain_free, pairs);

		plain = time < plain ? time : plain;
		time = time_pairs(malloc, free, pairs);
		traced = time < traced ? time : traced;
	}
	recorder_session->cost = traced > plain ? (double)(traced - plain) / pairs : 0;
}
