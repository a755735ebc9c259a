/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower in the versions of a history. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/check-run.h"

/* ---- the listing ----------------------------------------------------------------------------- */

static bool is_changed(const struct perun_change *change)
{
	return perun_result_is_degradation(change->result) ||
	       perun_result_is_optimization(change->result);
}

static const char *metric_of(const struct perun_change *change)
{
	return change->metric && *change->metric ? change->metric : change->type;
}

/* Whether a change of real time says it already: user and system time are parts of it. */
static bool is_said(const struct perun_findings *findings, size_t i)
{
	const struct perun_stored_change *item = &findings->items[i];
	const char *metric = metric_of(&item->change);

	if (strcmp(metric, "time(user)") != 0 && strcmp(metric, "time(sys)") != 0)
		return false;
	for (size_t k = 0; k < findings->count; k++) {
		const struct perun_stored_change *other = &findings->items[k];

		if (strcmp(metric_of(&other->change), "time(real)") == 0 &&
		    other->change.result == item->change.result &&
		    strcmp(other->change.location, item->change.location) == 0 &&
		    strcmp(other->command, item->command) == 0)
			return true;
	}
	return false;
}

/* "+29.5 %", and factors from two on as "3.61x". */
static void add_size(const struct perun_change *change, struct perun_buffer *text)
{
	if (change->rate > 0.5 && change->rate < 2)
		perun_buffer_printf(text, "  %+.3g %%", 100 * (change->rate - 1));
	else if (isfinite(change->rate) && change->rate > 0)
		perun_buffer_printf(text, "  %.3g%s", change->rate, cli_has_unicode() ? "×" : "x");
}

static void add_printable(struct perun_buffer *text, const char *before, const char *given)
{
	char *safe = perun_printable(given);

	perun_buffer_printf(text, "%s%s", before, safe);
	perun_free(safe);
}

/* A line: commit, result, metric, amounts, how sure, of what, and the subject. */
static void print_change(struct cli_check_run *run, const struct perun_minor_version *version,
			 const struct perun_findings *findings, size_t i)
{
	const struct perun_stored_change *item = &findings->items[i];
	const struct perun_change *change = &item->change;
	bool worse = perun_result_is_degradation(change->result);
	char *subject = cli_subject(version->description);
	struct perun_buffer text = {0};

	printf("%s%.8s%s  %s%s%s", cli_color(run->cli, CLI_YELLOW), version->checksum,
	       cli_color_end(run->cli), cli_color(run->cli, worse ? CLI_RED : CLI_GREEN),
	       worse ? "slower" : "faster", cli_color_end(run->cli));
	add_printable(&text, "  ", metric_of(change));
	add_printable(&text, "  ", change->from_baseline);
	add_printable(&text, cli_has_unicode() ? " → " : " -> ", change->to_target);
	add_size(change, &text);
	/* Of a few runs it is not known. */
	if (strcmp(change->confidence_type, "p_value") == 0 && change->confidence_rate < 0.5)
		perun_buffer_printf(&text,
				    change->confidence_rate < 1e-6 ? "  p < 1e-6" : "  p = %.1g",
				    change->confidence_rate);
	if (*change->location && strcmp(change->location, item->command) != 0)
		add_printable(&text, "  ", change->location);
	add_printable(&text, "  $ ", item->command);
	perun_buffer_printf(&text, "  (%s)  ", change->method ? change->method : "");
	add_printable(&text, "", subject);
	puts(text.data);
	if (cli_flag(run->call, "explain") && change->explanation && *change->explanation) {
		fputs("    ", stdout);
		cli_print_safe(change->explanation);
		putchar('\n');
	}
	perun_buffer_free(&text);
	perun_free(subject);
}

/* What is neither better nor worse: undecided, appeared, with --unchanged also the rest. */
static void print_others(struct cli_check_run *run, const struct perun_minor_version *version,
			 const struct perun_findings *findings)
{
	struct perun_findings others = {
		.items = perun_alloc_zero(findings->count + 1, sizeof *others.items)};
	struct perun_buffer text = {0};

	for (size_t i = 0; i < findings->count; i++) {
		if (!is_changed(&findings->items[i].change))
			others.items[others.count++] = findings->items[i];
	}
	if (others.count) {
		cli_check_list(run, &others, &text);
		printf("%s%.8s%s\n%s", cli_color(run->cli, CLI_YELLOW), version->checksum,
		       cli_color_end(run->cli), text.data ? text.data : "");
	}
	perun_buffer_free(&text);
	perun_free(others.items);
}

static void print_version(struct cli_check_run *run, const struct perun_minor_version *version,
			  const struct perun_findings *findings)
{
	struct perun_buffer text = {0};

	if (!findings->count)
		return;
	for (size_t i = 0; i < findings->count; i++) {
		if (is_changed(&findings->items[i].change) && !is_said(findings, i))
			print_change(run, version, findings, i);
	}
	cli_check_list_notes(run, version->checksum, findings, &text);
	fputs(text.data ? text.data : "", stdout);
	perun_buffer_free(&text);
	print_others(run, version, findings);
	if (run->cli->terminal)
		fflush(stdout);
}

static void print_end(const struct cli_check_run *run, const struct perun_history_findings *found,
		      const struct timespec *start)
{
	size_t unchanged = found->strands - found->changed - found->open;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!run->better && !run->worse)
		puts("no changes found");
	else
		printf("%zu slower, %zu faster", run->worse, run->better);
	if (run->better || run->worse)
		putchar('\n');
	if (unchanged)
		printf("no change in %zu metric%s (changes above %.2g %% excluded)\n", unchanged,
		       unchanged == 1 ? "" : "s", 100 * fmax(found->excluded, 0.01));
	if (found->open)
		printf("undecided: %zu metric%s that may hide a change of more than 5 %%; more "
		       "runs would settle "
		       "it\n",
		       found->open, found->open == 1 ? "" : "s");
	if (run->cli->terminal)
		printf("%.2f s\n", (double)(now.tv_sec - start->tv_sec) +
					   (double)(now.tv_nsec - start->tv_nsec) / 1e9);
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

/* Without a pair of versions there is no verdict. */
static int end_compared(struct cli_check_run *run, const struct perun_history_findings *found)
{
	struct perun_findings nothing = {.nothing = PERUN_NOTHING_ON_MACHINE,
					 .difference = found->difference};

	run->elsewhere = found->elsewhere;
	if (!found->elsewhere)
		return PERUN_OK;
	if (!found->pairs)
		return cli_fail_nothing(run->cli, &nothing, NULL, "");
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
	if (!status && !run.facts)
		print_end(&run, &found, &start);
	if (!status)
		status = end_compared(&run, &found);
	perun_free(found.difference);
	perun_free(minor);
	return cli_check_end(&run, status);
}
