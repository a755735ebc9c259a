/* SPDX-License-Identifier: BSD-3-Clause */
/* perun blame: which commits changed a metric, and which functions explain it. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/lib/units.h>

#include "commands/common/lines-offer.h"
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

static struct perun_json *fact_change(const struct history_found *of,
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
	perun_json_set(fact, "commits",
		       commands_json_commits(of->ctx, of->store, of->history, total, point->index));
	perun_json_set(fact, "functions", functions);
	return fact;
}

/* ": 12 ms → 40 ms". */
static void print_amounts(const struct perun_command_call *call, const char *unit,
			  const struct perun_candidate *candidate)
{
	struct perun_buffer text = {0};

	perun_buffer_add_text(&text, ": ");
	commands_add_value(&text, candidate->before, unit);
	perun_buffer_add_text(&text, call->unicode ? " → " : " -> ");
	commands_add_value(&text, candidate->after, unit);
	perun_output_text(call->output, text.data);
	perun_buffer_free(&text);
}

static void print_place(const struct perun_command_call *call, const char *location)
{
	char *place = commands_place(location);

	commands_print_safe(call, place);
	perun_free(place);
}

/* A function that changed alone, of which nothing more is known. */
static bool is_itself(const struct perun_strand *strand, const struct perun_candidate *candidate)
{
	return strcmp(candidate->path, strand->location) == 0 && !candidate->model_before &&
	       !candidate->model_after;
}

static void print_functions(const struct perun_command_call *call, const struct perun_strand *total,
			    const struct perun_change_point *point,
			    const struct perun_candidates *candidates)
{
	for (size_t i = 0; i < perun_candidates_count(candidates); i++) {
		const struct perun_candidate *candidate = perun_candidates_at(candidates, i);

		if (is_itself(total, candidate))
			continue;
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

/* What finds the lines that made it slower. */
static void print_offer(const struct perun_command_call *call, const struct perun_history *history,
			const struct perun_strand *total, const struct perun_change_point *point)
{
	const struct perun_minor_version *version = commands_history_version(history, point->index);
	const char *before =
		commands_history_version(history, perun_last_measured_before(total, point->index))
			->checksum;
	bool parent = version->parent_count && strcmp(version->parents[0], before) == 0;
	const struct commands_lines_offer offer = {.base = parent ? NULL : before,
						   .version = version->checksum,
						   .command = total->command,
						   .location = total->whole ? "" : total->location,
						   .metric = total->metric};
	struct perun_buffer text = {0};

	if (perun_result_is_degradation(perun_strand_result(total, point)) &&
	    commands_add_lines_offer(&text, &offer)) {
		perun_output_text(call->output, "  ");
		commands_print_safe(call, text.data);
		perun_output_text(call->output, "\n");
	}
	perun_buffer_free(&text);
}

static void print_change(const struct perun_command_call *call, const struct history_found *found,
			 const struct perun_strand *total, const struct perun_change_point *point,
			 const struct perun_candidates *candidates, const char *known)
{
	const struct perun_change of = {.location = total->whole ? "" : total->location,
					.type = total->metric};
	char *subject = commands_history_subject(found->history, point->index);
	char *command = perun_strand_command(found->history, total, point->index);
	const struct commands_change_line line = {
		.change = &of, .subject = subject, .command = command, .known = known};

	commands_print_point(call, total, point, &line);
	history_print_explanation(call, total, point);
	commands_print_commits(found->ctx, found->store, call, found->history, total, point->index);
	perun_free(subject);
	perun_free(command);
	print_functions(call, total, point, candidates);
	print_offer(call, found->history, total, point);
}

/* What is reported, and of what. */
struct blaming {
	struct perun_ctx *ctx;
	const struct perun_command_call *call;
	struct history_found of;
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
				  fact_change(&blaming->of, total, point, candidates, known));
	else if (!status)
		print_change(blaming->call, &blaming->of, total, point, candidates, known);
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

/* The whole of a command explains itself by its functions, whose own changes are not repeated then. */
static bool is_explained(const struct perun_strand *const *strands, size_t count,
			 const struct perun_strand *strand, const struct perun_change_point *point)
{
	for (size_t s = 0; s < count && !strand->whole && !strand->inclusive; s++) {
		const struct perun_strand *whole = strands[s];

		if (whole->whole && strcmp(whole->metric, strand->metric) == 0 &&
		    strcmp(whole->command, strand->command) == 0 && is_part(whole, point))
			return true;
	}
	return false;
}

/* The changes that history and check report, in their amounts. */
static int blame_strands(struct blaming *blaming)
{
	size_t count;
	const struct perun_strand **strands = history_shown(&blaming->of, &count);
	struct history_times *times = history_times_new(blaming->of.history);
	int status = PERUN_OK;

	for (size_t s = 0; s < count; s++) {
		for (size_t i = 0; !status && i < strands[s]->changes->count; i++) {
			const struct perun_change_point *point = &strands[s]->changes->points[i];

			if (!is_explained(strands, count, strands[s], point) &&
			    (!blaming->of.leading || !history_times_say(times, strands[s], point)))
				status = blame_change(blaming, strands[s], point);
		}
	}
	history_times_free(times);
	perun_free(strands);
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

	if (!status)
		status = history_find_changes(ctx, call, blaming.of.history);
	if (!status)
		status = blame_strands(&blaming);
	if (!status)
		perun_history_note_moved(ctx, blaming.of.history);
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
	history_found_free(&blaming.of);
	return status;
}
