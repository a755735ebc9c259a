/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing profiles of two versions by the strategies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/compare/checker.h"
#include "core/history/deviations.h"
#include "core/history/history.h"
#include "core/history/values.h"

static void take_report(const struct perun_checker *checker, const struct perun_report *report,
			const struct perun_stored_change *place, const char *collector,
			struct perun_findings *findings)
{
	for (size_t i = 0; i < perun_report_count(report); i++) {
		const struct perun_change *change = perun_report_at(report, i);
		struct perun_stored_change *item;

		findings->compared += change->result != PERUN_RESULT_NOT_IN_BASELINE &&
				      change->result != PERUN_RESULT_NOT_IN_TARGET;
		findings->unchanged += change->result == PERUN_RESULT_NO_CHANGE;
		/* What a program repeats exactly is the same or not. */
		if (change->result == PERUN_RESULT_NO_CHANGE && change->low < change->high)
			findings->excluded = fmax(findings->excluded,
						  fmax(fabs(change->low), fabs(change->high)));
		if (change->runs && !perun_is_part_of_time(change->metric) &&
		    (!findings->runs || change->runs < findings->runs)) {
			findings->runs = change->runs;
			findings->runs_by = collector;
		}
		if (change->result == PERUN_RESULT_NO_CHANGE && !checker->options.unchanged)
			continue;
		PERUN_GROW(findings->items, findings->count, findings->capacity);
		item = &findings->items[findings->count++];
		*item = *place;
		item->change = change;
		if (change->baseline)
			item->minor = change->baseline;
	}
}

/* Whether a method is asked that looks at how sessions differ. */
static bool wants_sessions(const struct perun_checker *checker, const struct perun_profile *target)
{
	for (size_t i = 0; i < checker->strategies.count; i++) {
		const struct check_rule *rule = &checker->strategies.rules[i];

		if (!check_rule_fits(rule, target))
			continue;
		if (rule->wants_sessions)
			return true;
		if (checker->strategies.first)
			break;
	}
	return false;
}

bool checker_follows(const struct perun_checker *checker)
{
	for (size_t i = 0; i < checker->strategies.count; i++) {
		if (checker->strategies.rules[i].wants_sessions)
			return true;
	}
	return false;
}

static char *name_command(const struct perun_profile *profile)
{
	const char *args = perun_profile_text(profile, "/header/args");

	return perun_format("%s%s%s", perun_profile_text(profile, "/header/cmd"), *args ? " " : "",
			    args);
}

int check_pair_start(struct perun_checker *checker, struct perun_profile *baseline,
		     const char *minor, struct perun_profile *target, const char *target_minor,
		     struct check_pair *pair)
{
	const char *const versions[] = {minor, target_minor};
	bool joined = strcmp(perun_profile_text(baseline, "/header/workload"),
			     perun_profile_text(target, "/header/workload")) != 0 &&
		      checker->store && *minor && target_minor && *target_minor;
	int status;

	*pair = (struct check_pair){.baseline = perun_profile_ref(baseline),
				    .target = perun_profile_ref(target),
				    .minor = minor,
				    .command = name_command(target)};
	if (!wants_sessions(checker, target))
		return PERUN_OK;
	status = check_sessions_load(checker, minor, baseline, joined ? versions : NULL,
				     &pair->sessions[0]);
	if (!status)
		status = check_sessions_load(checker, target_minor, target,
					     joined ? versions : NULL, &pair->sessions[1]);
	return status;
}

void check_pair_free(struct check_pair *pair)
{
	check_sessions_free(&pair->sessions[0]);
	check_sessions_free(&pair->sessions[1]);
	perun_profile_unref(pair->baseline);
	perun_profile_unref(pair->target);
	perun_free(pair->command);
	*pair = (struct check_pair){0};
}

/* Of the versions before the target; kept for its other profiles. Without a store or a history nothing is known. */
static struct perun_deviations *deviations_of(struct perun_checker *checker, const char *minor,
					      const char *target_minor)
{
	struct perun_version_line *line = NULL;

	if (!checker->store || !target_minor || !*target_minor)
		return NULL;
	if (checker->deviations_of && strcmp(checker->deviations_of, target_minor) == 0 &&
	    (!checker->deviations || perun_deviations_serve(checker->deviations, minor)))
		return checker->deviations;
	perun_deviations_free(checker->deviations);
	perun_free(checker->deviations_of);
	checker->deviations_of = perun_strdup(target_minor);
	if (checker->line && strcmp(checker->line_of, target_minor) == 0) {
		line = checker->line;
		checker->line = NULL;
	}
	if (perun_deviations_load(checker->ctx, checker->store, target_minor, minor, line,
				  &checker->deviations)) {
		checker->deviations = NULL;
		perun_ctx_clear(checker->ctx);
	}
	return checker->deviations;
}

/* The strand of a comparison in the history of the target, or with `base` in that of this version. */
static const struct perun_strand *strand_of(const struct check_pair *pair, const char *base,
					    const char *metric, const char *location,
					    const char *sweep_case)
{
	const char *workload = perun_profile_text(pair->target, "/header/workload");
	char *case_of =
		*sweep_case ? perun_format("%s%s(%s)", workload, *workload ? " " : "", sweep_case)
			    : perun_strdup(workload);
	const struct perun_strand *strand = perun_deviations_strand(
		pair->deviations, base, pair->command, case_of, metric, location);

	perun_free(case_of);
	return strand;
}

static double deviation(void *data, const char *metric, const char *location,
			const char *sweep_case)
{
	const struct check_pair *pair = data;

	return perun_deviations_find(pair->deviations,
				     strand_of(pair, NULL, metric, location, sweep_case));
}

static enum perun_step step(void *data, const char *metric, const char *location,
			    const char *sweep_case, double *p)
{
	const struct check_pair *pair = data;

	return perun_deviations_step(pair->deviations,
				     strand_of(pair, NULL, metric, location, sweep_case),
				     pair->minor, p);
}

static bool levels(void *data, const char *metric, const char *location, const char *sweep_case,
		   const char *unit, double levels[2], double interval[2])
{
	const struct check_pair *pair = data;
	struct perun_change_point change;

	if (!perun_deviations_change(pair->deviations,
				     strand_of(pair, NULL, metric, location, sweep_case),
				     pair->minor, unit, &change))
		return false;
	levels[0] = change.before;
	levels[1] = change.after;
	interval[0] = change.low;
	interval[1] = change.high;
	return true;
}

static bool earlier(void *data, const char *metric, const char *location, const char *sweep_case,
		    struct perun_earlier_values *values)
{
	const struct check_pair *pair = data;

	return perun_deviations_earlier(pair->deviations,
					strand_of(pair, NULL, metric, location, sweep_case),
					pair->minor, values);
}

static bool returns(void *data, const char *metric, const char *location, const char *sweep_case)
{
	const struct check_pair *pair = data;

	return perun_deviations_returns(pair->deviations,
					strand_of(pair, pair->minor, metric, location, sweep_case));
}

/* The command with its workload, with its arguments or without, as histories name it. */
static char *command_of(const struct perun_profile *profile, bool with_args)
{
	const char *parts[] = {perun_profile_text(profile, "/header/cmd"),
			       with_args ? perun_profile_text(profile, "/header/args") : "",
			       perun_profile_text(profile, "/header/workload")};
	struct perun_buffer command = {0};

	for (size_t i = 0; i < 3; i++) {
		if (*parts[i])
			perun_buffer_printf(&command, "%s%s", command.length ? " " : "", parts[i]);
	}
	return command.data ? perun_buffer_take(&command) : perun_strdup("");
}

/* How busy the machine was on the side where that is said; on both, after the change. */
static void note_load(const struct check_pair *pair, struct perun_findings *findings)
{
	char *busy = perun_busy_words(pair->target);

	if (!busy)
		busy = perun_busy_words(pair->baseline);
	if (busy)
		findings->busy = findings_keep(findings, busy);
}

int check_pair_run(const struct perun_checker *checker, struct perun_ctx *ctx,
		   const struct check_pair *pair, struct perun_findings *findings)
{
	struct perun_profile *baseline = pair->baseline, *target = pair->target;
	bool follow = pair->deviations && pair->follow;
	struct perun_comparison comparison = {.struct_size = sizeof comparison,
					      .baselines = &baseline,
					      .baseline_count = 1,
					      .targets = &target,
					      .target_count = 1,
					      .models_type = checker->options.models_type,
					      .baseline_sessions = pair->sessions[0].profiles,
					      .baseline_session_count = pair->sessions[0].count,
					      .target_sessions = pair->sessions[1].profiles,
					      .target_session_count = pair->sessions[1].count,
					      .deviation = pair->deviations ? deviation : NULL,
					      .deviation_data = (void *)pair,
					      .step = follow ? step : NULL,
					      .levels = levels,
					      .earlier = follow ? earlier : NULL,
					      .returns = follow ? returns : NULL};
	const char *command = findings_keep(findings, command_of(target, true));
	const char *collector = findings_keep(
		findings, perun_strdup(perun_profile_text(target, "/collector_info/name")));
	const struct perun_stored_change place = {
		.struct_size = sizeof place,
		.minor = findings_keep(findings, perun_strdup(pair->minor)),
		.command = command};
	int status = PERUN_OK;

	note_load(pair, findings);
	findings_judged(findings, command);
	/* Findings of earlier versions of Perun are of commands without their arguments. */
	findings_judged(findings, findings_keep(findings, command_of(target, false)));
	for (size_t i = 0; !status && i < checker->strategies.count; i++) {
		const struct check_rule *rule = &checker->strategies.rules[i];
		struct perun_report *report;

		if (!check_rule_fits(rule, target) ||
		    (checker->history && check_rule_is_by_history(rule)))
			continue;
		report = findings_report(findings);
		status = perun_check(ctx, rule->method, (const char *const *)rule->unit->arguments,
				     &comparison, report);
		if (!status)
			take_report(checker, report, &place, collector, findings);
		/* Other methods say nothing of what did not change. */
		findings->compared += !status && !check_rule_is_by_history(rule);
		if (status == PERUN_NOT_COMPARED) {
			findings->reason =
				findings_keep(findings, perun_strdup(perun_ctx_error(ctx)));
			perun_ctx_clear(ctx);
			status = PERUN_OK;
		}
		if (checker->strategies.first)
			break;
	}
	return status;
}

int check_pair(struct perun_checker *checker, struct perun_profile *baseline, const char *base,
	       struct perun_profile *target, const char *head, bool follow,
	       struct perun_findings *findings)
{
	struct check_pair pair;
	int status = check_pair_start(checker, baseline, base, target, head, &pair);

	if (!status) {
		pair.follow = follow;
		pair.deviations =
			wants_sessions(checker, target) ? deviations_of(checker, base, head) : NULL;
		status = check_pair_run(checker, checker->ctx, &pair, findings);
	}
	findings->pairs += !status;
	check_pair_free(&pair);
	return status;
}

int perun_check_profiles(struct perun_checker *checker, struct perun_profile *baseline,
			 const char *base, struct perun_profile *target, const char *head,
			 struct perun_findings *findings)
{
	return check_pair(checker, baseline, base, target, head, false, findings);
}
