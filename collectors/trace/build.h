/* SPDX-License-Identifier: BSD-3-Clause */
/* Building a program that calls the runtime, from a list of files. */
#ifndef PERUN_TRACE_BUILD_H
#define PERUN_TRACE_BUILD_H

#include <perun/collect.h>

struct build_options {
	const char *const *files; /* NULL-terminated */
	const char *folder;       /* where the program goes; NULL = the job's scratch */
	const char *compiler;     /* NULL = cc, or c++ when a file is C++ */
	const char *const *flags; /* NULL-terminated */
	const char *flag;         /* by which the engine sees calls; NULL = it needs none */
};

/* Compile and link. `*program` is the path of the program; the caller frees it, also after a failure. */
int build_program(struct perun_ctx *ctx, const struct perun_collect_job *job,
		  const struct build_options *options, char **program);

#endif
