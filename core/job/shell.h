/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the shell that a configuration names: builds, generators, hooks. */
#ifndef PERUN_JOB_SHELL_H
#define PERUN_JOB_SHELL_H

#include <perun/context.h>

struct perun_shell {
	const char *command;
	const char *directory;          /* where it runs */
	int log;                        /* a file for both of its outputs, -1 = standard error */
	const char *input;              /* its standard input, NULL = nothing */
	const char *const *environment; /* "NAME=VALUE" to add, NULL-terminated; or NULL */
};

/*
 * Run a command and wait for it. When the user asks to stop, it is told to end, and killed two seconds
 * later. On a terminal it belongs to our process group, so that it may ask for a password and gets Ctrl-C;
 * elsewhere it has a group of its own, all of which is told. `*code` is its exit status, 128 and the
 * signal's number, or -1 when it could not be started. PERUN_CANCELLED when it was stopped, else
 * PERUN_OK, whatever the exit status.
 */
PERUN_EXPORT int perun_shell_run(struct perun_ctx *ctx, const struct perun_shell *shell, int *code);

#endif
