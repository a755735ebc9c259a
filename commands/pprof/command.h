/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `perun pprof`. */
#ifndef PERUN_COMMAND_PPROF_COMMAND_H
#define PERUN_COMMAND_PPROF_COMMAND_H

#include <perun/command.h>

/* Prints pprof's reports of stored profiles. Raw arguments. PERUN_USAGE for all that is wrong. */
int pprof_run_command(struct perun_ctx *ctx, const struct perun_command_call *call);

#endif
