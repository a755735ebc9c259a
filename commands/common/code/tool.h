/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a program for what it prints. */
#ifndef PERUN_COMMANDS_CODE_TOOL_H
#define PERUN_COMMANDS_CODE_TOOL_H

#include <perun/context.h>

/*
 * Run a program without a shell and append what it prints to `output`; its complaints go nowhere. `input` is what it
 * reads, NULL = nothing. PERUN_MISSING: there is no such program, with no words in the context; PERUN_INPUT: it failed;
 * PERUN_CANCELLED: it was stopped.
 */
int tool_run(struct perun_ctx *ctx, const char *const *arguments, const struct perun_buffer *input,
	     struct perun_buffer *output);

/*
 * The path of the first of the programs (ends with NULL) that is there, the caller's to free; NULL: none is. `places` is
 * what pprof's -tools says: "FOLDER" or "NAME:FOLDER", separated by commas; where it is "", PATH counts.
 */
char *tool_find(const char *places, const char *const *names);

/* A path that is not taken for an option, the caller's to free. */
char *tool_path(const char *path);

#endif
