/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing many files of which the kernel lets each wait. */
#include <config.h>

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "closing.h"

#define MAX_THREADS 256 /* they only wait */
#define STACK       (64 << 10)

struct closing {
	const int *files;
	size_t count;
	atomic_size_t next;
};

static void *close_some(void *data)
{
	struct closing *closing = data;
	size_t i;

	while ((i = atomic_fetch_add(&closing->next, 1)) < closing->count)
		if (closing->files[i] >= 0)
			close(closing->files[i]);
	return NULL;
}

void collectors_close_together(const int *files, size_t count)
{
	struct closing closing = {.files = files, .count = count};
	pthread_t threads[MAX_THREADS];
	size_t wanted = count > MAX_THREADS ? MAX_THREADS : count, made = 0;
	pthread_attr_t attributes;
	sigset_t all, before;

	/* Handlers have no business on so small a stack. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (wanted > 1 && pthread_attr_init(&attributes) == 0) {
		pthread_attr_setstacksize(&attributes, STACK < PTHREAD_STACK_MIN
							       ? (size_t)PTHREAD_STACK_MIN
							       : (size_t)STACK);
		/* This thread closes too; without any other it closes all. */
		while (made + 1 < wanted &&
		       pthread_create(&threads[made], &attributes, close_some, &closing) == 0)
			made++;
		pthread_attr_destroy(&attributes);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close_some(&closing);
	while (made)
		pthread_join(threads[--made], NULL);
}
