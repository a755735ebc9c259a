/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interleaved comparison found, as text and as JSON. */
#include "interleave-print.h"

#include <math.h>
#include <string.h>

#include <perun/lib/units.h>

#include "change-line.h"
#include "output.h"

/* ---- as text --------------------------------------------------------------------------------- */

bool commands_interleave_is_timed(const struct perun_interleave *interleave)
{
	const char *metric = perun_interleave_facts(interleave)->metric;

	return perun_unit_of(perun_interleave_unit(metric)).kind == PERUN_UNIT_TIME;
}

const char *commands_interleave_word(const struct perun_interleave *interleave, bool better)
{
	if (commands_interleave_is_timed(interleave))
		return better ? "faster" : "slower";
	return better ? "better" : "worse";
}

static enum perun_result result_of(enum perun_answer answer)
{
	switch (answer) {
	case PERUN_VERDICT_INCREASE:
		return PERUN_RESULT_DEGRADATION;
	case PERUN_VERDICT_DECREASE:
		return PERUN_RESULT_OPTIMIZATION;
	case PERUN_VERDICT_SAME:
		return PERUN_RESULT_NO_CHANGE;
	default:
		return PERUN_RESULT_INCONCLUSIVE;
	}
}

/* The names in JSON. */
static const char *word_of(enum perun_answer answer)
{
	return answer == PERUN_VERDICT_UNDECIDED ? "Unknown" : perun_result_name(result_of(answer));
}

/* The session that was not looked for: the one that confirmed, if there is one. */
static const struct perun_interleave_session *deciding(const struct perun_interleave_result *result)
{
	return &result->sessions[result->count - 1];
}

/* The verdict that leads to an answer: where sessions disagree, that of the one that found no change. */
static const struct perun_verdict *leading(const struct perun_interleave_result *result,
					   enum perun_answer answer, bool second)
{
	const struct perun_verdict *verdict = NULL;

	for (size_t i = result->count; i-- > 0;) {
		const struct perun_interleave_session *session = &result->sessions[i];

		verdict = second ? &session->second.verdict : &session->first.verdict;
		if (verdict->answer == answer ||
		    (answer == PERUN_VERDICT_UNDECIDED && verdict->answer == PERUN_VERDICT_SAME))
			return verdict;
	}
	return verdict;
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

/* A line as that of perun check; `remark` ends it. */
static void print_verdict(const struct perun_command_call *call, enum perun_answer answer,
			  const struct perun_verdict *verdict, const char *metric,
			  const char *command, const char *remark)
{
	const struct commands_screen screen = commands_screen(call);
	const char *unit = perun_interleave_unit(metric);
	struct perun_buffer from = {0}, to = {0}, end = {0}, text = {0};
	struct perun_change change = {.struct_size = sizeof change,
				      .result = result_of(answer),
				      .location = "",
				      .type = metric,
				      .rate = rate_of(verdict),
				      .confidence_type = "p_value",
				      .confidence_rate = verdict->p};
	struct commands_change_line line = {.change = &change, .command = command};

	perun_add_amount(&from, verdict->before, unit);
	perun_add_amount(&to, verdict->after, unit);
	change.from_baseline = from.data;
	change.to_target = to.data;
	if (verdict->before != 0 && isfinite(verdict->low) && isfinite(verdict->high)) {
		change.low = verdict->low / verdict->before;
		change.high = verdict->high / verdict->before;
	}
	perun_buffer_add_text(&end, remark);
	if (answer == PERUN_VERDICT_SAME && verdict->before != 0)
		perun_buffer_printf(&end, "%schanges above %.2g %% excluded", *remark ? ", " : "",
				    100 * verdict->effect / verdict->before);
	line.subject = end.data;
	commands_add_change_line(&screen, &line, &text);
	perun_output_text(call->output, text.data);
	perun_buffer_free(&from);
	perun_buffer_free(&to);
	perun_buffer_free(&end);
	perun_buffer_free(&text);
}

void commands_interleave_print(struct perun_ctx *ctx, const struct perun_command_call *call,
			       const struct perun_interleave *interleave,
			       const struct perun_interleave_result *result)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	const struct perun_verdict *verdict = leading(result, result->answer, false);
	const bool explain = perun_option_flag(call->options, "explain");
	const char *confirmed = result->count == 2 ? "confirmed by a second session" : "";
	enum perun_answer second = perun_interleave_agreed(result, true);

	print_verdict(call, result->answer, verdict, facts->metric, facts->command,
		      result->unconfirmed ? "found by a first session but not by a second one"
					  : confirmed);
	if (explain)
		print_session(call, facts, &result->sessions[0],
			      result->count == 2 ? "first session" : "explanation");
	if (explain && result->count == 2)
		print_session(call, facts, &result->sessions[1], "second session");
	if (facts->second)
		print_verdict(call, second, leading(result, second, true), facts->second, NULL,
			      result->turned ? "hidden by noise" : "");
	if (result->answer == PERUN_VERDICT_UNDECIDED && !result->unconfirmed && verdict->more &&
	    verdict->more <= PERUN_VERDICT_MAX_MORE_RUNS)
		perun_output_printf(call->output,
				    "about %zu more %s of each side should settle it\n",
				    verdict->more, verdict->more == 1 ? "run" : "runs");
	else if (result->answer == PERUN_VERDICT_UNDECIDED && !result->unconfirmed)
		perun_output_text(
			call->output,
			"no reasonable number of runs would settle it, a quieter machine may\n");
	if (!facts->second && result->answer == PERUN_VERDICT_UNDECIDED &&
	    strcmp(facts->metric, "real") == 0)
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

/* What both metrics have: what is said of them, and by which sessions. */
static void add_reported(const struct perun_interleave_facts *facts,
			 const struct perun_interleave_result *result, bool other,
			 struct perun_json *fact)
{
	const struct perun_interleave_session *last = deciding(result);
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
	add_reported(facts, result, false, fact);
	perun_json_set(fact, "confirmed",
		       perun_json_bool(result->count == 2 && !result->unconfirmed));
	perun_json_set(fact, "seed", perun_json_int64((int64_t)facts->seed));
	if (facts->second)
		add_reported(facts, result, true, other);
	perun_json_set(fact, "other", other);
	return fact;
}
