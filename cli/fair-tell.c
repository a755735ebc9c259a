/* SPDX-License-Identifier: BSD-3-Clause */
/* What a fair comparison found, as text and as facts. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "cli/facts.h"
#include "cli/fair.h"

const char *cli_fair_word(enum perun_answer answer)
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

static void print_session(const struct perun_interleave_facts *facts,
			  const struct perun_interleave_session *session, const char *name)
{
	struct perun_verdict_options options = judged_by(facts, session);
	struct perun_buffer words = {0};

	perun_verdict_explain(&session->first.verdict, &options,
			      perun_interleave_unit(facts->metric), &words);
	printf("  %s: ", name);
	if (session->first.block > 1)
		printf("%zu pairs by medians of %zu; ", session->count, session->first.block);
	cli_print_safe(words.data ? words.data : "");
	putchar('\n');
	perun_buffer_free(&words);
}

/* How much more it is, in what interval. */
static void print_amount(enum perun_answer answer, const struct perun_verdict *verdict)
{
	if (isfinite(rate_of(verdict)))
		printf(", %.4gx", rate_of(verdict));
	if (isfinite(verdict->low) && isfinite(verdict->high) && verdict->before != 0)
		printf(" (%+.2f %% to %+.2f %%)", 100 * verdict->low / verdict->before,
		       100 * verdict->high / verdict->before);
	if (answer == PERUN_VERDICT_SAME && verdict->before != 0)
		printf(", any change is below %.2f %%", 100 * verdict->effect / verdict->before);
}

static void print_other(const struct perun_interleave_facts *facts,
			const struct perun_interleave_result *result)
{
	enum perun_answer answer = perun_interleave_agreed(result, true);

	printf("  %s%s: %s", facts->second, result->turned ? ", which noise hides" : "",
	       cli_fair_word(answer));
	print_amount(answer, &telling(result)->second.verdict);
	putchar('\n');
}

void cli_fair_print(struct cli *cli, const struct perun_interleave *interleave,
		    const struct perun_interleave_result *result)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	enum cli_color color = result->answer == PERUN_VERDICT_INCREASE   ? CLI_RED
			       : result->answer == PERUN_VERDICT_DECREASE ? CLI_GREEN
									  : CLI_BLUE;

	printf("%s%s%s: ", cli_color(cli, color), cli_fair_word(result->answer),
	       cli_color_end(cli));
	cli_print_safe(facts->command);
	printf(" %s", facts->metric);
	print_amount(result->answer, &telling(result)->first.verdict);
	if (result->unconfirmed)
		printf(", told by a first session but not by a second one");
	else if (result->count == 2)
		printf(", confirmed by a second session");
	putchar('\n');
	print_session(facts, &result->sessions[0],
		      result->count == 2 ? "first session" : "explanation");
	if (result->count == 2)
		print_session(facts, &result->sessions[1], "second session");
	if (facts->second)
		print_other(facts, result);
	else if (result->answer == PERUN_VERDICT_UNDECIDED && strcmp(facts->metric, "real") == 0)
		perun_note(cli->ctx,
			   "runs wait for other work on this machine; --metric cpu does not count "
			   "that time");
}

static json_t *numbers(const double *values, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, cli_fact_number(values[i]));
	return array;
}

static json_t *fact_session(const struct perun_interleave_facts *facts,
			    const struct perun_interleave_session *session, bool other)
{
	const struct perun_interleave_series *series = other ? &session->second : &session->first;
	const struct perun_verdict *verdict = &series->verdict;
	struct perun_verdict_options options = judged_by(facts, session);
	json_t *fact = json_object();
	struct perun_buffer words = {0};

	perun_verdict_explain(verdict, &options,
			      perun_interleave_unit(other ? facts->second : facts->metric), &words);
	json_object_set_new(fact, "result", json_string(cli_fair_word(verdict->answer)));
	json_object_set_new(fact, "before", cli_fact_number(verdict->before));
	json_object_set_new(fact, "after", cli_fact_number(verdict->after));
	json_object_set_new(fact, "shift", cli_fact_number(verdict->shift));
	json_object_set_new(fact, "low", cli_fact_number(verdict->low));
	json_object_set_new(fact, "high", cli_fact_number(verdict->high));
	json_object_set_new(fact, "p", cli_fact_number(verdict->p));
	json_object_set_new(fact, "level", cli_fact_number(session->level));
	json_object_set_new(fact, "noise", cli_fact_number(verdict->noise));
	json_object_set_new(fact, "effect", cli_fact_number(verdict->effect));
	json_object_set_new(fact, "block", json_integer((json_int_t)series->block));
	json_object_set_new(fact, "explanation", cli_fact_text(words.data));
	json_object_set_new(fact, "base", numbers(series->values[0], session->count));
	json_object_set_new(fact, "head", numbers(series->values[1], session->count));
	perun_buffer_free(&words);
	return fact;
}

/* What both metrics have: what is told of them, and by which sessions. */
static void add_told(const struct perun_interleave_facts *facts,
		     const struct perun_interleave_result *result, bool other, json_t *fact)
{
	const struct perun_interleave_session *last = telling(result);
	const char *metric = other ? facts->second : facts->metric;
	json_t *sessions = json_array();

	for (size_t i = 0; i < result->count; i++)
		json_array_append_new(sessions, fact_session(facts, &result->sessions[i], other));
	json_object_set_new(fact, "metric", cli_fact_text(metric));
	json_object_set_new(fact, "unit", json_string(perun_interleave_unit(metric)));
	json_object_set_new(fact, "result",
			    json_string(cli_fair_word(other ? perun_interleave_agreed(result, true)
							    : result->answer)));
	json_object_set_new(
		fact, "rate",
		cli_fact_number(rate_of(other ? &last->second.verdict : &last->first.verdict)));
	json_object_set_new(fact, "sessions", sessions);
}

json_t *cli_fair_fact(const struct perun_interleave *interleave,
		      const struct perun_interleave_result *result)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	json_t *fact = json_object(), *other = facts->second ? json_object() : json_null();

	json_object_set_new(fact, "command", cli_fact_text(facts->command));
	add_told(facts, result, false, fact);
	json_object_set_new(fact, "confirmed",
			    json_boolean(result->count == 2 && !result->unconfirmed));
	json_object_set_new(fact, "seed", json_integer((json_int_t)facts->seed));
	if (facts->second)
		add_told(facts, result, true, other);
	json_object_set_new(fact, "other", other);
	return fact;
}
