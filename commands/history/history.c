/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun history and blame look at, and the plugin that brings them. */
#include <config.h>

#include <string.h>

#include "commands/common/lookup.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "history.h"

static void note_others(struct perun_ctx *ctx, char *const *names, size_t count, const char *taken)
{
	enum { MAX_NAMES = 8 };
	struct perun_buffer others = {0};
	size_t number = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], taken) != 0 && number++ < MAX_NAMES)
			perun_buffer_printf(&others, "%s%s", number > 1 ? ", " : "", names[i]);
	}
	if (number > MAX_NAMES)
		perun_buffer_printf(&others, " and %zu more", number - MAX_NAMES);
	if (number)
		perun_note(ctx, "showing %s, and what changed of %s", taken, others.data);
	perun_buffer_free(&others);
}

/* The leading metric: the elapsed time, or the first one that profiles have. */
static char *choose_metric(struct perun_ctx *ctx, struct perun_store *store, const char *range,
			   bool notes, int *status)
{
	const char *found = NULL;
	size_t count = 0;
	char **names = NULL, *metric;

	*status = perun_history_metrics(ctx, store, range, &names, &count);
	if (count)
		found = commands_find_metric(names, count, "time");
	if (!found && count)
		found = names[0];
	if (found && notes)
		note_others(ctx, names, count, found);
	metric = found ? perun_strdup(found) : NULL;
	perun_history_metrics_free(names, count);
	return metric;
}

/* All metrics, which are judged together as check does; a direction that is given is the leading one's. */
static int load_all(struct perun_ctx *ctx, struct perun_store *store,
		    struct perun_history_options *query, bool notes, struct history_found *found)
{
	bool directed = query->better != PERUN_BETTER_UNKNOWN;
	int status;

	found->leading = choose_metric(ctx, store, query->range, notes && !directed, &status);
	query->every_metric = found->leading && !directed;
	query->metric = query->every_metric ? NULL : found->leading;
	if (!status)
		status = commands_history_load(ctx, store, query, &found->history);
	query->metric = NULL;
	return status;
}

int history_find(struct perun_ctx *ctx, const struct perun_command_call *call, const char *location,
		 bool notes, struct history_found *found)
{
	const char *metric = perun_option_string(call->options, "metric");
	const char *range = perun_option_string(call->options, "range");
	struct perun_history_options query;
	struct perun_vcs *vcs;
	int status;

	*found = (struct history_found){.ctx = ctx};
	if (metric && !range && strstr(metric, "..")) {
		range = metric;
		metric = NULL;
	}
	query = commands_history_query(call->options, range,
				       perun_option_flag(call->options, "across-machines"));
	query.metric = metric;
	query.location = location;
	status = commands_open_vcs(ctx, call, &found->store, &vcs);
	if (!status && metric)
		status = commands_history_load(ctx, found->store, &query, &found->history);
	else if (!status)
		status = load_all(ctx, found->store, &query, notes, found);
	return status ? status : perun_acknowledgements_load(ctx, found->store, &found->known);
}

int history_find_changes(struct perun_ctx *ctx, const struct perun_command_call *call,
			 struct perun_history *history)
{
	struct perun_change_options options;
	int status = commands_change_options(ctx, perun_option_string(call->options, "method"),
					     call->options, &options);

	return status ? status
		      : perun_history_find_changes(ctx, history, &options,
						   PERUN_HISTORY_DISCOVERIES);
}

/* Totals of functions are of interest where they changed; other metrics where they say what the real time does not. */
static bool is_shown(const struct history_found *found, const struct history_times *times,
		     const struct perun_strand *strand)
{
	bool shown = !strand->inclusive &&
		     (!found->leading || strcmp(strand->metric, found->leading) == 0);

	for (size_t i = 0; !shown && i < strand->changes->count; i++)
		shown = !history_times_say(times, strand, &strand->changes->points[i]);
	return shown;
}

const struct perun_strand **history_shown(const struct history_found *found, size_t *count)
{
	size_t all = perun_history_count(found->history);
	const struct perun_strand **shown = perun_alloc_zero(all + 1, sizeof *shown);
	struct history_times *times = history_times_new(found->history);

	*count = 0;
	for (size_t s = 0; s < all; s++) {
		const struct perun_strand *strand = perun_history_strand(found->history, s);

		if (is_shown(found, times, strand))
			shown[(*count)++] = strand;
	}
	history_times_free(times);
	return shown;
}

void history_print_explanation(const struct perun_command_call *call,
			       const struct perun_strand *strand,
			       const struct perun_change_point *point)
{
	char *explanation;

	if (!perun_option_flag(call->options, "explain"))
		return;
	explanation = perun_strand_explain(strand, point);
	commands_print_wrapped(call, explanation, 4);
	perun_free(explanation);
}

/* By default this is what check calls shift, which searches histories by segments. */
void history_print_method(const struct perun_command_call *call)
{
	perun_output_printf(call->output, "judged by %s\n",
			    perun_option_given(call->options, "method")
				    ? perun_option_string(call->options, "method")
				    : PERUN_DEFAULT_METHOD);
}

void history_found_free(struct history_found *found)
{
	perun_free(found->leading);
	perun_acknowledgements_free(found->known);
	perun_history_free(found->history);
}

COMMANDS_PLUGIN(history, "history", "metrics over versions, and their changes",
		COMMAND("blame", "find the commits and functions that changed a metric",
			blame_options, history_blame),
		COMMAND("history", "show a metric over the versions of a branch, and its changes",
			history_options, history_show));
