/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower in the versions of a history. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/commands/commands.h"
#include "cli/commands/check-run.h"

static void print_version(struct cli_check_run *run, const struct perun_minor_version *version,
			  const struct perun_findings *findings)
{
	char *subject = perun_version_subject(version);
	struct perun_buffer text = {0};

	cli_check_list(run, version->checksum, subject, findings, &text);
	fputs(text.data ? text.data : "", stdout);
	if (run->cli->terminal)
		fflush(stdout);
	perun_buffer_free(&text);
	perun_free(subject);
}

/* "parse time(real), print time(real)"; of several commands, what is measured of whole programs has their names. */
static void add_open_names(const struct perun_history_findings *found, struct perun_buffer *names)
{
	const struct perun_open_metric *metrics = found->open_metrics;
	size_t count = found->open < PERUN_MAX_OPEN_NAMES ? found->open : PERUN_MAX_OPEN_NAMES;
	bool several = false;

	for (size_t i = 1; i < count; i++)
		several |= strcmp(metrics[i].command, metrics[0].command) != 0;
	for (size_t i = 0; i < count; i++) {
		commands_add_open_name(metrics[i].command, metrics[i].location, metrics[i].metric,
				       several, names);
	}
}

static void print_end(const struct cli_check_run *run, const struct perun_history_findings *found,
		      const struct timespec *start)
{
	size_t unchanged = found->strands - found->changed - found->open;
	const struct commands_screen screen = cli_screen(run->cli);
	struct perun_buffer text = {0}, names = {0};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	cli_print_unchanged(unchanged, found->excluded > 0 ? fmax(found->excluded, 0.01) : 0);
	add_open_names(found, &names);
	if (found->open)
		commands_add_open(&screen, NULL, found->open, names.data, found->more, &text);
	fputs(text.data ? text.data : "", stdout);
	perun_buffer_free(&names);
	perun_buffer_free(&text);
	if (run->changes.better || run->changes.worse || run->changes.known ||
	    (!unchanged && !found->open))
		cli_print_change_summary(run->cli, &run->changes);
	cli_print_runs(found->runs, found->runs_by, found->busy);
	if (found->pairs)
		cli_print_methods(run->checker, NULL);
	/* Who waits wants to know for how long the next time. */
	if (run->cli->terminal && now.tv_sec - start->tv_sec >= 5)
		printf("%.0f s\n", (double)(now.tv_sec - start->tv_sec));
}

/* ---- all versions ---------------------------------------------------------------------------- */

static int take_version(void *data, const struct perun_minor_version *version,
			const struct perun_findings *findings)
{
	struct cli_check_run *run = data;

	if (!run->facts) {
		cli_progress_clear(run->cli);
		print_version(run, version, findings);
	}
	cli_check_count(run, version->checksum, findings);
	return PERUN_OK;
}

static int measure_version(void *data, const struct perun_minor_version *version)
{
	struct cli_check_run *run = data;

	return cli_check_missing(run->cli, version->checksum, &run->unmeasured);
}

/* Whether the methods had nothing to look at in any version. */
static bool compared_nothing(const struct perun_history_findings *found)
{
	return found->reason && !found->compared && !found->strands;
}

/* Without a pair of versions there is no verdict. */
static int end_compared(struct cli_check_run *run, const struct perun_history_findings *found)
{
	struct perun_findings nothing = {.nothing = PERUN_NOTHING_ON_MACHINE,
					 .difference = found->difference};

	run->not_compared = found->elsewhere;
	if (compared_nothing(found))
		return cli_fail_not_compared(run->cli, found->reason);
	if (!found->pairs && found->elsewhere)
		return cli_fail_nothing(run->cli, &nothing, NULL, "");
	if (!found->pairs)
		return cli_fail_not_compared(run->cli,
					     "no two versions have profiles of the same kind, "
					     "command, workload and collector");
	if (found->elsewhere)
		cli_note_elsewhere(run->cli, found->elsewhere, found->difference);
	return PERUN_OK;
}

int cli_check_all(struct cli *cli, const struct cli_call *call)
{
	struct perun_history_findings found = {0};
	struct timespec start;
	struct cli_check_run run;
	char *minor = NULL;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &start);
	status = cli_check_start(cli, call, &run, &minor);
	if (!status && cli_check_measures(cli, call))
		status = perun_vcs_walk_minor_versions(cli->ctx, run.vcs, minor, measure_version,
						       &run);
	if (!status)
		status = perun_check_history(run.checker, minor, take_version, &run, &found);
	if (!status && !run.facts && found.pairs && !compared_nothing(&found))
		print_end(&run, &found, &start);
	if (!status)
		status = end_compared(&run, &found);
	perun_history_findings_clear(&found);
	perun_free(minor);
	return cli_check_end(&run, status);
}
