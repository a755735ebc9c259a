/* SPDX-License-Identifier: BSD-3-Clause */
/* perun export and perun query: what a store knows, for other tools. */
#ifndef PERUN_COMMANDS_DATA_DATA_H
#define PERUN_COMMANDS_DATA_DATA_H

#include <perun/command.h>

extern const struct perun_option export_options[];
int data_export(struct perun_ctx *ctx, const struct perun_command_call *call);
/* perun export --history. */
int data_export_history(struct perun_ctx *ctx, const struct perun_command_call *call);

extern const struct perun_option query_options[];
int data_query(struct perun_ctx *ctx, const struct perun_command_call *call);

#endif
