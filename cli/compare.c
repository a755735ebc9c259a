/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing profiles of two versions by the strategies, and what is found. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/sessions.h"

/* ---- findings -------------------------------------------------------------------------------- */

void cli_findings_free(struct cli_findings *findings)
{
	for (size_t i = 0; i < findings->report_count; i++)
		perun_report_free(findings->reports[i]);
	for (size_t i = 0; i < findings->text_count; i++)
		perun_free(findings->texts[i]);
	for (size_t i = 0; i < findings->known_count; i++)
		perun_free(findings->known[i]);
	perun_free(findings->known);
	perun_free((void *)findings->judged);
	perun_free(findings->items);
	perun_free(findings->reports);
	perun_free(findings->texts);
	*findings = (struct cli_findings){0};
}

bool cli_finding_fails(const struct cli_findings *findings, size_t i)
{
	return perun_result_fails(findings->items[i].change.result) &&
	       !(i < findings->known_count && findings->known[i]);
}

bool cli_findings_fail(const struct cli_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (cli_finding_fails(findings, i))
			return true;
	}
	return false;
}

int cli_fail_not_compared(struct cli *cli, const char *reason)
{
	return perun_fail(cli->ctx, PERUN_NOT_COMPARED, "nothing was compared: %s", reason);
}

const char *cli_findings_keep(struct cli_findings *findings, char *text)
{
	PERUN_GROW(findings->texts, findings->text_count, findings->text_capacity);
	return findings->texts[findings->text_count++] = text;
}

void cli_findings_judged(struct cli_findings *findings, const char *command)
{
	for (size_t i = 0; i < findings->judged_count; i++) {
		if (strcmp(findings->judged[i], command) == 0)
			return;
	}
	PERUN_GROW(findings->judged, findings->judged_count, findings->judged_capacity);
	findings->judged[findings->judged_count++] =
		cli_findings_keep(findings, perun_strdup(command));
}

static struct perun_report *add_report(struct cli_findings *findings)
{
	PERUN_GROW(findings->reports, findings->report_count, findings->report_capacity);
	return findings->reports[findings->report_count++] = perun_report_new();
}

/* ---- the checker ----------------------------------------------------------------------------- */

static enum perun_models_type models_type(const char *name)
{
	static const char *const names[] = {[PERUN_MODELS_BEST_MODEL] = "best-model",
					    [PERUN_MODELS_BEST_PARAM] = "best-param",
					    [PERUN_MODELS_BEST_NONPARAM] = "best-nonparam",
					    [PERUN_MODELS_BEST_BOTH] = "best-both",
					    [PERUN_MODELS_ALL_MODELS] = "all-models",
					    [PERUN_MODELS_ALL_PARAM] = "all-param",
					    [PERUN_MODELS_ALL_NONPARAM] = "all-nonparam",
					    [PERUN_MODELS_ALL_BOTH] = "all-both"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], name) == 0)
			return (enum perun_models_type)i;
	}
	return PERUN_MODELS_BEST_MODEL;
}

/* A repeatable option of the command, or of the one before it. */
static const char **strings_of(const struct cli_call *call, const char *name)
{
	bool behind = !call->before || perun_option_given(call->options, name);

	return cli_strings(behind ? call->options : call->before, name);
}

int cli_checker_start(struct cli *cli, const struct cli_call *call, struct cli_checker *checker)
{
	const char **methods = strings_of(call, "method"), **params = strings_of(call, "params");
	int status;

	*checker = (struct cli_checker){.cli = cli,
					.models_type = models_type(cli_string(call, "models-type")),
					.machines.across = cli_flag(call, "across-machines"),
					.unchanged = cli_flag(call, "unchanged")};
	checker->methods_given = methods[0] || params[0];
	status = cli_strategies_load(cli, methods, params, &checker->strategies);
	perun_free((void *)methods);
	perun_free((void *)params);
	return status;
}

void cli_checker_free(struct cli_checker *checker)
{
	for (size_t i = 0; i < checker->kept_count; i++)
		perun_profile_unref(checker->kept[i].profile);
	cli_strategies_free(&checker->strategies);
	cli_machines_free(&checker->machines);
	perun_deviations_free(checker->deviations);
	perun_free(checker->deviations_of);
}

/* Rows that are kept beyond the newest CLI_KEPT_PROFILES profiles. */
#define MOST_KEPT_ROWS 1000000

static struct perun_profile *kept_profile(const struct cli_checker *checker, const char *checksum)
{
	for (size_t i = checker->kept_count; i-- > 0;) {
		if (strcmp(checker->kept[i].checksum, checksum) == 0)
			return checker->kept[i].profile;
	}
	return NULL;
}

/* Take a profile, whose reference is the checker's then; the oldest ones make room. */
static void keep(struct cli_checker *checker, const char *checksum, struct perun_profile *profile)
{
	struct cli_kept_profile kept = {.profile = profile,
					.rows = perun_table_rows(perun_resources(profile))};
	size_t dropped = 0;

	(void)snprintf(kept.checksum, sizeof kept.checksum, "%s", checksum);
	while (checker->kept_count - dropped >= CLI_KEPT_SMALL ||
	       (checker->kept_count - dropped >= CLI_KEPT_PROFILES &&
		checker->kept_rows + kept.rows > MOST_KEPT_ROWS)) {
		checker->kept_rows -= checker->kept[dropped].rows;
		perun_profile_unref(checker->kept[dropped++].profile);
	}
	checker->kept_count -= dropped;
	memmove(checker->kept, checker->kept + dropped,
		checker->kept_count * sizeof *checker->kept);
	checker->kept[checker->kept_count++] = kept;
	checker->kept_rows += kept.rows;
}

int cli_checker_load(struct cli_checker *checker, const char *checksum,
		     struct perun_profile **profile)
{
	struct cli *cli = checker->cli;
	int status = PERUN_OK;

	*profile = kept_profile(checker, checksum);
	if (!*profile) {
		status = perun_store_load(cli->ctx, cli->store, checksum, profile);
		if (!status)
			keep(checker, checksum, *profile);
	}
	if (!status)
		perun_profile_ref(*profile);
	return status;
}

/* Profiles that a thread reads on one handle of the store. */
enum { AT_ONCE = 4 };

struct fetching {
	struct perun_store *store;
	const char **checksums;
	struct perun_profile **profiles;
	size_t count;
};

static int fetch(struct perun_ctx *ctx, size_t number, void *data)
{
	struct fetching *fetching = data;
	size_t end = (number + 1) * AT_ONCE;
	struct perun_store *store;
	int status = perun_store_reopen(ctx, fetching->store, &store);

	for (size_t i = number * AT_ONCE; !status && i < end && i < fetching->count; i++) {
		if (perun_store_load(ctx, store, fetching->checksums[i], &fetching->profiles[i]))
			fetching->profiles[i] = NULL;
	}
	perun_store_close(store);
	/* Who asks for a profile is told what is wrong with it. */
	perun_ctx_clear(ctx);
	return PERUN_OK;
}

void cli_checker_fetch(struct cli_checker *checker, const char *const *checksums, size_t count)
{
	struct fetching fetching = {.store = checker->cli->store};

	fetching.checksums = perun_alloc_zero(count + 1, sizeof *fetching.checksums);
	fetching.profiles = perun_alloc_zero(count + 1, sizeof(struct perun_profile *));
	for (size_t i = 0; i < count; i++) {
		if (!kept_profile(checker, checksums[i]))
			fetching.checksums[fetching.count++] = checksums[i];
	}
	perun_parallel_for(checker->cli->ctx, (fetching.count + AT_ONCE - 1) / AT_ONCE, fetch,
			   &fetching);
	for (size_t i = 0; i < fetching.count; i++) {
		if (fetching.profiles[i])
			keep(checker, fetching.checksums[i], fetching.profiles[i]);
	}
	perun_free((void *)fetching.checksums);
	perun_free(fetching.profiles);
}

int cli_checker_alike(void *data, const struct perun_entry *one, const struct perun_entry *other,
		      bool *are)
{
	struct cli_checker *checker = data;
	const char *texts[2];
	struct perun_profile *profiles[2] = {NULL, NULL};
	const struct perun_entry *entries[2] = {one, other};
	int status = PERUN_OK;

	*are = false;
	for (size_t i = 0; !status && i < 2; i++) {
		status = cli_checker_load(checker, entries[i]->checksum, &profiles[i]);
		if (!status)
			texts[i] = entries[i]->args && *entries[i]->args
					   ? entries[i]->args
					   : perun_profile_text(profiles[i], "header.args");
	}
	if (!status)
		*are = strcmp(texts[0], texts[1]) == 0 &&
		       cli_machines_take(&checker->machines, profiles[0], profiles[1]);
	perun_profile_unref(profiles[0]);
	perun_profile_unref(profiles[1]);
	return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void take_report(const struct cli_checker *checker, const struct perun_report *report,
			const char *minor, const char *command, struct cli_findings *findings)
{
	for (size_t i = 0; i < perun_report_count(report); i++) {
		const struct perun_change *change = perun_report_at(report, i);
		struct perun_stored_change *item;

		findings->compared += change->result != PERUN_RESULT_NOT_IN_BASELINE &&
				      change->result != PERUN_RESULT_NOT_IN_TARGET;
		findings->unchanged += change->result == PERUN_RESULT_NO_CHANGE;
		if (change->result == PERUN_RESULT_NO_CHANGE && !checker->unchanged)
			continue;
		PERUN_GROW(findings->items, findings->count, findings->capacity);
		item = &findings->items[findings->count++];
		*item = (struct perun_stored_change){
			.change = *change, .minor = minor, .command = command};
	}
}

/* Whether a method is asked that looks at how sessions differ. */
static bool wants_sessions(const struct cli_checker *checker, const struct perun_profile *target)
{
	for (size_t i = 0; i < checker->strategies.count; i++) {
		const struct cli_rule *rule = &checker->strategies.rules[i];

		if (!cli_rule_fits(rule, target))
			continue;
		if (perun_check_wants_sessions(checker->cli->ctx, rule->method))
			return true;
		if (checker->strategies.first)
			break;
	}
	return false;
}

int cli_comparing_start(struct cli_checker *checker, struct perun_profile *baseline,
			const char *minor, struct perun_profile *target, const char *target_minor,
			struct cli_comparing *comparing)
{
	int status;

	*comparing = (struct cli_comparing){.baseline = perun_profile_ref(baseline),
					    .target = perun_profile_ref(target),
					    .minor = minor};
	if (!wants_sessions(checker, target))
		return PERUN_OK;
	status = cli_sessions_load(checker, minor, baseline, &comparing->sessions[0]);
	if (!status)
		status = cli_sessions_load(checker, target_minor, target, &comparing->sessions[1]);
	return status;
}

void cli_comparing_free(struct cli_comparing *comparing)
{
	cli_sessions_free(&comparing->sessions[0]);
	cli_sessions_free(&comparing->sessions[1]);
	perun_profile_unref(comparing->baseline);
	perun_profile_unref(comparing->target);
	*comparing = (struct cli_comparing){0};
}

/* Of the versions before the target; kept for its other profiles. Without a store or a history nothing is known. */
static struct perun_deviations *deviations_of(struct cli_checker *checker, const char *target_minor)
{
	struct cli *cli = checker->cli;

	if (!cli->store || !target_minor || !*target_minor)
		return NULL;
	if (checker->deviations_of && strcmp(checker->deviations_of, target_minor) == 0)
		return checker->deviations;
	perun_deviations_free(checker->deviations);
	perun_free(checker->deviations_of);
	checker->deviations_of = perun_strdup(target_minor);
	if (perun_deviations_load(cli->ctx, cli->store, target_minor, &checker->deviations)) {
		checker->deviations = NULL;
		perun_ctx_clear(cli->ctx);
	}
	return checker->deviations;
}

static double deviation(void *data, const char *metric, const char *location,
			const char *sweep_case)
{
	const struct cli_comparing *comparing = data;
	const char *args = perun_profile_text(comparing->target, "header.args");
	const char *workload = perun_profile_text(comparing->target, "header.workload");
	char *command = perun_format("%s%s%s", perun_profile_text(comparing->target, "header.cmd"),
				     *args ? " " : "", args);
	char *case_of =
		*sweep_case ? perun_format("%s%s(%s)", workload, *workload ? " " : "", sweep_case)
			    : perun_strdup(workload);
	double share =
		perun_deviations_find(comparing->deviations, command, case_of, metric, location);

	perun_free(case_of);
	perun_free(command);
	return share;
}

int cli_comparing_run(const struct cli_checker *checker, struct perun_ctx *ctx,
		      const struct cli_comparing *comparing, struct cli_findings *findings)
{
	struct perun_profile *baseline = comparing->baseline, *target = comparing->target;
	struct perun_comparison comparison = {.struct_size = sizeof comparison,
					      .baselines = &baseline,
					      .baseline_count = 1,
					      .targets = &target,
					      .target_count = 1,
					      .models_type = checker->models_type,
					      .baseline_sessions = comparing->sessions[0].profiles,
					      .baseline_session_count =
						      comparing->sessions[0].count,
					      .target_sessions = comparing->sessions[1].profiles,
					      .target_session_count = comparing->sessions[1].count,
					      .deviation = comparing->deviations ? deviation : NULL,
					      .deviation_data = (void *)comparing};
	const char *workload = perun_profile_text(target, "header.workload");
	const char *command = cli_findings_keep(
		findings, perun_format("%s%s%s", perun_profile_text(target, "header.cmd"),
				       *workload ? " " : "", workload));
	const char *minor = cli_findings_keep(findings, perun_strdup(comparing->minor));
	int status = PERUN_OK;

	cli_findings_judged(findings, command);
	for (size_t i = 0; !status && i < checker->strategies.count; i++) {
		const struct cli_rule *rule = &checker->strategies.rules[i];
		struct perun_report *report;

		if (!cli_rule_fits(rule, target) || (checker->history && cli_rule_is_default(rule)))
			continue;
		report = add_report(findings);
		status = perun_check(ctx, rule->method, (const char *const *)rule->unit->arguments,
				     &comparison, report);
		if (!status)
			take_report(checker, report, minor, command, findings);
		/* Other methods say nothing of what did not change. */
		findings->compared += !status && !cli_rule_is_default(rule);
		if (checker->strategies.first)
			break;
	}
	return status;
}

int cli_compare(struct cli_checker *checker, struct perun_profile *baseline, const char *minor,
		struct perun_profile *target, const char *target_minor,
		struct cli_findings *findings)
{
	struct cli_comparing comparing;
	int status =
		cli_comparing_start(checker, baseline, minor, target, target_minor, &comparing);

	if (!status) {
		comparing.deviations = deviations_of(checker, target_minor);
		status = cli_comparing_run(checker, checker->cli->ctx, &comparing, findings);
	}
	cli_comparing_free(&comparing);
	return status;
}
