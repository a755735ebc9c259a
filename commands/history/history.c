/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun history and blame look at, and the plugin that brings them. */
#include <config.h>

#include <string.h>

#include "commands/common/lookup.h"
#include "commands/common/output.h"
#include "history.h"

/* "time" means "time(real)", and any name the only metric that begins so. NULL = none, or several. */
static const char *find_metric(char *const *names, size_t count, const char *wanted)
{
	size_t length = strlen(wanted);
	const char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(names[i], wanted, length) != 0 || names[i][length] != '(')
			continue;
		if (strcmp(names[i] + length, "(real)") == 0)
			return names[i];
		if (found)
			return NULL;
		found = names[i];
	}
	return found;
}

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
		perun_note(ctx, "showing %s; there are also %s", taken, others.data);
	perun_buffer_free(&others);
}

/* Without a name the leading metric: the elapsed time, or the first one that profiles have. */
static char *choose_metric(struct perun_ctx *ctx, struct perun_store *store, const char *range,
			   const char *wanted, int *status)
{
	const char *found = NULL;
	size_t count = 0;
	char **names = NULL, *metric;

	*status = perun_history_metrics(ctx, store, range, &names, &count);
	if (count && wanted)
		found = find_metric(names, count, wanted);
	else if (count)
		found = find_metric(names, count, "time");
	if (!found && !wanted && count)
		found = names[0];
	if (found && !wanted)
		note_others(ctx, names, count, found);
	metric = found ? perun_strdup(found) : NULL;
	perun_history_metrics_free(names, count);
	return metric;
}

/* The metric that is asked for; where no version has it, the one that was meant. */
static int load(struct perun_ctx *ctx, struct perun_store *store,
		struct perun_history_options *query, struct perun_history **history)
{
	struct perun_ctx *quiet; /* what the first attempt said is not said again */
	char *metric = NULL;
	int status =
		query->metric ? commands_history_load(ctx, store, query, history) : PERUN_USAGE;
	int found;

	if (status != PERUN_USAGE)
		return status;
	quiet = query->metric ? perun_ctx_new(NULL) : ctx;
	metric = choose_metric(quiet, store, query->range, query->metric, &found);
	if (quiet != ctx)
		perun_ctx_free(quiet);
	if (metric || !query->metric) {
		perun_history_free(*history);
		if (!found)
			perun_ctx_clear(ctx);
		query->metric = metric;
		status = found ? found : commands_history_load(ctx, store, query, history);
	}
	perun_free(metric);
	query->metric = NULL;
	return status;
}

int history_find(struct perun_ctx *ctx, const struct perun_command_call *call, const char *location,
		 struct history_found *found)
{
	const char *metric = perun_option_string(call->options, "metric");
	const char *range = perun_option_string(call->options, "range");
	struct perun_history_options query;
	struct perun_vcs *vcs;
	int status;

	*found = (struct history_found){0};
	if (metric && !range && strstr(metric, "..")) {
		range = metric;
		metric = NULL;
	}
	query = commands_history_query(call->options, range,
				       perun_option_flag(call->options, "across-machines"));
	query.metric = metric;
	query.location = location;
	status = commands_open_vcs(ctx, call, &found->store, &vcs);
	if (!status)
		status = load(ctx, found->store, &query, &found->history);
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

bool history_is_shown(const struct perun_strand *strand)
{
	return !strand->inclusive || strand->changes->count;
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
				    : "shift");
}

void history_found_free(struct history_found *found)
{
	perun_acknowledgements_free(found->known);
	perun_history_free(found->history);
}

static const struct perun_command commands[] = {
	{.name = "blame",
	 .summary = "find the commits and functions that changed a metric",
	 .options = blame_options,
	 .option_size = sizeof(struct perun_option),
	 .run = history_blame},
	{.name = "history",
	 .summary = "show a metric over the versions of a branch, and its changes",
	 .options = history_options,
	 .option_size = sizeof(struct perun_option),
	 .run = history_show},
	{.name = NULL}};

PERUN_PLUGIN(command, history) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "history",
			  "metrics over versions, and their changes"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
