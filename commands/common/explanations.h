/* SPDX-License-Identifier: BSD-3-Clause */
/* How findings came about that are stored without saying so: what the history measured, and what it assumed. */
#ifndef COMMANDS_COMMON_EXPLANATIONS_H
#define COMMANDS_COMMON_EXPLANATIONS_H

#include <perun/check.h>
#include <perun/store.h>

/* The history of the head, judged when the first finding is explained. Begin with {0}. */
struct commands_explanations {
	struct perun_history *history; /* NULL = not yet, or it cannot be loaded */
	bool loaded;
	struct commands_explained **items; /* the findings with their explanations */
	size_t count, capacity;
};
/*
 * Say of each of the findings about a version what the history says, or, where it has none of the kind, which command
 * explains it. The texts live as long as the explanations.
 */
void commands_explain(struct perun_ctx *ctx, struct perun_store *store,
		      struct commands_explanations *explanations, const char *version,
		      struct perun_stored_change *items, size_t count);
void commands_explanations_free(struct commands_explanations *explanations);

#endif
