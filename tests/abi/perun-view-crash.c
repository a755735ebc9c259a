/* SPDX-License-Identifier: BSD-3-Clause */
/* A view that crashes as the variable CRASH says, when it is opened. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perun/context.h>

#include "tests/abi/view.h"

static volatile int zero;

static __attribute__((noinline)) int sink_into(volatile char *above)
{
	volatile char room[4096];

	room[0] = above[0];
	return zero ? 0 : sink_into(room) + room[1];
}

static void *crash_in_thread(void *data)
{
	*(volatile int *)data = 1;
	return data;
}

static void *exit_in_thread(void *data)
{
	(void)data;
	exit(0);
}

static int in_thread(void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL) == 0)
		pthread_join(thread, NULL);
	return PERUN_OK;
}

static int crash_in_item(struct perun_ctx *ctx, size_t i, void *data)
{
	(void)ctx;
	(void)data;
	/* In whichever thread the last one falls to. */
	usleep(1000);
	if (i == 63)
		*(volatile int *)data = 1;
	return PERUN_OK;
}

static int crash(struct perun_ctx *ctx, const struct perun_options *options, const char *subcommand,
		 void **instance)
{
	const char *how = getenv("CRASH");
	char *page;

	(void)options;
	(void)subcommand;
	(void)instance;
	if (strcmp(how, "segv") == 0)
		*(volatile int *)(intptr_t)zero = 1;
	else if (strcmp(how, "bus") == 0 &&
		 (page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(tmpfile()), 0)))
		return *(volatile char *)page;
	else if (strcmp(how, "fpe") == 0)
		raise(SIGFPE);
	else if (strcmp(how, "abrt") == 0)
		abort();
	else if (strcmp(how, "ill") == 0)
		__builtin_trap();
	else if (strcmp(how, "stack") == 0)
		return sink_into("");
	else if (strcmp(how, "thread") == 0)
		return in_thread(crash_in_thread);
	else if (strcmp(how, "parallel") == 0)
		return perun_parallel_for(ctx, 64, crash_in_item, NULL);
	else if (strcmp(how, "exit") == 0)
		exit(0);
	else if (strcmp(how, "exit-thread") == 0)
		return in_thread(exit_in_thread);
	return PERUN_OK;
}

SHOW_NOTHING
DEFINE_VIEW(crash, "misbehaves", crash, );
