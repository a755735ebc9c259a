/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of metrics are better, where profiles do not say: kept in the store. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/history.h"

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

enum perun_direction cli_kept_direction(const struct perun_json *list, const char *metric)
{
	const struct perun_json *item = find(list, metric);
	const char *better = item ? perun_json_as_string(perun_json_get(item, "better"), NULL) : "";

	return perun_direction_of(better ? better : "");
}

/* A direction that was told. */
struct told {
	const struct cli_history *history;
	const struct cli_history_query *query;
};

static int keep(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	const struct told *told = data;

	(void)ctx;
	for (size_t s = 0; s < told->history->strand_count; s++) {
		const struct cli_strand *strand = &told->history->strands[s];
		const char *metric = strand->series.metric;
		struct perun_json *item = find(list, metric);

		if (strand->says)
			continue;
		if (!item) {
			item = perun_json_object();
			perun_json_set(item, "metric", perun_json_text(metric));
			perun_json_append(list, item);
		}
		perun_json_set(item, "better",
			       perun_json_text(told->query->told == PERUN_BETTER_HIGHER ? "higher"
											: "lower"));
	}
	return PERUN_OK;
}

void cli_directions_keep(struct cli *cli, const struct cli_history_query *query,
			 const struct cli_history *history)
{
	struct told told = {history, query};
	struct perun_json *list = NULL, *now = NULL;
	int status = perun_store_document(cli->ctx, cli->store, PERUN_DIRECTIONS, &list);

	if (!status) {
		now = perun_json_clone(list);
		keep(&told, cli->ctx, now);
		if (!perun_json_equal(list, now))
			status = perun_store_edit_document(cli->ctx, cli->store, PERUN_DIRECTIONS,
							   keep, &told);
	}
	/* A store that cannot be written to is no reason to fail. */
	if (status) {
		perun_warn(cli->ctx, "the direction is not kept: %s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
	}
	perun_json_free(now);
	perun_json_free(list);
}
