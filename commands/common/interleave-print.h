/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interleaved comparison found, as text and as JSON. */
#ifndef PERUN_COMMANDS_COMMON_INTERLEAVE_PRINT_H
#define PERUN_COMMANDS_COMMON_INTERLEAVE_PRINT_H

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/interleave.h>

/* Whether times are compared: other amounts are not slower or faster. */
bool commands_interleave_is_timed(const struct perun_interleave *interleave);
/* "slower" or "faster" of times, "worse" or "better" of other amounts, as a summary of perun check says. */
const char *commands_interleave_word(const struct perun_interleave *interleave, bool better);
void commands_interleave_print(struct perun_ctx *ctx, const struct perun_command_call *call,
			       const struct perun_interleave *interleave,
			       const struct perun_interleave_result *result);
/* {"command", "metric", "unit", "result", "rate", "sessions", "confirmed", "seed", "other"}. */
struct perun_json *commands_interleave_json(const struct perun_interleave *interleave,
					    const struct perun_interleave_result *result);

#endif
