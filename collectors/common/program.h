/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting a program that a collector measures, with a library loaded before its own. */
#ifndef PERUN_COLLECTORS_PROGRAM_H
#define PERUN_COLLECTORS_PROGRAM_H

#include <sys/resource.h>

#include "collectors/common/starter.h"

/*
 * Whether a library can be loaded before the program's own: PERUN_INPUT with the reason if not. `what`
 * cannot be had then: "its memory".
 */
int collectors_check_preload(struct perun_ctx *ctx, const struct perun_collect_job *job,
			     const char *what);
/* The program's file as execvp() would find it. The caller frees it; NULL = not found. */
char *collectors_find_program(const struct perun_collect_job *job);

struct collectors_child {
	pid_t pid;
	int watched;      /* a descriptor that becomes readable when it ends */
	uint64_t started; /* collectors_clock(0) when it became the program */
	long switches;    /* how often it gave up the processor before */
	struct collectors_starter starter;
	bool kept;  /* the starter is not its own */
	bool waits; /* for collectors_go() */
};

/*
 * Kill a program and all that it has started and that has not left it. Each process is stopped first, so that it starts
 * no other one meanwhile.
 */
void collectors_kill(pid_t pid);

/* Not held, it runs when this returns. */
int collectors_start(struct perun_ctx *ctx, const struct collectors_start *start,
		     struct collectors_child *child);
/* Let a program go that was held; fails like collectors_start(), and then it is gone. */
int collectors_go(struct perun_ctx *ctx, const struct collectors_start *start,
		  struct collectors_child *child);
/* After its end: its status as wait(2) gives it, and what it used (may be NULL). */
int collectors_finish(struct collectors_child *child, struct rusage *usage);
/* Fail if it ended badly, with the end of its standard error; `advice` says what helps, "" = nothing does. */
int collectors_judge(struct perun_ctx *ctx, const struct collectors_start *start, int wait_status,
		     const char *advice);

#endif
