/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interleaved comparison found, as text and as JSON. */
#ifndef PERUN_COMMANDS_COMMON_INTERLEAVE_PRINT_H
#define PERUN_COMMANDS_COMMON_INTERLEAVE_PRINT_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/interleave.h>

void commands_interleave_print(struct perun_ctx *ctx, const struct perun_command_call *call,
			       const struct perun_interleave *interleave,
			       const struct perun_interleave_result *result);
/* {"command", "metric", "unit", "result", "rate", "sessions", "confirmed", "seed", "other"}. */
struct perun_json *commands_interleave_json(const struct perun_interleave *interleave,
					    const struct perun_interleave_result *result);

#endif
