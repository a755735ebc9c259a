/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of metrics are better, where profiles do not say: kept in the store. */
#include <string.h>

#include "core/history/history.h"

static struct perun_json *find(const struct perun_json *list, const char *metric)
{
	for (size_t i = 0; i < perun_json_count(list); i++) {
		struct perun_json *item = perun_json_at(list, i);
		const char *name = perun_json_as_string(perun_json_get(item, "metric"), NULL);

		if (name && strcmp(name, metric) == 0)
			return item;
	}
	return NULL;
}

enum perun_direction perun_directions_find(const struct perun_json *list, const char *metric)
{
	const struct perun_json *item = find(list, metric);
	const char *better = item ? perun_json_as_string(perun_json_get(item, "better"), NULL) : "";

	return perun_direction_of(better ? better : "");
}

/* A direction for the metrics of a history. */
struct stated {
	const struct perun_history *history;
	const char *better;
};

static int keep(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	const struct stated *stated = data;

	(void)ctx;
	for (size_t s = 0; s < stated->history->count; s++) {
		const struct perun_strand *strand = &stated->history->strands[s].strand;
		struct perun_json *item = find(list, strand->metric);

		if (strand->says)
			continue;
		if (!item) {
			item = perun_json_object();
			perun_json_set(item, "metric", perun_json_text(strand->metric));
			perun_json_append(list, item);
		}
		perun_json_set(item, "better", perun_json_text(stated->better));
	}
	return PERUN_OK;
}

int perun_directions_keep(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_history *history, enum perun_direction better)
{
	struct stated stated = {history, better == PERUN_BETTER_HIGHER ? "higher" : "lower"};
	struct perun_json *list = NULL, *now;
	int status = perun_store_document(ctx, store, PERUN_DIRECTIONS, &list);

	if (!status) {
		now = perun_json_clone(list);
		keep(&stated, ctx, now);
		if (!perun_json_equal(list, now))
			status = perun_store_edit_document(ctx, store, PERUN_DIRECTIONS, keep,
							   &stated);
		perun_json_free(now);
	}
	perun_json_free(list);
	return status;
}
