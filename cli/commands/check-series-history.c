/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check series --from: the changes of a stored history. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/commands/check-series.h"
#include "commands/common/output.h"

static void set_known(const struct cli *cli, struct perun_json *document,
		      const struct perun_history *history, const struct perun_strand *strand,
		      size_t i, const char *reason, const char *moved_from)
{
	struct perun_json *point = commands_json_point_at(document, i);

	perun_json_set(point, "commits",
		       commands_json_commits(cli->ctx, cli->store, history, strand,
					     strand->changes->points[i].index));
	perun_json_set(point, "known", commands_text(reason));
	perun_json_set(point, "moved_from", commands_text(moved_from));
}

static void report_vanished(const struct perun_command_call *call, const struct perun_earlier *past,
			    struct perun_json *fact)
{
	struct perun_json *vanished = perun_json_array();

	for (size_t i = 0; i < past->vanished_count; i++) {
		perun_json_append(vanished, commands_text(past->vanished[i]));
		if (!fact)
			perun_output_printf(call->output,
					    "  the change at %.8s is not found any more\n",
					    past->vanished[i]);
	}
	if (fact)
		perun_json_set(fact, "vanished", vanished);
	else
		perun_json_free(vanished);
}

static void print_strand(const struct perun_command_call *call, const struct perun_strand *strand)
{
	perun_output_text(call->output, "at ");
	commands_print_color(call, VIEWS_BOLD);
	commands_print_safe(call, strand->location);
	commands_print_color(call, VIEWS_PLAIN);
	perun_output_text(call->output, ", ");
	commands_print_safe(call, strand->metric);
	if (*strand->command) {
		perun_output_text(call->output, " ($ ");
		commands_print_safe(call, strand->command);
		perun_output_text(call->output, ")");
	}
	perun_output_text(call->output, ":\n");
}

static void print_change(const struct cli *cli, const struct perun_command_call *call,
			 const struct perun_history *history, const struct perun_strand *strand,
			 size_t i, const char *reason, const char *moved_from)
{
	const struct perun_change_point *point = &strand->changes->points[i];
	char *subject = commands_history_subject(history, point->index);
	const struct commands_change_line line = {.subject = subject, .known = reason};

	commands_print_point(call, strand, point, &line);
	if (moved_from)
		perun_output_printf(call->output, "    was found at %.8s before\n", moved_from);
	commands_print_commits(cli->ctx, cli->store, call, history, strand, point->index);
	perun_free(subject);
}

/* Print a strand; `series` (of --json) may be NULL. */
static void report_strand(const struct cli *cli, const struct perun_command_call *call,
			  const struct perun_history *history,
			  const struct perun_acknowledgements *known,
			  const struct perun_json *found, const struct perun_strand *strand,
			  struct perun_json *series, bool *worse)
{
	struct perun_earlier past;
	struct perun_json *fact = NULL;

	perun_earlier_find(found, strand, &past);

	if (series) {
		fact = commands_json_strand(strand, strand->changes, strand->higher);
		perun_json_set(fact, "metric", commands_text(strand->metric));
		perun_json_set(fact, "location", commands_text(strand->location));
		perun_json_set(fact, "command", commands_text(strand->command));
		perun_json_append(series, fact);
	} else if (strand->changes->count || strand->changes->trend.found || past.vanished_count) {
		print_strand(call, strand);
	}
	for (size_t i = 0; i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];
		char *reason = perun_acknowledged_change(known, perun_history_line(history), strand,
							 point);

		if (!reason && !strand->undirected &&
		    perun_change_point_result(point, strand->higher) == PERUN_RESULT_DEGRADATION)
			*worse = true;
		if (fact)
			set_known(cli, fact, history, strand, i, reason, past.moved_from[i]);
		else
			print_change(cli, call, history, strand, i, reason, past.moved_from[i]);
		perun_free(reason);
	}
	if (!fact && strand->changes->trend.found) {
		perun_output_text(call->output, "  ");
		commands_print_trend(call, strand, &strand->changes->trend);
	}
	report_vanished(call, &past, fact);
	perun_earlier_free(&past);
}

static int check_by_plugin(struct cli *cli, const struct cli_call *call,
			   const struct perun_history *history, bool *worse)
{
	size_t count = perun_history_count(history);
	const struct perun_strand **strands = perun_alloc_zero(count + 1, sizeof *strands);
	int status;

	for (size_t s = 0; s < count; s++)
		strands[s] = perun_history_strand(history, s);
	status = cli_series_by_plugin(cli, call, strands, count, worse);
	perun_free((void *)strands);
	return status;
}

/* A store that cannot be written to does not make this fail. */
static void keep_found(struct cli *cli, const struct perun_json *past,
		       const struct perun_history *history)
{
	if (perun_earlier_keep(cli->ctx, cli->store, past, history)) {
		perun_warn(cli->ctx, "what was found is not kept: %s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
	}
}

static void report_strands(const struct cli *cli, const struct perun_command_call *call,
			   const struct perun_history *history,
			   const struct perun_acknowledgements *known,
			   const struct perun_json *past, bool json, bool *worse)
{
	struct perun_json *series = json ? perun_json_array() : NULL;
	size_t found = 0;

	for (size_t s = 0; s < perun_history_count(history); s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		report_strand(cli, call, history, known, past, strand, series, worse);
		found += strand->changes->count;
	}
	if (series) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "series", series);
		commands_print_json(call, document);
	} else if (found == 0) {
		perun_output_text(call->output, "no changes found\n");
	}
}

/* Find and report changes by a method of the library. */
static int check_by_library(struct cli *cli, const struct cli_call *call,
			    const struct perun_command_call *output, struct perun_history *history,
			    bool usual, bool *worse)
{
	struct perun_change_options options;
	struct perun_acknowledgements *known = NULL;
	struct perun_json *past = NULL;
	int status = perun_acknowledgements_load(cli->ctx, cli->store, &known);

	if (!status && usual)
		status = perun_store_document(cli->ctx, cli->store, PERUN_FOUND, &past);
	if (!status)
		status = cli_change_options(cli, call, &options);
	if (!status)
		status = perun_history_find_changes(cli->ctx, history, &options,
						    PERUN_HISTORY_DISCOVERIES);
	if (!status && perun_history_measured(history) < CLI_SERIES_MIN)
		perun_note(cli->ctx, "a change shows from %d measured versions on; there are %zu",
			   CLI_SERIES_MIN, perun_history_measured(history));
	if (!status)
		report_strands(cli, output, history, known, past, cli_flag(call, "json"), worse);
	if (!status && usual)
		keep_found(cli, past, history);
	perun_json_free(past);
	perun_acknowledgements_free(known);
	return status;
}

int cli_check_history(struct cli *cli, const struct cli_call *call,
		      const struct perun_command_call *output, bool *worse)
{
	struct perun_history_options query =
		commands_history_query(call->options, perun_option_string(call->options, "from"),
				       cli_flag(call, "across-machines"));
	struct perun_vcs *vcs;
	struct perun_history *history = NULL;
	bool usual;
	int status;

	query.location = perun_option_string(call->options, "location");
	/* Another method, a threshold, other machines, or one function alone finds others. */
	usual = !cli_string(call, "method") && !query.location && !query.machine &&
		!query.across_machines && perun_option_number(call->options, "threshold") == 0;
	status = cli_open_vcs(cli, &vcs);
	if (!status)
		status = commands_history_load(cli->ctx, cli->store, &query, &history);
	if (!status && cli_series_plugin(call))
		status = check_by_plugin(cli, call, history, worse);
	else if (!status)
		status = check_by_library(cli, call, output, history, usual, worse);
	perun_history_free(history);
	return status;
}
