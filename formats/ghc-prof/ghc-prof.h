/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of GHC's cost centres: the text of +RTS -p and the JSON of -pj. */
#ifndef GHC_PROF_H
#define GHC_PROF_H

#include "formats/common/stacks.h"

enum { GHC_TIME, GHC_ALLOC, GHC_ENTRIES };

int ghc_read_text(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks);
int ghc_read_json(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks);
/* A cost centre is called "Module.name". */
perun_id ghc_location(struct stacks *stacks, struct perun_buffer *name, const char *module,
		      const char *label, const char *source);

#endif
