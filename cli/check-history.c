/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check series --from: the changes of a stored history. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "cli/facts.h"
#include "cli/history.h"

static void set_known(json_t *document, const struct perun_history *history,
		      const struct perun_strand *strand, size_t i, const char *reason,
		      const char *moved_from)
{
	json_t *point = json_array_get(json_object_get(document, "change_points"), i);

	json_object_set_new(point, "commits",
			    cli_fact_commits(history, strand, strand->changes->points[i].index));
	json_object_set_new(point, "known", reason ? cli_fact_text(reason) : json_null());
	json_object_set_new(point, "moved_from", cli_fact_text(moved_from));
}

static void tell_vanished(const struct perun_earlier *past, json_t *fact)
{
	json_t *vanished = json_array();

	for (size_t i = 0; i < past->vanished_count; i++) {
		json_array_append_new(vanished, cli_fact_text(past->vanished[i]));
		if (!fact)
			printf("  the change at %.8s is not found any more\n", past->vanished[i]);
	}
	if (fact)
		json_object_set(fact, "vanished", vanished);
	json_decref(vanished);
}

static void print_strand(struct cli *cli, const struct perun_strand *strand)
{
	printf("at %s", cli_color(cli, CLI_BOLD));
	cli_print_safe(strand->location);
	printf("%s, ", cli_color_end(cli));
	cli_print_safe(strand->metric);
	if (*strand->command) {
		fputs(" ($ ", stdout);
		cli_print_safe(strand->command);
		putchar(')');
	}
	puts(":");
}

static void print_change(struct cli *cli, const struct perun_history *history,
			 const struct perun_strand *strand, size_t i, const char *reason,
			 const char *moved_from)
{
	const struct perun_change_point *point = &strand->changes->points[i];
	char *subject = cli_history_subject(history, point->index);

	fputs("  ", stdout);
	cli_print_point(cli, strand, point, strand->higher);
	fputs("    ", stdout);
	cli_print_safe(subject);
	if (reason) {
		fputs(" [known: ", stdout);
		cli_print_safe(reason);
		putchar(']');
	}
	if (moved_from)
		printf(" [was found at %.8s before]", moved_from);
	putchar('\n');
	perun_free(subject);
}

/* Print a strand; `series` (of --json) may be NULL. */
static void tell_strand(struct cli *cli, const struct perun_history *history,
			const struct perun_acknowledgements *known, const struct perun_json *found,
			const struct perun_strand *strand, json_t *series, bool *worse)
{
	struct perun_earlier past;
	json_t *fact = NULL;

	perun_earlier_find(found, strand, &past);

	if (series) {
		fact = cli_fact_series(strand, strand->changes, strand->higher);
		json_object_set_new(fact, "metric", cli_fact_text(strand->metric));
		json_object_set_new(fact, "location", cli_fact_text(strand->location));
		json_object_set_new(fact, "command", cli_fact_text(strand->command));
		json_array_append_new(series, fact);
	} else if (strand->changes->count || strand->changes->trend.found || past.vanished_count) {
		print_strand(cli, strand);
	}
	for (size_t i = 0; i < strand->changes->count; i++) {
		const struct perun_change_point *point = &strand->changes->points[i];
		char *reason = perun_acknowledged_change(known, perun_history_line(history), strand,
							 point);

		if (!reason &&
		    perun_change_point_result(point, strand->higher) == PERUN_RESULT_DEGRADATION)
			*worse = true;
		if (fact)
			set_known(fact, history, strand, i, reason, past.moved_from[i]);
		else
			print_change(cli, history, strand, i, reason, past.moved_from[i]);
		perun_free(reason);
	}
	if (!fact && strand->changes->trend.found) {
		fputs("  ", stdout);
		cli_print_trend(strand, &strand->changes->trend);
	}
	tell_vanished(&past, fact);
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

/* A store that cannot be written to is no reason to fail. */
static void keep_found(struct cli *cli, const struct perun_json *past,
		       const struct perun_history *history)
{
	if (perun_earlier_keep(cli->ctx, cli->store, past, history)) {
		perun_warn(cli->ctx, "what was found is not kept: %s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
	}
}

int cli_check_history(struct cli *cli, const struct cli_call *call, bool *worse)
{
	struct perun_history_options query =
		cli_history_options_of(call, perun_option_string(call->options, "from"));
	struct perun_history *history;
	struct perun_acknowledgements *known = NULL;
	struct perun_json *past = NULL;
	json_t *series = cli_flag(call, "json") ? json_array() : NULL;
	size_t found = 0;
	bool usual;
	int status;

	query.location = perun_option_string(call->options, "location");
	usual = !cli_string(call, "method") && !query.location && !query.machine &&
		!query.across_machines && perun_option_number(call->options, "threshold") == 0;
	status = cli_history_load(cli, &query, &history);

	if (!status && cli_series_plugin(call)) {
		status = check_by_plugin(cli, call, history, worse);
		json_decref(series);
		perun_history_free(history);
		return status;
	}
	if (!status)
		status = perun_acknowledgements_load(cli->ctx, cli->store, &known);
	/* Another method, a threshold, other machines, or one function alone finds others. */
	if (!status && usual)
		status = perun_store_document(cli->ctx, cli->store, PERUN_FOUND, &past);
	if (!status)
		status = cli_history_changes(cli, call, history);
	if (!status && perun_history_measured(history) < CLI_SERIES_LEAST)
		perun_note(cli->ctx, "a change shows from %d measured versions on; there are %zu",
			   CLI_SERIES_LEAST, perun_history_measured(history));
	for (size_t s = 0; !status && s < perun_history_count(history); s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		tell_strand(cli, history, known, past, strand, series, worse);
		found += strand->changes->count;
	}
	if (!status && series) {
		json_t *document = json_object();

		json_object_set(document, "series", series);
		cli_print_facts(document);
	} else if (!status && found == 0) {
		puts("no changes found");
	}
	if (!status && usual)
		keep_found(cli, past, history);
	json_decref(series);
	perun_json_free(past);
	perun_acknowledgements_free(known);
	perun_history_free(history);
	return status;
}
