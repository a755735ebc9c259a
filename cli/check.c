/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower in one version. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/check-run.h"

const struct perun_option cli_check_options[] = {
	{.name = "force",
	 .aliases = "-f",
	 .help = "compare also profiles that were made in different ways"},
	{.name = "compute-missing",
	 .aliases = "-c",
	 .help = "measure first what the configured matrix has and a version has no profile of"},
	CLI_MACHINES_OPTION,
	CLI_CHECKER_OPTIONS,
	{.name = "unchanged", .help = "print also what did not change"},
	{.name = "explain", .help = "print how each finding came about"},
	{.name = "json", .help = "print JSON"},
	{0}};

const struct perun_option cli_check_head_options[] = {
	{.name = "revision",
	 .metavar = "REV",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "the version (of all: the newest one), the head by default"},
	{0}};

static int compare_pairs(struct cli_check_run *run, const char *minor,
			 const struct cli_baselines *search, struct cli_findings *findings)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < search->pair_count; i++) {
		const struct cli_pair *pair = &search->pairs[i];
		struct perun_profile *baseline = NULL, *target = NULL;

		if (perun_cancelled(run->cli->ctx))
			return perun_fail(run->cli->ctx, PERUN_CANCELLED, "interrupted");
		status = cli_checker_load(&run->checker, search->targets[pair->target]->checksum,
					  &target);
		if (!status)
			status = cli_checker_load(&run->checker, pair->checksum, &baseline);
		if (!status)
			status = cli_compare(&run->checker, baseline, pair->minor, target, minor,
					     findings);
		run->compared++;
		perun_profile_unref(baseline);
		perun_profile_unref(target);
	}
	return status;
}

/* ---- check head ------------------------------------------------------------------------------ */

struct head_walk {
	struct cli_baselines *search;
	struct cli_roots *roots;
	const char *head;
};

static int visit_ancestor(void *data, const struct perun_minor_version *version)
{
	struct head_walk *walk = data;

	cli_roots_note(walk->roots, version);
	if (strcmp(version->checksum, walk->head) == 0)
		return PERUN_OK;
	return cli_baselines_visit(walk->search, version->checksum, version->parents,
				   version->parent_count);
}

/* Why there was nothing to compare; NULL = there was something. */
static char *why_nothing(const struct cli_check_run *run, const char *minor,
			 const struct cli_baselines *search, const struct cli_findings *findings)
{
	if (search->target_count == 0)
		return perun_format("version %.8s has no profiles: measure it with perun collect "
				    "and keep the profile with perun add",
				    minor);
	if (search->pair_count == 0)
		return run->nothing ? perun_strdup(run->nothing)
				    : perun_format("no version before %.8s has a profile of the "
						   "same kind, command, workload and collector",
						   minor);
	return findings->compared ? NULL
				  : perun_format("the profiles of %.8s and of the version before "
						 "have nothing in common that the methods look at",
						 minor);
}

static int check_version(struct cli_check_run *run, const char *minor,
			 struct cli_findings *findings)
{
	struct cli *cli = run->cli;
	struct perun_minor_version *version = NULL;
	struct perun_entries entries = {0};
	struct cli_baselines search = {0};
	struct head_walk walk = {&search, &run->roots, minor};
	int status = cli_check_missing(run, minor);

	if (!status)
		status = perun_lookup_version_info(cli->ctx, run->vcs, minor, &version);
	if (!status)
		status = perun_store_entries(cli->ctx, cli->store, minor, &entries);
	if (!status)
		status = cli_baselines_start(&search, cli, cli_checker_alike, &run->checker,
					     &entries, version->parents, version->parent_count);
	cli_machines_forget(&run->checker.machines);
	if (!status && cli_baselines_wanting(&search))
		status = perun_vcs_walk_minor_versions(cli->ctx, run->vcs, minor, visit_ancestor,
						       &walk);
	if (!status)
		status = compare_pairs(run, minor, &search, findings);
	cli_check_note_elsewhere(run, &search);
	if (!status)
		status = cli_check_tell_elsewhere(run);
	if (!status) {
		char *nothing = why_nothing(run, minor, &search, findings);

		perun_free(run->nothing);
		run->nothing = nothing;
	}
	cli_roots_tell(cli, run->vcs, &run->roots);
	cli_baselines_free(&search);
	perun_entries_free(&entries);
	perun_minor_version_free(version);
	return status;
}

int cli_check_head(struct cli *cli, const struct cli_call *call)
{
	struct cli_findings findings = {0};
	struct perun_buffer text = {0};
	struct cli_check_run run;
	char *minor = NULL;
	int status;

	status = cli_check_start(cli, call, &run, &minor);
	if (!status && !run.facts)
		cli_title(cli, "Checking Version %s", minor);
	if (!status)
		status = check_version(&run, minor, &findings);
	if (!status)
		status = cli_check_know(&run, minor, &findings);
	if (!status && !run.facts) {
		cli_check_list(&run, &findings, &text);
		cli_check_list_notes(&run, minor, &findings, &text);
		fputs(text.data, stdout);
		if (findings.count)
			cli_print_change_summary(cli, findings.items, findings.count, true);
		cli_print_compared(&run.checker, &findings);
	}
	if (!status)
		status = cli_check_take(&run, minor, &findings);
	perun_buffer_free(&text);
	cli_findings_free(&findings);
	perun_free(minor);
	return cli_check_end(&run, status);
}
