/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's text format. */
#ifndef EXTRAP_TEXT_H
#define EXTRAP_TEXT_H

#include <perun/format.h>

int extraptext_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder);
int extraptext_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output);

#endif
