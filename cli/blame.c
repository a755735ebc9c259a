/* SPDX-License-Identifier: BSD-3-Clause */
/* perun blame: which commits changed a metric, and which functions explain it. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/facts.h"
#include "cli/suspects.h"

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

/* The last measured version before a change. */
static size_t last_before(const struct cli_strand *total, const struct perun_change_point *point)
{
	size_t i = point->index;

	while (i > 0 && isnan(total->series.values[--i]))
		;
	return i;
}

/* ---- telling --------------------------------------------------------------------------------- */

static json_t *fact_change(const struct cli_history *history, const struct cli_strand *total,
			   const struct perun_change_point *point,
			   const struct cli_suspects *suspects, const char *known)
{
	json_t *fact = cli_fact_change_point(&total->series, point, total->higher);
	json_t *commits = json_array(), *functions = json_array();

	for (size_t i = last_before(total, point) + 1; i <= point->index; i++) {
		char *subject = cli_history_subject(history, i);
		json_t *commit = json_object();

		json_object_set_new(commit, "version",
				    cli_fact_text(history->versions[i]->checksum));
		json_object_set_new(commit, "subject", cli_fact_text(subject));
		json_array_append_new(commits, commit);
		perun_free(subject);
	}
	for (size_t i = 0; i < suspects->count; i++) {
		const struct cli_suspect *suspect = &suspects->items[i];
		json_t *function = json_object();

		json_object_set_new(function, "location", cli_fact_text(suspect->location));
		json_object_set_new(function, "path", cli_fact_text(suspect->path));
		json_object_set_new(function, "before", cli_fact_number(suspect->before));
		json_object_set_new(function, "after", cli_fact_number(suspect->after));
		json_object_set_new(function, "share",
				    cli_fact_number(cli_suspect_share(suspect, point)));
		json_object_set_new(function, "p", cli_fact_number(suspect->p));
		json_object_set_new(function, "model_before", cli_fact_text(suspect->model_before));
		json_object_set_new(function, "model_after", cli_fact_text(suspect->model_after));
		json_array_append_new(functions, function);
	}
	json_object_set_new(fact, "metric", cli_fact_text(total->series.metric));
	json_object_set_new(fact, "command", cli_fact_text(total->command));
	json_object_set_new(fact, "location", cli_fact_text(total->location));
	json_object_set_new(fact, "known", cli_fact_text(known));
	json_object_set_new(fact, "commits", commits);
	json_object_set_new(fact, "functions", functions);
	return fact;
}

static void print_change(struct cli *cli, const struct cli_history *history,
			 const struct cli_strand *total, const struct perun_change_point *point,
			 const struct cli_suspects *suspects, const char *known)
{
	if (!total->whole) {
		cli_print_safe(total->location);
		fputs(": ", stdout);
	}
	cli_print_point(cli, &total->series, point, total->higher);
	fputs("  ", stdout);
	cli_print_safe(total->series.metric);
	fputs(" ($ ", stdout);
	cli_print_safe(total->command);
	putchar(')');
	if (known) {
		fputs(" [known: ", stdout);
		cli_print_safe(known);
		putchar(']');
	}
	puts(", since the last measured version:");
	for (size_t i = last_before(total, point) + 1; i <= point->index; i++) {
		char *subject = cli_history_subject(history, i);

		printf("  %s%.8s%s ", cli_color(cli, CLI_YELLOW),
		       history->versions[i]->checksum, cli_color_end(cli));
		cli_print_safe(subject);
		putchar('\n');
		perun_free(subject);
	}
	for (size_t i = 0; i < suspects->count; i++) {
		const struct cli_suspect *suspect = &suspects->items[i];

		printf("  %6.1f %%  ", 100 * cli_suspect_share(suspect, point));
		cli_print_safe(suspect->location);
		printf(": %.4g -> %.4g", suspect->before, suspect->after);
		if (suspect->model_before && suspect->model_after &&
		    strcmp(suspect->model_before, suspect->model_after) != 0)
			printf(", %s -> %s", suspect->model_before, suspect->model_after);
		putchar('\n');
		if (strcmp(suspect->path, suspect->location) != 0) {
			fputs("            by ", stdout);
			cli_print_safe(suspect->path);
			putchar('\n');
		}
	}
}

/* What is told, and of what. */
struct blaming {
	struct cli *cli;
	struct cli_history history, sums;
	struct cli_known known;
	size_t most;     /* functions */
	json_t *changes; /* NULL = as text */
	size_t found;
};

static int blame_change(struct blaming *blaming, const struct cli_strand *total,
			const struct perun_change_point *point)
{
	struct cli *cli = blaming->cli;
	const struct cli_history *history = &blaming->history;
	char *known = cli_known_reason(&blaming->known, history, total, point);
	struct cli_suspects suspects;
	size_t before = last_before(total, point);
	int status = cli_suspects_find(cli, history, total, point, blaming->most, &suspects);

	if (!status)
		status = cli_suspects_profiles(
			cli, total, history->versions[before]->checksum, false, &suspects);
	if (!status)
		status = cli_suspects_profiles(cli, total,
					       history->versions[point->index]->checksum,
					       true, &suspects);
	cli_suspects_choose_paths(&suspects);
	if (!status && blaming->changes)
		json_array_append_new(blaming->changes,
				      fact_change(history, total, point, &suspects, known));
	else if (!status)
		print_change(cli, history, total, point, &suspects, known);
	blaming->found++;
	perun_free(known);
	cli_suspects_free(&suspects);
	return status;
}

/* Versions that may well be the same change, as noise tells them. */
enum { NEAR = 2 };

/* Whether the whole changed where one of its functions did. */
static bool is_part(const struct cli_strand *total, const struct perun_change_point *point)
{
	for (size_t i = 0; i < total->changes.count; i++) {
		size_t index = total->changes.points[i].index;

		if (index <= point->index + NEAR && point->index <= index + NEAR)
			return true;
	}
	return false;
}

/* The sum of a command, which comes before its functions, whose own changes are told where it has none. */
static int blame_strands(struct blaming *blaming)
{
	const struct cli_history *sums = &blaming->sums;
	const struct cli_strand *total = NULL;
	int status = PERUN_OK;

	for (size_t s = 0; s < sums->strand_count; s++) {
		const struct cli_strand *strand = &sums->strands[s];
		bool function = !strand->whole;

		total = function ? total : strand;
		for (size_t i = 0; !status && i < strand->changes.count; i++) {
			const struct perun_change_point *point = &strand->changes.points[i];

			if (!function || !is_part(total, point))
				status = blame_change(blaming, strand, point);
		}
	}
	return status;
}

int cli_blame(struct cli *cli, const struct cli_call *call)
{
	struct cli_history_query query = {
		.range = perun_option_string(call->options, "range"),
		.metric = perun_option_string(call->options, "metric"),
		.across = perun_option_flag(call->options, "across-machines"),
		.machine = perun_option_string(call->options, "machine"),
		.told = cli_told_direction(call)};
	struct blaming blaming = {.cli = cli,
				  .most = (size_t)perun_option_integer(call->options, "functions"),
				  .changes = perun_option_flag(call->options, "json") ? json_array()
										      : NULL};
	int status = cli_history_load(cli, &query, &blaming.history);

	if (!status)
		status = cli_known_load(cli, &blaming.known);
	if (!status)
		status = cli_blame_strands(cli, call, &blaming.history, &blaming.sums);
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
	cli_known_free(&blaming.known);
	cli_history_free(&blaming.sums);
	cli_history_free(&blaming.history);
	return status;
}
