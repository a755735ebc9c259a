/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interleaved comparison found, as text and as JSON. */
#include "interleave-print.h"
#include "output.h"

#include <math.h>
#include <string.h>

#include "views/common/bars.h"

/* ---- small things ---------------------------------------------------------------------------- */

/* ---- as text --------------------------------------------------------------------------------- */

static const char *word_of(enum perun_answer answer)
{
	switch (answer) {
	case PERUN_VERDICT_INCREASE:
		return "Degradation";
	case PERUN_VERDICT_DECREASE:
		return "Optimization";
	case PERUN_VERDICT_SAME:
		return "NoChange";
	default:
		return "Unknown";
	}
}

/* The session that was not looked for: the one that confirmed, if there is one. */
static const struct perun_interleave_session *telling(const struct perun_interleave_result *result)
{
	return &result->sessions[result->count - 1];
}

static double rate_of(const struct perun_verdict *verdict)
{
	return verdict->before != 0 ? 1 + verdict->shift / verdict->before : NAN;
}

static struct perun_verdict_options judged_by(const struct perun_interleave_facts *facts,
					      const struct perun_interleave_session *session)
{
	return (struct perun_verdict_options){.struct_size = sizeof(struct perun_verdict_options),
					      .threshold = facts->threshold,
					      .level = session->level,
					      .paired = true};
}

static void print_session(const struct perun_command_call *call,
			  const struct perun_interleave_facts *facts,
			  const struct perun_interleave_session *session, const char *name)
{
	struct perun_verdict_options options = judged_by(facts, session);
	struct perun_buffer words = {0};

	perun_verdict_explain(&session->first.verdict, &options,
			      perun_interleave_unit(facts->metric), &words);
	perun_output_printf(call->output, "  %s: ", name);
	if (session->first.block > 1)
		perun_output_printf(call->output, "%zu pairs by medians of %zu; ", session->count,
				    session->first.block);
	commands_print_safe(call, words.data ? words.data : "");
	perun_output_text(call->output, "\n");
	perun_buffer_free(&words);
}

/* How much more it is, in what interval. */
static void print_amount(const struct perun_command_call *call, enum perun_answer answer,
			 const struct perun_verdict *verdict)
{
	if (isfinite(rate_of(verdict)))
		perun_output_printf(call->output, ", %.4gx", rate_of(verdict));
	if (isfinite(verdict->low) && isfinite(verdict->high) && verdict->before != 0)
		perun_output_printf(call->output, " (%+.2f %% to %+.2f %%)",
				    100 * verdict->low / verdict->before,
				    100 * verdict->high / verdict->before);
	if (answer == PERUN_VERDICT_SAME && verdict->before != 0)
		perun_output_printf(call->output, ", any change is below %.2f %%",
				    100 * verdict->effect / verdict->before);
}

static void print_other(const struct perun_command_call *call,
			const struct perun_interleave_facts *facts,
			const struct perun_interleave_result *result)
{
	enum perun_answer answer = perun_interleave_agreed(result, true);

	perun_output_printf(call->output, "  %s%s: %s", facts->second,
			    result->turned ? ", which noise hides" : "", word_of(answer));
	print_amount(call, answer, &telling(result)->second.verdict);
	perun_output_text(call->output, "\n");
}

void commands_interleave_print(struct perun_ctx *ctx, const struct perun_command_call *call,
			       const struct perun_interleave *interleave,
			       const struct perun_interleave_result *result)
{
	const struct perun_canvas canvas = {.struct_size = sizeof canvas, .color = call->color};
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	struct perun_buffer word = {0};

	views_add_color(&word, &canvas,
			result->answer == PERUN_VERDICT_INCREASE   ? VIEWS_RED
			: result->answer == PERUN_VERDICT_DECREASE ? VIEWS_GREEN
								   : VIEWS_BLUE);
	perun_buffer_add_text(&word, word_of(result->answer));
	views_add_color(&word, &canvas, VIEWS_PLAIN);
	perun_output_printf(call->output, "%s: ", word.data);
	perun_buffer_free(&word);
	commands_print_safe(call, facts->command);
	perun_output_printf(call->output, " %s", facts->metric);
	print_amount(call, result->answer, &telling(result)->first.verdict);
	if (result->unconfirmed)
		perun_output_printf(call->output,
				    ", found by a first session but not by a second one");
	else if (result->count == 2)
		perun_output_printf(call->output, ", confirmed by a second session");
	perun_output_text(call->output, "\n");
	print_session(call, facts, &result->sessions[0],
		      result->count == 2 ? "first session" : "explanation");
	if (result->count == 2)
		print_session(call, facts, &result->sessions[1], "second session");
	if (facts->second)
		print_other(call, facts, result);
	else if (result->answer == PERUN_VERDICT_UNDECIDED && strcmp(facts->metric, "real") == 0)
		perun_note(ctx,
			   "runs wait for other work on this machine; --metric cpu does not count "
			   "that time");
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static struct perun_json *numbers(const double *values, size_t count)
{
	struct perun_json *array = perun_json_array();

	for (size_t i = 0; i < count; i++)
		perun_json_append(array, commands_number(values[i]));
	return array;
}

static struct perun_json *fact_session(const struct perun_interleave_facts *facts,
				       const struct perun_interleave_session *session, bool other)
{
	const struct perun_interleave_series *series = other ? &session->second : &session->first;
	const struct perun_verdict *verdict = &series->verdict;
	struct perun_verdict_options options = judged_by(facts, session);
	struct perun_json *fact = perun_json_object();
	struct perun_buffer words = {0};

	perun_verdict_explain(verdict, &options,
			      perun_interleave_unit(other ? facts->second : facts->metric), &words);
	perun_json_set(fact, "result", perun_json_text(word_of(verdict->answer)));
	perun_json_set(fact, "before", commands_number(verdict->before));
	perun_json_set(fact, "after", commands_number(verdict->after));
	perun_json_set(fact, "shift", commands_number(verdict->shift));
	perun_json_set(fact, "low", commands_number(verdict->low));
	perun_json_set(fact, "high", commands_number(verdict->high));
	perun_json_set(fact, "p", commands_number(verdict->p));
	perun_json_set(fact, "level", commands_number(session->level));
	perun_json_set(fact, "noise", commands_number(verdict->noise));
	perun_json_set(fact, "effect", commands_number(verdict->effect));
	perun_json_set(fact, "block", perun_json_int64((int64_t)series->block));
	perun_json_set(fact, "explanation", perun_json_text(words.data ? words.data : ""));
	perun_json_set(fact, "base", numbers(series->values[0], session->count));
	perun_json_set(fact, "head", numbers(series->values[1], session->count));
	perun_buffer_free(&words);
	return fact;
}

/* What both metrics have: what is told of them, and by which sessions. */
static void add_told(const struct perun_interleave_facts *facts,
		     const struct perun_interleave_result *result, bool other,
		     struct perun_json *fact)
{
	const struct perun_interleave_session *last = telling(result);
	const char *metric = other ? facts->second : facts->metric;
	struct perun_json *sessions = perun_json_array();

	for (size_t i = 0; i < result->count; i++)
		perun_json_append(sessions, fact_session(facts, &result->sessions[i], other));
	perun_json_set(fact, "metric", perun_json_text(metric));
	perun_json_set(fact, "unit", perun_json_text(perun_interleave_unit(metric)));
	perun_json_set(fact, "result",
		       perun_json_text(word_of(other ? perun_interleave_agreed(result, true)
						     : result->answer)));
	perun_json_set(
		fact, "rate",
		commands_number(rate_of(other ? &last->second.verdict : &last->first.verdict)));
	perun_json_set(fact, "sessions", sessions);
}

struct perun_json *commands_interleave_json(const struct perun_interleave *interleave,
					    const struct perun_interleave_result *result)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	struct perun_json *fact = perun_json_object(),
			  *other = facts->second ? perun_json_object() : perun_json_null();

	perun_json_set(fact, "command", perun_json_text(facts->command));
	add_told(facts, result, false, fact);
	perun_json_set(fact, "confirmed",
		       perun_json_bool(result->count == 2 && !result->unconfirmed));
	perun_json_set(fact, "seed", perun_json_int64((int64_t)facts->seed));
	if (facts->second)
		add_told(facts, result, true, other);
	perun_json_set(fact, "other", other);
	return fact;
}
