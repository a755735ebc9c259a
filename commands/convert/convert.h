/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of perun convert share. */
#ifndef PERUN_COMMANDS_CONVERT_CONVERT_H
#define PERUN_COMMANDS_CONVERT_CONVERT_H

#include <perun/command.h>

#include "commands/common/lookup.h"

/* The only profile that the argument names. `*lookup` is to be freed in any case. */
int convert_find(struct perun_ctx *ctx, const struct perun_command_call *call,
		 struct perun_lookup **lookup, const struct perun_place **place);
/* Print a text to a terminal; what is not text is PERUN_USAGE. */
int convert_print_text(struct perun_ctx *ctx, const struct perun_command_call *call,
		       const struct perun_buffer *text);
/* {"path", "format", "lost"}; after the file was written, before other losses are noted. */
void convert_print_facts(struct perun_ctx *ctx, const struct perun_command_call *call,
			 const char *path, const char *format);

/* perun convert --original (original.c) */
int convert_to_original(struct perun_ctx *ctx, const struct perun_command_call *call);

#endif
