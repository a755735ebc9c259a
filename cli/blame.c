/* SPDX-License-Identifier: BSD-3-Clause */
/* perun blame: which commits changed a metric, and which functions explain it. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/facts.h"
#include "cli/history.h"

const struct perun_option cli_blame_options[] = {
	CLI_RANGE_OPTIONS,
	{.name = "functions",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "5",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6,
	 .help = "name so many functions at most for each change"},
	CLI_BETTER_OPTION,
	CLI_METHOD_OPTION,
	CLI_THRESHOLD_OPTION,
	{.name = "json", .help = "print JSON"},
	CLI_MACHINES_OPTION,
	CLI_MACHINE_OPTION,
	{0}};

/* ---- telling --------------------------------------------------------------------------------- */

static json_t *fact_change(const struct perun_history *history, const struct perun_strand *total,
			   const struct perun_change_point *point,
			   const struct perun_candidates *candidates, const char *known)
{
	json_t *fact = cli_fact_change_point(total, point, total->higher);
	json_t *functions = json_array();

	for (size_t i = 0; i < perun_candidates_count(candidates); i++) {
		const struct perun_candidate *candidate = perun_candidates_at(candidates, i);
		json_t *function = json_object();

		json_object_set_new(function, "location", cli_fact_text(candidate->location));
		json_object_set_new(function, "path", cli_fact_text(candidate->path));
		json_object_set_new(function, "before", cli_fact_number(candidate->before));
		json_object_set_new(function, "after", cli_fact_number(candidate->after));
		json_object_set_new(function, "share",
				    cli_fact_number(perun_candidate_share(candidate, point)));
		json_object_set_new(function, "p", cli_fact_number(candidate->p));
		json_object_set_new(function, "model_before",
				    cli_fact_text(candidate->model_before));
		json_object_set_new(function, "model_after", cli_fact_text(candidate->model_after));
		json_array_append_new(functions, function);
	}
	json_object_set_new(fact, "metric", cli_fact_text(total->metric));
	json_object_set_new(fact, "command", cli_fact_text(total->command));
	json_object_set_new(fact, "location", cli_fact_text(total->location));
	json_object_set_new(fact, "known", cli_fact_text(known));
	json_object_set_new(fact, "commits", cli_fact_commits(history, total, point->index));
	json_object_set_new(fact, "functions", functions);
	return fact;
}

static void print_change(struct cli *cli, const struct perun_history *history,
			 const struct perun_strand *total, const struct perun_change_point *point,
			 const struct perun_candidates *candidates, const char *known)
{
	if (!total->whole) {
		cli_print_safe(total->location);
		fputs(": ", stdout);
	}
	cli_print_point(cli, total, point, total->higher);
	fputs("  ", stdout);
	cli_print_safe(total->metric);
	fputs(" ($ ", stdout);
	cli_print_safe(total->command);
	putchar(')');
	if (known) {
		fputs(" [known: ", stdout);
		cli_print_safe(known);
		putchar(']');
	}
	puts(", since the last measured version:");
	for (size_t i = perun_last_measured_before(total, point->index) + 1; i <= point->index;
	     i++) {
		char *subject = cli_history_subject(history, i);

		printf("  %s%.8s%s ", cli_color(cli, CLI_YELLOW),
		       cli_history_version(history, i)->checksum, cli_color_end(cli));
		cli_print_safe(subject);
		putchar('\n');
		perun_free(subject);
	}
	for (size_t i = 0; i < perun_candidates_count(candidates); i++) {
		const struct perun_candidate *candidate = perun_candidates_at(candidates, i);

		printf("  %6.1f %%  ", 100 * perun_candidate_share(candidate, point));
		cli_print_safe(candidate->location);
		printf(": %.4g -> %.4g", candidate->before, candidate->after);
		if (candidate->model_before && candidate->model_after &&
		    strcmp(candidate->model_before, candidate->model_after) != 0)
			printf(", %s -> %s", candidate->model_before, candidate->model_after);
		putchar('\n');
		if (strcmp(candidate->path, candidate->location) != 0) {
			fputs("            by ", stdout);
			cli_print_safe(candidate->path);
			putchar('\n');
		}
	}
}

/* What is told, and of what. */
struct blaming {
	struct cli *cli;
	struct perun_history *history, *sums;
	struct perun_acknowledgements *known;
	size_t most;     /* functions */
	json_t *changes; /* NULL = as text */
	size_t found;
};

static int blame_change(struct blaming *blaming, const struct perun_strand *total,
			const struct perun_change_point *point)
{
	struct cli *cli = blaming->cli;
	const struct perun_history *history = blaming->history;
	char *known = perun_acknowledged_change(blaming->known, perun_history_line(history), total,
						point);
	struct perun_candidates *candidates = NULL;
	int status = perun_candidates_find(cli->ctx, cli->store, history, total, point,
					   blaming->most, &candidates);

	if (!status && blaming->changes)
		json_array_append_new(blaming->changes,
				      fact_change(history, total, point, candidates, known));
	else if (!status)
		print_change(cli, history, total, point, candidates, known);
	blaming->found++;
	perun_free(known);
	perun_candidates_free(candidates);
	return status;
}

/* Versions that may well be the same change, as noise tells them. */
enum { NEAR = 2 };

/* Whether the whole changed where one of its functions did. */
static bool is_part(const struct perun_strand *total, const struct perun_change_point *point)
{
	for (size_t i = 0; i < total->changes->count; i++) {
		size_t index = total->changes->points[i].index;

		if (index <= point->index + NEAR && point->index <= index + NEAR)
			return true;
	}
	return false;
}

/* The sum of a command, which comes before its functions, whose own changes are told where it has none. */
static int blame_strands(struct blaming *blaming)
{
	const struct perun_history *sums = blaming->sums;
	const struct perun_strand *total = NULL;
	int status = PERUN_OK;

	for (size_t s = 0; s < perun_history_count(sums); s++) {
		const struct perun_strand *strand = perun_history_strand(sums, s);
		bool function = !strand->whole;

		total = function ? total : strand;
		for (size_t i = 0; !status && i < strand->changes->count; i++) {
			const struct perun_change_point *point = &strand->changes->points[i];

			if (!function || !is_part(total, point))
				status = blame_change(blaming, strand, point);
		}
	}
	return status;
}

int cli_blame(struct cli *cli, const struct cli_call *call)
{
	const struct perun_history_options query =
		cli_history_options_of(call, perun_option_string(call->options, "range"));
	struct blaming blaming = {.cli = cli,
				  .most = (size_t)perun_option_integer(call->options, "functions"),
				  .changes = perun_option_flag(call->options, "json") ? json_array()
										      : NULL};
	int status = cli_history_load(cli, &query, &blaming.history);

	if (!status)
		status = perun_acknowledgements_load(cli->ctx, cli->store, &blaming.known);
	if (!status) {
		blaming.sums = perun_history_sums(blaming.history);
		status = cli_history_changes(cli, call, blaming.sums);
	}
	if (!status)
		status = blame_strands(&blaming);
	if (!status && blaming.changes) {
		json_t *document = json_object();

		json_object_set(document, "changes", blaming.changes);
		cli_print_facts(document);
	} else if (!status && blaming.found == 0) {
		puts("no changes found");
	}
	json_decref(blaming.changes);
	perun_acknowledgements_free(blaming.known);
	perun_history_free(blaming.sums);
	perun_history_free(blaming.history);
	return status;
}
