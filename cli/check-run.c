/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what one version and all have in common. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/check-run.h"
#include "cli/measure.h"
#include "cli/trust.h"

int cli_check_start(struct cli *cli, const struct cli_call *call, struct cli_check_run *run,
		    char **minor)
{
	int status;

	*run = (struct cli_check_run){.cli = cli, .call = call};
	if (cli_flag(call, "json"))
		run->facts = json_array();
	status = cli_open_vcs(cli, &run->vcs);
	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "revision"), minor);
	if (!status)
		status = cli_checker_start(cli, call, &run->checker);
	return status;
}

/* Store what was found. */
static int save_unsaved(struct cli_check_run *run)
{
	struct perun_version_changes versions[CLI_MOST_UNSAVED];
	int status = PERUN_OK;

	for (size_t i = 0; i < run->unsaved_count; i++)
		versions[i] = (struct perun_version_changes){
			run->unsaved[i].minor, run->unsaved[i].changes, run->unsaved[i].count,
			run->unsaved[i].findings.judged, run->unsaved[i].findings.judged_count};
	if (run->unsaved_count)
		status = perun_store_save_all_changes(run->cli->ctx, run->cli->store, versions,
						      run->unsaved_count);
	for (size_t i = 0; i < run->unsaved_count; i++) {
		perun_free(run->unsaved[i].minor);
		perun_free(run->unsaved[i].changes);
		cli_findings_free(&run->unsaved[i].findings);
	}
	run->unsaved_count = 0;
	return status;
}

int cli_check_end(struct cli_check_run *run, int status)
{
	int saved = save_unsaved(run);

	status = status ? status : saved;
	if (run->facts && !status) {
		json_t *document = json_object();

		json_object_set(document, "changes", run->facts);
		json_object_set_new(document, "compared", json_integer((json_int_t)run->strands));
		json_object_set_new(document, "not_compared",
				    json_integer((json_int_t)run->elsewhere.refused));
		cli_print_facts(document);
	}
	if (!status) {
		fflush(stdout);
		cli_degradations_tell(run->cli, run->degradations);
	} else {
		json_decref(run->degradations);
	}
	json_decref(run->facts);
	cli_checker_free(&run->checker);
	perun_acknowledgements_free(run->known);
	perun_between_free(run->between);
	cli_machines_free(&run->elsewhere);
	if (!status && !run->fails && run->nothing)
		status = cli_fail_not_compared(run->cli, run->nothing);
	perun_free(run->nothing);
	if (!status && run->fails)
		return PERUN_DEGRADED;
	if (!status && run->unmeasured)
		return perun_fail(run->cli->ctx, PERUN_INPUT, "%zu version%s could not be measured",
				  run->unmeasured, run->unmeasured == 1 ? "" : "s");
	return status;
}

/* ---- one version ----------------------------------------------------------------------------- */

static int args_of(void *data, const struct perun_entry *entry, char **args)
{
	struct cli_check_run *run = data;
	struct perun_profile *profile;
	int status;

	if (entry->args && *entry->args) {
		*args = perun_strdup(entry->args);
		return PERUN_OK;
	}
	status = cli_checker_load(&run->checker, entry->checksum, &profile);
	if (status)
		return status;
	*args = perun_strdup(perun_profile_text(profile, "header.args"));
	perun_profile_unref(profile);
	return PERUN_OK;
}

static bool is_changed(const struct perun_change *change)
{
	return perun_result_is_degradation(change->result) ||
	       perun_result_is_optimization(change->result);
}

/* The versions that may be a change; that of the last one is kept. */
static int load_between(struct cli_check_run *run, const char *base, const char *minor)
{
	if (perun_between_is(run->between, base, minor))
		return PERUN_OK;
	perun_between_free(run->between);
	run->between = NULL;
	return perun_between_load(run->cli->ctx, run->vcs, base, minor, &run->between);
}

int cli_check_know(struct cli_check_run *run, const char *minor, struct cli_findings *findings)
{
	int status = PERUN_OK;

	findings->known =
		perun_realloc_array(findings->known, findings->count + 1, sizeof *findings->known);
	for (size_t i = findings->known_count; i < findings->count; i++)
		findings->known[i] = NULL;
	for (size_t i = findings->known_count; !status && i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (!is_changed(&item->change))
			continue;
		if (!run->known)
			status = perun_acknowledgements_load(run->cli->ctx, run->cli->store,
							     &run->known);
		if (!status)
			status = load_between(run, item->minor, minor);
		if (!status)
			findings->known[i] =
				perun_acknowledged_between(run->known, run->between, &item->change);
	}
	findings->known_count = findings->count;
	return status;
}

void cli_check_list_notes(struct cli_check_run *run, const char *minor,
			  const struct cli_findings *findings, struct perun_buffer *text)
{
	const char *base = "";

	for (size_t i = 0; i < findings->known_count; i++) {
		const struct perun_change *change = &findings->items[i].change;
		char *location, *reason;

		if (!findings->known[i])
			continue;
		location = perun_printable(change->location);
		reason = perun_printable(findings->known[i]);
		perun_buffer_printf(text, "known: %s %s: %s\n", location, change->type, reason);
		perun_free(reason);
		perun_free(location);
	}
	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (!is_changed(&item->change) || strcmp(item->minor, base) == 0 ||
		    load_between(run, item->minor, minor))
			continue;
		base = item->minor;
		cli_list_between(run->between, text);
	}
}

int cli_check_take(struct cli_check_run *run, const char *minor, struct cli_findings *findings)
{
	size_t told = 0;
	struct perun_stored_change *changes =
		perun_alloc_zero(findings->count + 1, sizeof *changes);

	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (run->facts) {
			json_t *fact = cli_fact_change(&item->change, item->minor, item->command);

			json_object_set_new(fact, "known",
					    cli_fact_text(i < findings->known_count
								  ? findings->known[i]
								  : NULL));
			if (*minor)
				json_object_set_new(fact, "minor_version", cli_fact_text(minor));
			if (is_changed(&item->change) && *minor &&
			    !load_between(run, item->minor, minor))
				json_object_set_new(fact, "commits",
						    cli_fact_between(run->between));
			json_array_append_new(run->facts, fact);
		}
		if (cli_finding_fails(findings, i))
			cli_degradations_note(&run->degradations, item, minor);
		run->better += perun_result_is_optimization(item->change.result);
		run->worse += perun_result_is_degradation(item->change.result);
		if (item->change.result != PERUN_RESULT_NO_CHANGE)
			changes[told++] = *item;
	}
	run->changes += told;
	run->strands += findings->compared;
	run->fails |= cli_findings_fail(findings);
	if ((!told && !findings->judged_count) || !*minor) {
		perun_free(changes);
		cli_findings_free(findings);
		return PERUN_OK;
	}
	run->unsaved[run->unsaved_count++] =
		(struct cli_unsaved){perun_strdup(minor), *findings, changes, told};
	*findings = (struct cli_findings){0};
	return run->unsaved_count == CLI_MOST_UNSAVED ? save_unsaved(run) : PERUN_OK;
}

static void add_explanations(const struct cli_check_run *run, const struct cli_findings *findings,
			     struct perun_buffer *text)
{
	if (!cli_flag(run->call, "explain"))
		return;
	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_change *change = &findings->items[i].change;

		char *location = perun_printable(change->location);
		char *explanation = perun_printable(change->explanation ? change->explanation : "");

		if (*explanation)
			perun_buffer_printf(text, "%s (%s): %s\n", location,
					    change->method ? change->method : "", explanation);
		perun_free(explanation);
		perun_free(location);
	}
}

void cli_check_list(const struct cli_check_run *run, const struct cli_findings *findings,
		    struct perun_buffer *text)
{
	cli_add_findings(run->cli, run->call, findings, text);
	add_explanations(run, findings, text);
}

/* ---- perun check -c ------------------------------------------------------------------------- */

struct registered {
	struct cli_check_run *run;
	struct perun_entries entries;
};

static int has_profile(void *data, const char *cmd, const char *args, const char *workload,
		       const char *collector, bool *has)
{
	struct registered *registered = data;
	int status = PERUN_OK;

	for (size_t i = 0; !status && !*has && i < registered->entries.count; i++) {
		const struct perun_entry *entry = &registered->entries.items[i];
		char *text = NULL;

		if (strcmp(entry->cmd, cmd) != 0 || strcmp(entry->workload, workload) != 0 ||
		    !cli_same_name(entry->collector, collector))
			continue;
		status = args_of(registered->run, entry, &text);
		*has = !status && strcmp(text, args) == 0;
		perun_free(text);
	}
	return status;
}

/* The setting, whether it is trusted or not. */
static bool is_configured(struct cli *cli)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *value = NULL;
	const char *text;
	bool is = false;

	if (!perun_config_inspect(quiet, cli->store, PERUN_CONFIG_NEAREST,
				  "degradation.collect_before_check", &value) &&
	    !perun_json_as_bool(value, &is)) {
		text = perun_json_as_string(value, NULL);
		is = text && cli_is_yes(text);
	}
	perun_json_free(value);
	perun_ctx_free(quiet);
	return is;
}

bool cli_check_measures(const struct cli_check_run *run)
{
	return (cli_flag(run->call, "compute-missing") || is_configured(run->cli)) &&
	       cli_may_run(run->cli, NULL, "versions without profiles are not measured");
}

int cli_check_missing(struct cli_check_run *run, const char *minor)
{
	struct cli *cli = run->cli;
	struct registered registered = {.run = run};
	int status = PERUN_OK;

	if (!cli_check_measures(run))
		return PERUN_OK;
	if (perun_store_has_index(cli->ctx, cli->store, minor))
		status = perun_store_entries(cli->ctx, cli->store, minor, &registered.entries);
	if (!status)
		status = cli_measure_missing(cli, minor, has_profile, &registered);
	if (status == PERUN_INPUT && !cli_interrupted()) {
		perun_warn(cli->ctx, "%s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
		run->unmeasured++;
		status = PERUN_OK;
	}
	perun_entries_free(&registered.entries);
	return status;
}

void cli_check_note_elsewhere(struct cli_check_run *run, const struct cli_baselines *search)
{
	struct cli_machines *refused = &run->checker.machines;
	size_t unpaired = cli_baselines_unpaired(search);

	if (refused->refused && unpaired) {
		run->elsewhere.refused += unpaired;
		if (!run->elsewhere.difference) {
			run->elsewhere.difference = refused->difference;
			refused->difference = NULL;
		}
	}
	cli_machines_forget(refused);
}

int cli_check_tell_elsewhere(struct cli_check_run *run)
{
	const struct cli_machines *elsewhere = &run->elsewhere;

	if (!elsewhere->refused)
		return PERUN_OK;
	if (!run->compared) {
		perun_free(run->nothing);
		run->nothing = perun_format(
			"the versions were measured on different classes of machines (%s); "
			"--across-machines compares them all the same",
			elsewhere->difference);
		return PERUN_OK;
	}
	perun_note(run->cli->ctx,
		   "%zu %s not compared: nothing before was measured on that class of machine (%s; "
		   "--across-machines compares all the same)",
		   elsewhere->refused, elsewhere->refused == 1 ? "profile was" : "profiles were",
		   elsewhere->difference);
	return PERUN_OK;
}
