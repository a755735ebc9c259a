/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the library: how many, and what they take over from the one that starts them. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/context/context.h"

static _Atomic(perun_thread_current *) ask_current;
static _Atomic(perun_thread_inherit *) inherit;

void perun_threads_take_over(perun_thread_current *current, perun_thread_inherit *inheriting)
{
	atomic_store(&inherit, inheriting);
	atomic_store(&ask_current, current);
}

size_t perun_thread_count(size_t count)
{
	const char *text = getenv("PERUN_THREADS");
	long threads = text ? strtol(text, NULL, 10) : 0;

	if (threads <= 0)
		threads = sysconf(_SC_NPROCESSORS_ONLN);
	if (threads < 1)
		threads = 1;
	if (threads > 256)
		threads = 256;
	return (size_t)threads < count ? (size_t)threads : count;
}

static void *run(void *data)
{
	struct perun_thread *thread = data;
	perun_thread_inherit *inheriting = atomic_load(&inherit);

	if (inheriting)
		inheriting(thread->current);
	perun_memory_reading(thread->reading);
	thread->body(thread->data);
	return NULL;
}

bool perun_thread_start(struct perun_thread *thread, void (*body)(void *data), void *data)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
	perun_thread_current *current = atomic_load(&ask_current);
	sigset_t all, old;
	int error;

	*thread = (struct perun_thread){.body = body, .data = data};
	thread->current = current ? current() : NULL;
	thread->reading = perun_memory_reading(NULL);
	perun_memory_reading(thread->reading);
	/* Signals stay with the thread that called, but for those that a thread makes itself. */
	sigfillset(&all);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	error = pthread_create(&thread->id, NULL, run, thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error == 0;
}

void perun_thread_join(struct perun_thread *thread)
{
	pthread_join(thread->id, NULL);
}
