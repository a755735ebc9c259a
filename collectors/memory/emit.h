/* SPDX-License-Identifier: BSD-3-Clause */
/* What was recorded as a profile of Perun. */
#ifndef PERUN_MEMORY_EMIT_H
#define PERUN_MEMORY_EMIT_H

#include <perun/profile.h>

#include "drain.h"

struct emit_options {
	const char *const *no_source, *const *no_function; /* NULL-terminated; leave these out */
	bool all;           /* all frames, also those without source */
	bool free_stacks;   /* what freed each allocation */
	double ticks;       /* a second */
	const char *folder; /* where the program was built */
};

/* Add the resources; what the document says of them too. Gives PERUN_CANCELLED when interrupted. */
int emit_profile(struct perun_ctx *ctx, const struct emit_options *options, struct heap *heap,
		 const struct places *places, struct perun_builder *builder);

#endif
