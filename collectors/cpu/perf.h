/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of processes by perf_event_open(2): on each processor a ring that the kernel fills. */
#ifndef PERUN_CPU_PERF_H
#define PERUN_CPU_PERF_H

#include <sys/types.h>

#include <perun/context.h>

struct perf;

struct perf_options {
	uint64_t period; /* nanoseconds of processor time between two samples */
	bool kernel;     /* also what the kernel does for the program, if that is permitted */
	bool dump;       /* copies of the stack, for unwinding without frame pointers */
	bool waits; /* when threads leave their processor and come back, if permitted with stacks */
};

/* What an event of the kernel says. Pointers are valid during the call. */
enum perf_kind {
	PERF_SAMPLE,
	PERF_MAP,
	PERF_FORK,
	PERF_EXEC,
	PERF_LOST,
	PERF_NAME,
	PERF_WAIT, /* the stack of a thread that is about to leave its processor, as of a sample */
	PERF_LEFT,
	PERF_BACK,
	PERF_END /* of a thread */
};

struct perf_event {
	enum perf_kind kind;
	uint64_t time; /* nanoseconds of CLOCK_MONOTONIC */
	int32_t pid, thread;
	/* SAMPLE: the chain of callers as the kernel found it, with its marks between parts. */
	uint64_t ip, period;
	const uint64_t *chain;
	uint64_t chain_count;
	/* SAMPLE with a copy of the stack */
	bool has_stack;
	uint64_t bp, sp, pc;
	const char *stack;
	uint64_t stack_size;
	/* MAP: executable memory of a file */
	uint64_t start, length, offset;
	const char *name; /* also of NAME: of the thread */
	int32_t parent;   /* FORK */
	uint64_t lost;    /* LOST: how many */
};

typedef void perf_handler(void *data, const struct perf_event *event);

/*
 * Sample a process that waits to run a program (from its exec on, with all its children), or, with
 * `attach`, one that runs, with the threads it has. Fails with the privilege that is missing.
 */
int perf_open(struct perun_ctx *ctx, const struct perf_options *options, pid_t pid, bool attach,
	      struct perf **perf);
void perf_close(struct perf *perf);
/* Whether the kernel's part is there. */
bool perf_has_kernel(const struct perf *perf);
/* Whether there are stacks of waiting threads. */
bool perf_has_waits(const struct perf *perf);
/* Hand over what is there, by time; `all`: also what came in this moment. */
void perf_drain(struct perf *perf, bool all, perf_handler *handler, void *data);

#endif
