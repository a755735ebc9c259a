/* SPDX-License-Identifier: BSD-3-Clause */
/* What the search for lines found, as a review and as JSON. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/units.h>

#include "commands/bisect/bisect.h"
#include "commands/common/interleave-print.h"
#include "commands/common/output.h"

/* ---- as text --------------------------------------------------------------------------------- */

void lines_print_trial(const struct perun_command_call *call,
		       const struct perun_dissect_trial *trial, size_t changes)
{
	perun_output_printf(call->output, "build %zu%s, %zu of %zu change%s: ", trial->number,
			    trial->kept ? " (kept)" : "", trial->changes, changes,
			    changes == 1 ? "" : "s");
	if (trial->reason)
		commands_print_safe(call, trial->reason);
	else
		perun_output_printf(call->output, "%.3g %% of the change%s",
				    round(100 * trial->share) + 0.0,
				    trial->identical ? ", the same program as before" : "");
	if (trial->rounds)
		perun_output_printf(call->output, " in %zu run%s", trial->rounds,
				    trial->rounds == 1 ? "" : "s");
	if (trial->left)
		perun_output_printf(call->output, "; about %zu more build%s", trial->left,
				    trial->left == 1 ? "" : "s");
	perun_output_text(call->output, "\n");
	perun_output_flush(call->output);
}

static void print_colored(const struct perun_command_call *call, enum views_color color,
			  const char *text)
{
	commands_print_color(call, color);
	commands_print_safe(call, text);
	commands_print_color(call, VIEWS_PLAIN);
}

/* Lines of one side of a change, each with its sign. */
static void print_side(const struct perun_command_call *call, char sign, enum views_color color,
		       const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = perun_format("  %c%.*s", sign, (int)length, text);

		print_colored(call, color, line);
		perun_output_text(call->output, "\n");
		text += length + (text[length] == '\n');
		perun_free(line);
	}
}

static const char *describe(const struct perun_dissect_change *change)
{
	switch (change->kind) {
	case PERUN_DISSECT_CHANGE_ADDED:
		return "a new file";
	case PERUN_DISSECT_CHANGE_REMOVED:
		return "a file that is gone";
	case PERUN_DISSECT_CHANGE_REPLACED:
		return "a file that changed as a whole";
	case PERUN_DISSECT_CHANGE_RENAMED:
		return "its name";
	case PERUN_DISSECT_CHANGE_MODE:
		return "its permissions";
	default:
		return NULL;
	}
}

bool lines_is_trivial(const struct found_lines *found)
{
	const struct perun_dissect_facts *facts = perun_dissect_facts(found->search);

	return perun_dissect_changes(found->search) == 1 && !facts->builds && !facts->runs;
}

int lines_decimals(const struct perun_dissect_facts *facts)
{
	return fabs(facts->head / facts->base - 1) < 1 ? 1 : 0;
}

/* "FILE:LINE  in FUNCTION  carries 97 %". */
static void print_head(const struct found_lines *found, const struct perun_dissect_change *change)
{
	const struct perun_command_call *call = found->call;
	const struct perun_dissect_facts *facts = perun_dissect_facts(found->search);
	size_t line = change->new_start ? change->new_start : change->old_start;
	char *place =
		line ? perun_format("%s:%zu", change->file, line) : perun_strdup(change->file);

	print_colored(call, VIEWS_BOLD, place);
	if (describe(change))
		perun_output_printf(call->output, "  %s", describe(change));
	if (*change->function) {
		perun_output_text(call->output, "  in ");
		commands_print_safe(call, change->function);
	}
	if (change->role == PERUN_DISSECT_NEEDED)
		perun_output_text(call->output, "  needed to build the others");
	else if (change->role == PERUN_DISSECT_OPEN)
		perun_output_text(call->output, "  not decided");
	else if (facts->together)
		perun_output_text(call->output, facts->by_samples
							? "  by samples"
							: "  only together with the others");
	else if (isfinite(change->share))
		perun_output_printf(call->output, "  carries %.0f %% of %+.*f %%",
				    round(100 * change->share) + 0.0, lines_decimals(facts),
				    100 * (facts->head / facts->base - 1));
	perun_output_text(call->output, "\n");
	perun_free(place);
}

static void print_change(const struct found_lines *found, const struct perun_dissect_change *change)
{
	print_head(found, change);
	if (change->kind != PERUN_DISSECT_CHANGE_LINES)
		return;
	print_side(found->call, '-', VIEWS_RED, change->removed);
	print_side(found->call, '+', VIEWS_GREEN, change->added);
}

/* "12 % ± 3 %". */
static void add_share(struct perun_buffer *text, double share, double uncertain)
{
	/* What is rounded to 0 has no sign. */
	perun_buffer_printf(text, "%.0f %%", round(100 * share) + 0.0);
	if (uncertain > 0)
		perun_buffer_printf(text, " ± %.0f %%", ceil(100 * uncertain));
}

static void print_proof(const struct found_lines *found)
{
	const struct perun_dissect_facts *facts = perun_dissect_facts(found->search);
	const char *change = found->better ? "speedup" : "slowdown";
	struct perun_buffer text = {0};

	if (lines_is_trivial(found)) {
		perun_output_text(found->call->output, "There is no other change.\n");
		return;
	}
	if (isfinite(facts->alone)) {
		perun_buffer_add_text(&text, "The parent with these changes alone has ");
		add_share(&text, facts->alone, facts->alone_uncertain);
		perun_buffer_printf(&text, " of the %s; ", change);
	}
	if (isfinite(facts->rest)) {
		perun_buffer_add_text(&text, "the commit without them has ");
		add_share(&text, facts->rest, facts->rest_uncertain);
		perun_buffer_add_text(&text, ". ");
	} else if (text.length) {
		perun_buffer_add_text(&text, "the commit without them cannot be measured. ");
	}
	if (facts->by_samples)
		perun_buffer_add_text(&text,
				      "No part of these changes can be measured, so which of them "
				      "cost is what samples say, not an experiment. ");
	if (!facts->certain && facts->alone - facts->alone_uncertain > 1)
		perun_buffer_printf(&text,
				    "That is more than the whole %s, of which other changes take "
				    "a part back. ",
				    change);
	else if (!facts->certain)
		perun_buffer_printf(&text, "That does not account for the whole %s. ", change);
	perun_buffer_printf(&text, "%zu build%s, %zu runs.", facts->builds,
			    facts->builds == 1 ? "" : "s", facts->runs);
	commands_print_wrapped(found->call, text.data, 0);
	perun_buffer_free(&text);
}

/* Functions that cost more or less, those that moved by most first: at most this number. */
enum { MAX_FUNCTIONS = 5 };
/* What moves by less than this share of the first is not worth a line. */
#define MIN_MOVED 0.2

static void print_functions(const struct found_lines *found)
{
	const struct perun_command_call *call = found->call;
	const struct perun_dissect_function *function;
	double most = 0;

	for (size_t i = 0, count = 0; count < MAX_FUNCTIONS; i++) {
		struct perun_buffer text = {0};

		function = perun_dissect_function(found->search, i);
		if (!function)
			break;
		if (function->noise)
			continue;
		most = fmax(most, fabs(function->self[1] - function->self[0]));
		if (!(fabs(function->self[1] - function->self[0]) > MIN_MOVED * most))
			break;
		if (count++ == 0)
			perun_output_text(call->output, "Functions whose own cost moved:\n");
		perun_buffer_add_text(&text, "  ");
		perun_add_amount(&text, function->self[0], "ms");
		perun_buffer_add_text(&text, call->unicode ? " → " : " -> ");
		perun_add_amount(&text, function->self[1], "ms");
		perun_output_printf(call->output, "%s  ", text.data);
		commands_print_safe(call, function->name);
		perun_output_text(call->output, "\n");
		perun_buffer_free(&text);
	}
	if (most > 0)
		perun_output_text(call->output, "\n");
}

/* What is left where the search ended early. */
static void print_end(const struct found_lines *found)
{
	const char *ended = perun_dissect_facts(found->search)->ended;

	if (strcmp(ended, "interrupted") == 0)
		commands_print_wrapped(
			found->call, "Interrupted: what is not decided goes on with --resume.", 0);
	else if (strcmp(ended, "budget") == 0)
		commands_print_wrapped(found->call,
				       "The budget is used up: a larger one goes on with --resume.",
				       0);
}

size_t lines_count(const struct found_lines *found, enum perun_dissect_role role)
{
	size_t count = perun_dissect_changes(found->search), with = 0;

	for (size_t i = 0; i < count; i++)
		with += perun_dissect_change(found->search, i)->role == role;
	return with;
}

static void print_count(const struct found_lines *found)
{
	const struct perun_command_call *call = found->call;
	size_t count = perun_dissect_changes(found->search);
	size_t guilty = lines_count(found, PERUN_DISSECT_GUILTY),
	       needed = lines_count(found, PERUN_DISSECT_NEEDED),
	       open = lines_count(found, PERUN_DISSECT_OPEN);
	const char *word = commands_interleave_word(found->interleave, found->better);

	if (open && !guilty)
		perun_output_printf(call->output,
				    "\nWhat made it %s is among %zu of %zu change%s:\n\n", word,
				    open, count, count == 1 ? "" : "s");
	else
		perun_output_printf(call->output, "\n%zu of %zu change%s made it %s", guilty, count,
				    count == 1 ? "" : "s", word);
	if (needed && (guilty || !open))
		perun_output_printf(call->output, ", with %zu that %s to build", needed,
				    needed == 1 ? "it needs" : "are needed");
	if (guilty || !open)
		perun_output_text(call->output, ":\n\n");
}

/* What others need is printed with its lines up to this number of changes. */
enum { MAX_NEEDED = 4 };

/* All of a role, in the order of the commit. */
static void print_role(const struct found_lines *found, enum perun_dissect_role role)
{
	size_t count = perun_dissect_changes(found->search);
	bool brief = role == PERUN_DISSECT_NEEDED && lines_count(found, role) > MAX_NEEDED;

	for (size_t i = 0; i < count; i++) {
		const struct perun_dissect_change *change = perun_dissect_change(found->search, i);

		if (change->role != role)
			continue;
		if (brief)
			print_head(found, change);
		else
			print_change(found, change);
		if (!brief)
			perun_output_text(found->call->output, "\n");
	}
	if (brief)
		perun_output_text(found->call->output, "\n");
}

void lines_print(const struct found_lines *found)
{
	print_count(found);
	print_role(found, PERUN_DISSECT_GUILTY);
	print_role(found, PERUN_DISSECT_NEEDED);
	print_role(found, PERUN_DISSECT_OPEN);
	print_functions(found);
	if (perun_dissect_facts(found->search)->ended)
		print_end(found);
	print_proof(found);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static struct perun_json *describe_change(const struct perun_dissect_change *change)
{
	static const char *const kinds[] = {[PERUN_DISSECT_CHANGE_LINES] = "lines",
					    [PERUN_DISSECT_CHANGE_ADDED] = "added",
					    [PERUN_DISSECT_CHANGE_REMOVED] = "removed",
					    [PERUN_DISSECT_CHANGE_REPLACED] = "replaced",
					    [PERUN_DISSECT_CHANGE_RENAMED] = "renamed",
					    [PERUN_DISSECT_CHANGE_MODE] = "mode"};
	static const char *const roles[] = {[PERUN_DISSECT_INNOCENT] = "innocent",
					    [PERUN_DISSECT_GUILTY] = "guilty",
					    [PERUN_DISSECT_NEEDED] = "needed",
					    [PERUN_DISSECT_OPEN] = "open"};
	struct perun_json *object = perun_json_object();

	perun_json_set(object, "file", perun_json_text(change->file));
	perun_json_set(object, "old_file", perun_json_text(change->old_file));
	perun_json_set(object, "kind", perun_json_text(kinds[change->kind]));
	perun_json_set(object, "old_start", perun_json_int64((int64_t)change->old_start));
	perun_json_set(object, "old_lines", perun_json_int64((int64_t)change->old_lines));
	perun_json_set(object, "new_start", perun_json_int64((int64_t)change->new_start));
	perun_json_set(object, "new_lines", perun_json_int64((int64_t)change->new_lines));
	perun_json_set(object, "function", perun_json_text(change->function));
	perun_json_set(object, "role", perun_json_text(roles[change->role]));
	perun_json_set(object, "share", commands_number(change->share));
	perun_json_set(object, "removed", perun_json_text(change->removed));
	perun_json_set(object, "added", perun_json_text(change->added));
	return object;
}

static struct perun_json *describe_functions(const struct found_lines *found)
{
	const struct perun_dissect_function *function;
	struct perun_json *functions = perun_json_array();

	for (size_t i = 0; (function = perun_dissect_function(found->search, i)); i++) {
		struct perun_json *object = perun_json_object();

		perun_json_set(object, "name", commands_text(function->name));
		perun_json_set(object, "self_before", commands_number(function->self[0]));
		perun_json_set(object, "self_after", commands_number(function->self[1]));
		perun_json_set(object, "total_before", commands_number(function->total[0]));
		perun_json_set(object, "total_after", commands_number(function->total[1]));
		perun_json_set(object, "noise", perun_json_bool(function->noise));
		perun_json_append(functions, object);
	}
	return functions;
}

static struct perun_json *describe_lines(const struct found_lines *found)
{
	const struct perun_dissect_line *line;
	struct perun_json *lines = perun_json_array();

	for (size_t i = 0; (line = perun_dissect_line(found->search, i)); i++) {
		struct perun_json *object = perun_json_object();

		perun_json_set(object, "file", commands_text(line->file));
		perun_json_set(object, "line", perun_json_int64((int64_t)line->line));
		perun_json_set(object, "before", commands_number(line->cost[0]));
		perun_json_set(object, "after", commands_number(line->cost[1]));
		perun_json_append(lines, object);
	}
	return lines;
}

struct perun_json *lines_describe(const struct found_lines *found, bool all)
{
	const struct perun_dissect_facts *facts = perun_dissect_facts(found->search);
	struct perun_json *document = perun_json_object(), *hunks = perun_json_array();
	size_t count = perun_dissect_changes(found->search);

	for (size_t i = 0; i < count; i++) {
		const struct perun_dissect_change *change = perun_dissect_change(found->search, i);

		if (all || change->role != PERUN_DISSECT_INNOCENT)
			perun_json_append(hunks, describe_change(change));
	}
	perun_json_set(document, "base", perun_json_text(found->base));
	perun_json_set(document, "head", commands_text(found->head));
	perun_json_set(document, "changes", perun_json_int64((int64_t)count));
	perun_json_set(document, "identical", perun_json_bool(found->identical));
	perun_json_set(document, "metric", perun_json_text(facts->metric));
	perun_json_set(document, "before", commands_number(facts->base));
	perun_json_set(document, "after", commands_number(facts->head));
	perun_json_set(document, "hunks", hunks);
	perun_json_set(document, "functions", describe_functions(found));
	if (all)
		perun_json_set(document, "lines", describe_lines(found));
	perun_json_set(document, "together", perun_json_bool(facts->together));
	perun_json_set(document, "by_samples", perun_json_bool(facts->by_samples));
	perun_json_set(document, "alone", commands_number(facts->alone));
	perun_json_set(document, "alone_uncertain", commands_number(facts->alone_uncertain));
	perun_json_set(document, "rest", commands_number(facts->rest));
	perun_json_set(document, "rest_uncertain", commands_number(facts->rest_uncertain));
	perun_json_set(document, "certain", perun_json_bool(facts->certain));
	perun_json_set(document, "ended", commands_text(facts->ended));
	perun_json_set(document, "builds", perun_json_int64((int64_t)facts->builds));
	perun_json_set(document, "runs", perun_json_int64((int64_t)facts->runs));
	return document;
}

void lines_print_json(const struct found_lines *found)
{
	struct perun_json *document = lines_describe(found, false);

	perun_json_set(document, "comparison",
		       found->identical ? perun_json_null()
					: commands_interleave_json(found->interleave, found->ends));
	commands_print_json(found->call, document);
}
