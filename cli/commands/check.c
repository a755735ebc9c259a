/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower in one version. */
#include <config.h>

#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/commands/check-run.h"

const struct perun_option cli_check_options[] = {
	{.name = "force",
	 .aliases = "-f",
	 .help = "compare also profiles that were made in different ways"},
	{.name = "compute-missing",
	 .aliases = "-c",
	 .help = "measure first what the configured matrix has and a version has no profile of"},
	CLI_MACHINES_OPTION,
	CLI_CHECKER_OPTIONS,
	{.name = "unchanged", .help = "print all functions, also what did not change"},
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

/* What was found, as text; not all profiles may have had one to be compared with. */
static void print_findings(struct cli_check_run *run, const char *minor,
			   const struct perun_findings *findings)
{
	struct perun_buffer text = {0};

	cli_check_list(run, minor, NULL, findings, &text);
	fputs(text.data ? text.data : "", stdout);
	if (findings->pairs)
		cli_print_unpaired(findings, NULL, NULL);
	cli_print_compared(run->cli, run->checker, findings);
	perun_buffer_free(&text);
}

int cli_check_head(struct cli *cli, const struct cli_call *call)
{
	struct perun_findings findings = {0};
	struct cli_check_run run;
	char *minor = NULL;
	int status;

	status = cli_check_start(cli, call, &run, &minor);
	if (!status && cli_check_measures(cli, call))
		status = cli_check_missing(cli, minor, &run.unmeasured);
	if (!status)
		status = perun_check_version(run.checker, minor, &findings);
	run.not_compared = findings.elsewhere + findings.unpaired_count;
	if (!status && !run.facts)
		print_findings(&run, minor, &findings);
	if (!status)
		cli_check_count(&run, minor, &findings);
	if (!status && findings.elsewhere && findings.pairs)
		cli_note_elsewhere(cli, findings.elsewhere, findings.difference);
	if (!status)
		status = perun_findings_save(run.checker, minor, &findings);
	if (!status && findings.nothing)
		status = cli_fail_nothing(cli, &findings, NULL, minor);
	perun_findings_free(&findings);
	perun_free(minor);
	return cli_check_end(&run, status);
}
