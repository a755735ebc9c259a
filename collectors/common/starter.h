/* SPDX-License-Identifier: BSD-3-Clause */
/* perun-start as a process, which makes the children that are measured. */
#ifndef PERUN_COLLECTORS_STARTER_H
#define PERUN_COLLECTORS_STARTER_H

#include <sys/types.h>

#include <perun/collect.h>

#include "collectors/common/start/start.h"

/*
 * perun-start as a process, by which programs are started so that nothing of this process is measured with them: see
 * start/start.h.
 */
struct collectors_starter {
	pid_t pid; /* 0 = there is none */
	int socket;
};

/* How to start it. */
struct collectors_start {
	const struct perun_collect_job *job;
	const char *preload;          /* a library, NULL = none */
	const char *const *variables; /* "NAME=VALUE" to add, NULL-terminated; may be NULL */
	const char *error_path;       /* where its standard error goes */
	const char *output_path;      /* and its standard output; NULL = it is thrown away */
	const char *input_path;       /* its standard input; NULL = that of the job */
	const int *processor;         /* it runs on this one only; NULL = on any */
	bool held;                    /* it waits until collectors_go() */
	bool unwatched; /* it may run where the system cannot watch it (watched < 0) */
	/* Of all the above but `held` and `unwatched`, for many runs; NULL = the run has one of its own. */
	const struct collectors_starter *starter;
};

/* A starter for many runs; to be closed by the thread that opened it, after the last run. Nothing is left of one that failed. */
int collectors_open_starter(struct perun_ctx *ctx, const struct collectors_start *start,
			    struct collectors_starter *starter);
void collectors_close_starter(struct collectors_starter *starter);

/* The next report of a starter; false = it is gone. */
bool starter_hear(const struct collectors_starter *starter, struct start_report *report);
/* A request (enum start_request), and the report that answers it; false = it is gone. */
bool starter_ask(const struct collectors_starter *starter, char request,
		 struct start_report *report);

#endif
