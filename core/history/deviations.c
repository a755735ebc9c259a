/* SPDX-License-Identifier: BSD-3-Clause */
/* How much versions differ though nothing changed. */
#include <string.h>

#include "core/history/history.h"

/* Measured versions that tell it. */
#define VERSIONS 50

struct perun_deviations {
	struct perun_history *history; /* NULL = nothing was measured */
	size_t next; /* the strand after the one found last: who asks goes in their order */
};

int perun_deviations_load(struct perun_ctx *ctx, struct perun_store *store, const char *version,
			  struct perun_deviations **result)
{
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .range = version,
						      .every_metric = true,
						      .last = VERSIONS + 1};
	struct perun_deviations *deviations = perun_alloc_zero(1, sizeof *deviations);
	int status = perun_history_load(ctx, store, &options, &deviations->history);

	*result = deviations;
	if (status) {
		perun_deviations_free(deviations);
		*result = NULL;
	}
	return status;
}

void perun_deviations_free(struct perun_deviations *deviations)
{
	if (!deviations)
		return;
	perun_history_free(deviations->history);
	perun_free(deviations);
}

/* Whether `text` is the two texts with a blank between them, where there are two. */
static bool is_joined(const char *text, const char *command, const char *workload)
{
	size_t length = strlen(command);

	if (strncmp(text, command, length) != 0)
		return false;
	return *workload ? text[length] == ' ' && strcmp(text + length + 1, workload) == 0
			 : text[length] == '\0';
}

double perun_deviations_find(struct perun_deviations *deviations, const char *command,
			     const char *workload, const char *metric, const char *location)
{
	const struct perun_history *history = deviations->history;

	for (size_t i = 0; i < history->count; i++) {
		size_t s = (deviations->next + i) % history->count;
		const struct perun_strand *strand = &history->strands[s].strand;
		struct perun_value_series series = perun_strand_series(strand);

		/* All but the version itself, which is the last one. */
		series.count = history->line->count - 1;
		if (strcmp(strand->location, location) == 0 &&
		    strcmp(strand->metric, metric) == 0 &&
		    is_joined(strand->command, command, workload)) {
			deviations->next = s + 1;
			return perun_session_floor(&series);
		}
	}
	return 0;
}
