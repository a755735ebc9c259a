/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing profiles of two versions by the strategies, and what is found. */
#include <config.h>

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
	perun_free(findings->items);
	perun_free(findings->reports);
	perun_free(findings->texts);
	*findings = (struct cli_findings){0};
}

bool cli_findings_fail(const struct cli_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (perun_result_fails(findings->items[i].change.result))
			return true;
	}
	return false;
}

static const char *keep_text(struct cli_findings *findings, char *text)
{
	PERUN_GROW(findings->texts, findings->text_count, findings->text_capacity);
	return findings->texts[findings->text_count++] = text;
}

static struct perun_report *add_report(struct cli_findings *findings)
{
	PERUN_GROW(findings->reports, findings->report_count, findings->report_capacity);
	return findings->reports[findings->report_count++] = perun_report_new();
}

/* ---- the checker ----------------------------------------------------------------------------- */

static enum perun_models_type models_type(const char *name)
{
	static const char *const names[] = {
		[PERUN_BEST_MODEL] = "best-model",       [PERUN_BEST_PARAM] = "best-param",
		[PERUN_BEST_NONPARAM] = "best-nonparam", [PERUN_BEST_BOTH] = "best-both",
		[PERUN_ALL_MODELS] = "all-models",       [PERUN_ALL_PARAM] = "all-param",
		[PERUN_ALL_NONPARAM] = "all-nonparam",   [PERUN_ALL_BOTH] = "all-both"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], name) == 0)
			return (enum perun_models_type)i;
	}
	return PERUN_BEST_MODEL;
}

int cli_checker_start(struct cli *cli, const struct cli_call *call, struct cli_checker *checker)
{
	bool behind = !call->before || perun_option_given(call->options, "method");
	const char **methods = cli_strings(behind ? call->options : call->before, "method");
	int status;

	*checker = (struct cli_checker){.cli = cli,
					.models_type = models_type(cli_string(call, "models-type")),
					.machines.across = cli_flag(call, "across-machines"),
					.unchanged = cli_flag(call, "unchanged")};
	status = cli_strategies_load(cli, methods, &checker->strategies);
	perun_free((void *)methods);
	return status;
}

void cli_checker_free(struct cli_checker *checker)
{
	for (size_t i = 0; i < CLI_KEPT_PROFILES; i++)
		perun_profile_unref(checker->kept[i].profile);
	cli_strategies_free(&checker->strategies);
	cli_machines_free(&checker->machines);
}

int cli_checker_load(struct cli_checker *checker, const char *checksum,
		     struct perun_profile **profile)
{
	struct cli *cli = checker->cli;
	int status;

	for (size_t i = 0; i < CLI_KEPT_PROFILES; i++) {
		if (checker->kept[i].profile && strcmp(checker->kept[i].checksum, checksum) == 0) {
			*profile = perun_profile_ref(checker->kept[i].profile);
			return PERUN_OK;
		}
	}
	status = perun_store_load(cli->ctx, cli->store, checksum, profile);
	if (status)
		return status;
	perun_profile_unref(checker->kept[checker->next].profile);
	checker->kept[checker->next].profile = perun_profile_ref(*profile);
	memcpy(checker->kept[checker->next].checksum, checksum, PERUN_CHECKSUM_SIZE);
	checker->next = (checker->next + 1) % CLI_KEPT_PROFILES;
	return PERUN_OK;
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

/* Those of the version, for a method that asks how sessions differ. */
static int load_sessions(struct cli_checker *checker, const char *minor,
			 const struct perun_profile *baseline, const char *target_minor,
			 const struct perun_profile *target, struct cli_sessions sessions[2],
			 struct perun_comparison *comparison)
{
	int status = cli_sessions_load(checker, minor, baseline, &sessions[0]);

	if (!status)
		status = cli_sessions_load(checker, target_minor, target, &sessions[1]);
	comparison->baseline_sessions = sessions[0].profiles;
	comparison->baseline_session_count = sessions[0].count;
	comparison->target_sessions = sessions[1].profiles;
	comparison->target_session_count = sessions[1].count;
	return status;
}

static void take_report(struct cli_checker *checker, const struct perun_report *report,
			const char *minor, const char *command, struct cli_findings *findings)
{
	for (size_t i = 0; i < perun_report_count(report); i++) {
		const struct perun_change *change = perun_report_at(report, i);
		struct perun_stored_change *item;

		if (change->result == PERUN_NO_CHANGE && !checker->unchanged)
			continue;
		PERUN_GROW(findings->items, findings->count, findings->capacity);
		item = &findings->items[findings->count++];
		*item = (struct perun_stored_change){
			.change = *change, .minor = minor, .command = command};
	}
}

int cli_compare(struct cli_checker *checker, struct perun_profile *baseline, const char *minor,
		struct perun_profile *target, const char *target_minor,
		struct cli_findings *findings)
{
	struct perun_comparison comparison = {.struct_size = sizeof comparison,
					      .baselines = &baseline,
					      .baseline_count = 1,
					      .targets = &target,
					      .target_count = 1,
					      .models_type = checker->models_type};
	const char *workload = perun_profile_text(target, "header.workload");
	const char *command =
		keep_text(findings, perun_format("%s%s%s", perun_profile_text(target, "header.cmd"),
						 *workload ? " " : "", workload));
	struct cli_sessions sessions[2] = {0};
	int status = PERUN_OK;

	minor = keep_text(findings, perun_strdup(minor));
	for (size_t i = 0; !status && i < checker->strategies.count; i++) {
		const struct cli_rule *rule = &checker->strategies.rules[i];
		struct perun_report *report;

		if (!cli_rule_fits(rule, target))
			continue;
		report = add_report(findings);
		if (strcmp(rule->method, "shift") == 0 && !comparison.baseline_sessions &&
		    !comparison.target_sessions)
			status = load_sessions(checker, minor, baseline, target_minor, target,
					       sessions, &comparison);
		if (!status)
			status = perun_check(checker->cli->ctx, rule->method,
					     (const char *const *)rule->unit->arguments,
					     &comparison, report);
		if (!status)
			take_report(checker, report, minor, command, findings);
		if (checker->strategies.first)
			break;
	}
	cli_sessions_free(&sessions[0]);
	cli_sessions_free(&sessions[1]);
	return status;
}
