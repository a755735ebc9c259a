/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what one version and all have in common. */
#include <config.h>

#include <string.h>

#include "cli/commands/check-run.h"

int cli_check_start(struct cli *cli, const struct cli_call *call, struct cli_check_run *run,
		    char **minor)
{
	int status;

	*run = (struct cli_check_run){.cli = cli, .call = call};
	if (cli_flag(call, "json"))
		run->facts = perun_json_array();
	status = cli_open_vcs(cli, &run->vcs);
	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "revision"), minor);
	if (!status)
		status = cli_checker_new(cli, call, cli_flag(call, "unchanged"), &run->checker);
	return status;
}

int cli_check_end(struct cli_check_run *run, int status)
{
	bool whole = !status || status == PERUN_NOT_COMPARED;

	if (run->facts && whole) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "changes", run->facts);
		run->facts = NULL;
		perun_json_set(document, "compared", perun_json_int64((int64_t)run->strands));
		perun_json_set(document, "not_compared",
			       perun_json_int64((int64_t)run->not_compared));
		cli_print_facts(document);
	}
	if (whole) {
		cli_flush(run->cli);
		cli_degradations_report(run->cli, run->degradations);
	} else {
		perun_json_free(run->degradations);
	}
	perun_json_free(run->facts);
	perun_checker_free(run->checker);
	perun_between_free(run->between);
	if (whole && run->fails)
		return PERUN_DEGRADED;
	if (!status && run->unmeasured)
		return perun_fail(run->cli->ctx, PERUN_INPUT, "%zu version%s could not be measured",
				  run->unmeasured, run->unmeasured == 1 ? "" : "s");
	return status;
}

/* ---- one version ----------------------------------------------------------------------------- */

/* The versions that may be a change; that of the last one is kept. */
static int load_between(struct cli_check_run *run, const char *base, const char *minor)
{
	if (perun_between_is(run->between, base, minor))
		return PERUN_OK;
	perun_between_free(run->between);
	run->between = NULL;
	return perun_between_load(run->cli->ctx, run->vcs, base, minor, &run->between);
}

void cli_check_list(struct cli_check_run *run, const char *minor, const char *subject,
		    const struct perun_findings *findings, struct perun_buffer *text)
{
	const char *base = "";

	cli_add_findings(run->cli, run->call, minor, subject, findings, text);
	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (!perun_result_is_change(item->change->result) ||
		    strcmp(item->minor, base) == 0 || load_between(run, item->minor, minor))
			continue;
		base = item->minor;
		commands_add_between(run->cli->ctx, run->cli->store, run->between, text);
	}
}

static void add_fact(struct cli_check_run *run, const char *minor,
		     const struct perun_findings *findings, size_t i)
{
	const struct perun_stored_change *item = &findings->items[i];
	struct perun_json *fact = cli_json_change(item->change, item->minor, item->command);

	perun_json_set(fact, "known",
		       cli_json_text(i < findings->known_count ? findings->known[i] : NULL));
	perun_json_set(fact, "minor_version", cli_json_text(minor));
	if (perun_result_is_change(item->change->result) && !load_between(run, item->minor, minor))
		perun_json_set(fact, "commits", cli_json_between(run->between));
	perun_json_append(run->facts, fact);
}

void cli_check_count(struct cli_check_run *run, const char *minor,
		     const struct perun_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (run->facts)
			add_fact(run, minor, findings, i);
		if (perun_finding_fails(findings, i))
			cli_degradations_note(&run->degradations, item, minor);
	}
	cli_count_changes(findings->items, findings->count, findings->known, findings->known_count,
			  &run->changes);
	run->strands += findings->compared;
	run->fails |= perun_findings_fail(findings);
}
