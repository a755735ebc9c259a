/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the measured program. */
#ifndef PERUN_MEMORY_RUN_H
#define PERUN_MEMORY_RUN_H

#include <sys/types.h>

#include <perun/collect.h>

/* What the program's file is, checked before the run: PERUN_INPUT with the reason if it cannot be traced. */
int run_check(struct perun_ctx *ctx, const struct perun_collect_job *job);
/* The path of the library to preload; the caller frees it. */
int run_find_library(struct perun_ctx *ctx, char **path);

/*
 * Start it with the library before it and the variable of the session. Its output is thrown away, its
 * standard error goes to `error_path`. `*watched` is a descriptor that becomes readable when it ends.
 */
int run_start(struct perun_ctx *ctx, const struct perun_collect_job *job, const char *library,
	      const char *session, const char *error_path, pid_t *child, int *watched);
/* After its end: its status as wait(2) gives it. */
int run_finish(pid_t child);
/* Fail if it ended badly, with the end of its standard error. */
int run_judge(struct perun_ctx *ctx, const struct perun_collect_job *job, int wait_status,
	      const char *error_path);

#endif
