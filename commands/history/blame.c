/* SPDX-License-Identifier: BSD-3-Clause */
/* perun blame: which commits changed a metric, and which functions explain it. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/lib/units.h>

#include "commands/common/output.h"
#include "history.h"

const struct perun_option blame_options[] = {
	COMMANDS_RANGE_OPTIONS,
	{.name = "functions",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "5",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6,
	 .help = "name up to N functions for each change"},
	COMMANDS_BETTER_OPTION,
	COMMANDS_METHOD_OPTION,
	COMMANDS_THRESHOLD_OPTION,
	{.name = "explain", .help = "print how each change was found"},
	{.name = "json", .help = "print JSON"},
	COMMANDS_ACROSS_MACHINES_OPTION,
	COMMANDS_MACHINE_OPTION,
	{0}};

/* ---- printing -------------------------------------------------------------------------------- */

static struct perun_json *fact_change(const struct perun_history *history,
				      const struct perun_strand *total,
				      const struct perun_change_point *point,
				      const struct perun_candidates *candidates, const char *known)
{
	struct perun_json *fact = commands_json_change_point(total, point, total->higher);
	struct perun_json *functions = perun_json_array();

	for (size_t i = 0; i < perun_candidates_count(candidates); i++) {
		const struct perun_candidate *candidate = perun_candidates_at(candidates, i);
		struct perun_json *function = perun_json_object();

		perun_json_set(function, "location", commands_text(candidate->location));
		perun_json_set(function, "path", commands_text(candidate->path));
		perun_json_set(function, "before", commands_number(candidate->before));
		perun_json_set(function, "after", commands_number(candidate->after));
		perun_json_set(function, "share",
			       commands_number(perun_candidate_share(candidate, point)));
		perun_json_set(function, "p", commands_number(candidate->p));
		perun_json_set(function, "model_before", commands_text(candidate->model_before));
		perun_json_set(function, "model_after", commands_text(candidate->model_after));
		perun_json_append(functions, function);
	}
	perun_json_set(fact, "metric", commands_text(total->metric));
	perun_json_set(fact, "command", commands_text(total->command));
	perun_json_set(fact, "location", commands_text(total->location));
	perun_json_set(fact, "known", commands_text(known));
	perun_json_set(fact, "commits", commands_json_commits(history, total, point->index));
	perun_json_set(fact, "functions", functions);
	return fact;
}

/* ": 12 ms → 40 ms". */
static void print_amounts(const struct perun_command_call *call, const char *unit,
			  const struct perun_candidate *candidate)
{
	struct perun_buffer text = {0};

	perun_buffer_add_text(&text, ": ");
	perun_add_amount(&text, candidate->before, unit ? unit : "");
	perun_buffer_add_text(&text, call->unicode ? " → " : " -> ");
	perun_add_amount(&text, candidate->after, unit ? unit : "");
	perun_output_text(call->output, text.data);
	perun_buffer_free(&text);
}

static void print_place(const struct perun_command_call *call, const char *location)
{
	char *place = commands_place(location);

	commands_print_safe(call, place);
	perun_free(place);
}

static void print_change(const struct perun_command_call *call, const struct perun_history *history,
			 const struct perun_strand *total, const struct perun_change_point *point,
			 const struct perun_candidates *candidates, const char *known)
{
	const struct perun_change of = {.location = total->whole ? "" : total->location,
					.type = total->metric};
	char *subject = commands_history_subject(history, point->index);
	const struct commands_change_line line = {
		.change = &of, .subject = subject, .command = total->command, .known = known};

	commands_print_point(call, total, point, &line);
	history_print_explanation(call, total, point);
	commands_print_commits(call, history, total, point->index);
	perun_free(subject);
	for (size_t i = 0; i < perun_candidates_count(candidates); i++) {
		const struct perun_candidate *candidate = perun_candidates_at(candidates, i);

		perun_output_printf(call->output, "  %6.1f %%  ",
				    100 * perun_candidate_share(candidate, point));
		print_place(call, candidate->location);
		print_amounts(call, total->unit, candidate);
		if (candidate->model_before && candidate->model_after &&
		    strcmp(candidate->model_before, candidate->model_after) != 0)
			perun_output_printf(call->output, ", %s -> %s", candidate->model_before,
					    candidate->model_after);
		perun_output_text(call->output, "\n");
		if (strcmp(candidate->path, candidate->location) != 0) {
			perun_output_text(call->output, "            by ");
			commands_print_safe(call, candidate->path);
			perun_output_text(call->output, "\n");
		}
	}
}

/* What is reported, and of what. */
struct blaming {
	struct perun_ctx *ctx;
	const struct perun_command_call *call;
	struct history_found of;
	struct perun_history *sums;
	size_t most;                /* functions */
	struct perun_json *changes; /* NULL = as text */
	size_t found;
};

static int blame_change(struct blaming *blaming, const struct perun_strand *total,
			const struct perun_change_point *point)
{
	const struct perun_history *history = blaming->of.history;
	char *known = perun_acknowledged_change(blaming->of.known, perun_history_line(history),
						total, point);
	struct perun_candidates *candidates = NULL;
	int status = perun_candidates_find(blaming->ctx, blaming->of.store, history, total, point,
					   blaming->most, &candidates);

	if (!status && blaming->changes)
		perun_json_append(blaming->changes,
				  fact_change(history, total, point, candidates, known));
	else if (!status)
		print_change(blaming->call, history, total, point, candidates, known);
	blaming->found++;
	perun_free(known);
	perun_candidates_free(candidates);
	return status;
}

/* Versions that may well be the same change, as noise shows them. */
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

/*
 * What all functions cost together depends on load, unless a run was recorded from start to end, and rates do not add
 * up: no command judges that.
 */
static bool is_judged(const struct perun_strand *strand)
{
	if (!strand->whole)
		return true;
	if (strand->stacks)
		return strand->noise != PERUN_NOISE_SAMPLED || strand->recorded;
	return !strand->higher || strand->kind != PERUN_VALUE_SUM;
}

/* The sum of a command, which comes before its functions, whose own changes are reported where it has none. */
static int blame_strands(struct blaming *blaming)
{
	const struct perun_history *sums = blaming->sums;
	const struct perun_strand *total = NULL;
	struct history_times *times = history_times_new(sums);
	int status = PERUN_OK;

	for (size_t s = 0; s < perun_history_count(sums); s++) {
		const struct perun_strand *strand = perun_history_strand(sums, s);
		bool function = !strand->whole;

		total = function ? total : strand;
		for (size_t i = 0; !status && is_judged(strand) && i < strand->changes->count;
		     i++) {
			const struct perun_change_point *point = &strand->changes->points[i];

			if ((!function || strand->inclusive || !is_judged(total) ||
			     !is_part(total, point)) &&
			    (!blaming->of.leading || !history_times_say(times, strand, point)))
				status = blame_change(blaming, strand, point);
		}
	}
	history_times_free(times);
	return status;
}

int history_blame(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct blaming blaming = {
		.ctx = ctx,
		.call = call,
		.most = (size_t)perun_option_integer(call->options, "functions"),
		.changes = perun_option_flag(call->options, "json") ? perun_json_array() : NULL};
	int status = history_find(ctx, call, NULL, false, &blaming.of);

	if (!status) {
		blaming.sums = perun_history_sums(blaming.of.history);
		status = history_find_changes(ctx, call, blaming.sums);
	}
	if (!status)
		status = blame_strands(&blaming);
	if (!status && blaming.changes) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "changes", blaming.changes);
		commands_print_json(call, document);
		blaming.changes = NULL;
	} else if (!status && blaming.found == 0) {
		perun_output_text(call->output, "no changes found\n");
	}
	if (!status && !perun_option_flag(call->options, "json"))
		history_print_method(call);
	perun_json_free(blaming.changes);
	perun_history_free(blaming.sums);
	history_found_free(&blaming.of);
	return status;
}
