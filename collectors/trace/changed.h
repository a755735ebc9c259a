/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the source of a function is what it was at another version. */
#ifndef PERUN_TRACE_CHANGED_H
#define PERUN_TRACE_CHANGED_H

#include <perun/context.h>

#include "code.h"

struct changed;

enum changed_state {
	CHANGED_NOT,
	CHANGED_YES,
	CHANGED_UNKNOWN /* its lines are not known */
};

/* `folder`: where sources with relative names are. Fails where no project is around, or it has no such version. */
int changed_open(struct perun_ctx *ctx, const char *version, const char *folder,
		 struct changed **changed);
void changed_free(struct changed *changed); /* NULL is fine */
/* What is known of a function by its lines, those of inlined functions among them. */
enum changed_state changed_function(struct changed *changed, const struct code *code);

#endif
