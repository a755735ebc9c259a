/* SPDX-License-Identifier: BSD-3-Clause */
/* perun utils. */
#ifndef COMMANDS_UPKEEP_UTILS_H
#define COMMANDS_UPKEEP_UTILS_H

#include <perun/command.h>

extern const struct perun_option utils_options[];
int utils_run(struct perun_ctx *ctx, const struct perun_command_call *call);

#endif
