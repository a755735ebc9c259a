/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower in the versions of a history. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/check-run.h"
#include "cli/check-strands.h"

/* A history in memory, for check all. */
struct history {
	struct perun_minor_version **versions;
	size_t count, capacity;
	struct cli_roots roots;
};

/* ---- check all ------------------------------------------------------------------------------- */

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct history *history = data;

	cli_roots_note(&history->roots, version);
	PERUN_GROW(history->versions, history->count, history->capacity);
	history->versions[history->count++] = perun_minor_version_copy(version);
	return PERUN_OK;
}

static void free_history(struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		perun_minor_version_free(history->versions[i]);
	perun_free(history->versions);
}

/* ---- several versions at once ---------------------------------------------------------------- */

/* A version that is compared with those behind it. */
struct turn {
	const struct perun_minor_version *version;
	struct perun_entries entries;
	struct cli_baselines search;
	struct cli_comparing *comparings;
	size_t comparing_count;
	struct cli_findings findings;
	bool compared;
};

enum { MOST_TURNS = 64, LEAST_ROOM = 4, MOST_ROOM = 64 };
/* Of the profiles that are in memory at once. */
#define MOST_ROWS 1000000

/* Versions that are compared at the same time; what is told of them comes in their order. */
struct batch {
	struct cli_check_run *run;
	const struct history *history;
	struct cli_strands *strands;
	size_t first; /* in the history */
	struct turn turns[MOST_TURNS];
	size_t count;
	size_t room; /* for so many profiles */
	size_t rows; /* of the largest profile */
};

static void free_turn(struct turn *turn)
{
	for (size_t i = 0; i < turn->comparing_count; i++)
		cli_comparing_free(&turn->comparings[i]);
	perun_free(turn->comparings);
	cli_baselines_free(&turn->search);
	perun_entries_free(&turn->entries);
	cli_findings_free(&turn->findings);
	*turn = (struct turn){0};
}

/* What is to be read for the next versions, on all processors: small profiles a lot at once. */
static void fetch_profiles(struct batch *batch, size_t versions)
{
	const char *checksums[MOST_ROOM];
	size_t count = 0;

	for (size_t t = 0; t < versions; t++) {
		const struct perun_entries *entries = &batch->turns[t].entries;

		for (size_t i = 0; i < entries->count && count < batch->room; i++)
			checksums[count++] = entries->items[i].checksum;
	}
	cli_checker_fetch(&batch->run->checker, checksums, count);
}

/*
 * Take the next versions: as many as there is room for their profiles. The last one read is only there for
 * those before it to be compared with, but for that of the end. A version that fails waits to be the first.
 */
static int take_turns(struct batch *batch)
{
	struct cli_check_run *run = batch->run;
	struct cli *cli = run->cli;
	const size_t left = batch->history->count - batch->first;
	size_t versions = 0, profiles = 0;
	int status = PERUN_OK;

	while (!status && versions < left && versions < MOST_TURNS &&
	       (versions < 2 || profiles < batch->room)) {
		struct turn *turn = &batch->turns[versions];

		turn->version = batch->history->versions[batch->first + versions];
		if (!status && perun_store_has_index(cli->ctx, cli->store, turn->version->checksum))
			status = perun_store_entries(cli->ctx, cli->store, turn->version->checksum,
						     &turn->entries);
		profiles += turn->entries.count;
		versions += !status;
	}
	if (status && versions == 0)
		return status;
	perun_ctx_clear(cli->ctx);
	fetch_profiles(batch, versions);
	batch->count = versions == left || versions == 1 ? versions : versions - 1;
	return PERUN_OK;
}

static int load_pair(struct batch *batch, struct turn *turn, const struct cli_pair *pair)
{
	struct cli_checker *checker = &batch->run->checker;
	struct perun_profile *baseline = NULL, *target = NULL;
	size_t rows;
	int status;

	status = cli_checker_load(checker, turn->search.targets[pair->target]->checksum, &target);
	if (!status)
		status = cli_checker_load(checker, pair->checksum, &baseline);
	if (!status)
		status = cli_comparing_start(checker, baseline, pair->minor, target,
					     turn->version->checksum,
					     &turn->comparings[turn->comparing_count++]);
	rows = status ? 0 : perun_table_rows(perun_resources(target));
	if (rows > batch->rows)
		batch->rows = rows;
	perun_profile_unref(baseline);
	perun_profile_unref(target);
	return status;
}

/* Find what a version is compared with. */
static int prepare_turn(struct batch *batch, size_t t)
{
	struct turn *turn = &batch->turns[t];
	struct cli_check_run *run = batch->run;
	const struct history *history = batch->history;
	const struct perun_minor_version *version = turn->version;
	struct cli_findings *found;
	int status = cli_baselines_start(&turn->search, run->cli, cli_checker_alike, &run->checker,
					 &turn->entries, version->parents, version->parent_count);

	cli_machines_forget(&run->checker.machines);
	for (size_t i = batch->first + t + 1;
	     !status && cli_baselines_wanting(&turn->search) && i < history->count; i++) {
		const struct perun_minor_version *other = history->versions[i];

		status = cli_baselines_visit(&turn->search, other->checksum, other->parents,
					     other->parent_count);
	}
	if (status == PERUN_STOP)
		status = PERUN_OK;
	found = cli_strands_of(batch->strands, version->checksum);
	if (found) {
		turn->findings = *found;
		*found = (struct cli_findings){0};
	}
	turn->comparings = perun_alloc_zero(turn->search.pair_count + 1, sizeof *turn->comparings);
	for (size_t i = 0; !status && i < turn->search.pair_count; i++)
		status = load_pair(batch, turn, &turn->search.pairs[i]);
	if (!status)
		cli_check_note_elsewhere(run, &turn->search);
	return status;
}

static int compare_turn(struct perun_ctx *ctx, size_t t, void *data)
{
	const struct batch *batch = data;
	struct turn *turn = &((struct batch *)data)->turns[t];
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < turn->comparing_count; i++) {
		if (perun_cancelled(ctx))
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		status = cli_comparing_run(&batch->run->checker, ctx, &turn->comparings[i],
					   &turn->findings);
	}
	turn->compared = !status;
	return status;
}

/* Compare all of a batch. */
static int compare_turns(struct batch *batch)
{
	struct perun_ctx *ctx = batch->run->cli->ctx;
	int status = PERUN_OK;

	for (size_t t = 0; !status && t < batch->count; t++) {
		status = prepare_turn(batch, t);
		if (status && t > 0) { /* after those before it */
			perun_ctx_clear(ctx);
			batch->count = t;
			status = PERUN_OK;
		}
	}
	return status ? status : perun_parallel_for(ctx, batch->count, compare_turn, batch);
}

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
static bool is_said(const struct cli_findings *findings, size_t i)
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
			 const struct cli_findings *findings, size_t i)
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
			 const struct cli_findings *findings)
{
	struct cli_findings others = {
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
			  const struct cli_findings *findings)
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

static void print_end(const struct cli_check_run *run, const struct cli_strands *strands,
		      const struct timespec *start)
{
	size_t unchanged = strands->count - strands->changed - strands->open;
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
		       unchanged == 1 ? "" : "s", 100 * fmax(strands->excluded, 0.01));
	if (strands->open)
		printf("undecided: %zu metric%s that may hide a change of more than 5 %%; more "
		       "runs would settle "
		       "it\n",
		       strands->open, strands->open == 1 ? "" : "s");
	if (run->cli->terminal)
		printf("%.2f s\n", (double)(now.tv_sec - start->tv_sec) +
					   (double)(now.tv_nsec - start->tv_nsec) / 1e9);
}

/* Say what was found of a version, and keep it. */
static int tell_version(struct cli_check_run *run, const struct perun_minor_version *version,
			struct cli_findings *findings)
{
	int status = cli_check_know(run, version->checksum, findings);

	if (status)
		return status;
	if (!run->facts)
		print_version(run, version, findings);
	return cli_check_take(run, version->checksum, findings);
}

static int tell_turns(struct batch *batch)
{
	struct cli_check_run *run = batch->run;
	int status = PERUN_OK;

	for (size_t t = 0; !status && t < batch->count && batch->turns[t].compared; t++) {
		struct turn *turn = &batch->turns[t];

		run->compared += turn->comparing_count;
		if (run->facts)
			perun_progress(run->cli->ctx, "checking versions", batch->first + t + 1,
				       batch->history->count);
		status = tell_version(run, turn->version, &turn->findings);
	}
	return status;
}

/* Compare each version with the one before, by methods that look at no more than two. */
static int check_pairs(struct cli_check_run *run, const struct history *history,
		       struct cli_strands *strands)
{
	struct batch *batch = perun_alloc_zero(1, sizeof *batch);
	int status = PERUN_OK;

	*batch = (struct batch){
		.run = run, .history = history, .strands = strands, .room = LEAST_ROOM};
	while (!status && batch->first < history->count) {
		int told = PERUN_OK;

		status = take_turns(batch);
		if (!status) {
			status = compare_turns(batch);
			told = tell_turns(batch);
			batch->first += batch->count;
		}
		status = status ? status : told;
		for (size_t t = 0; t < MOST_TURNS; t++)
			free_turn(&batch->turns[t]);
		batch->room *= 2;
		if (batch->rows && batch->room > MOST_ROWS / batch->rows)
			batch->room = MOST_ROWS / batch->rows;
		batch->room = batch->room > MOST_ROOM ? MOST_ROOM : batch->room;
		batch->room = batch->room < LEAST_ROOM ? LEAST_ROOM : batch->room;
	}
	perun_free(batch);
	return status;
}

/* Methods of the command line, or rules for some profiles, compare versions by pairs. */
static bool compares_pairs(const struct cli_checker *checker)
{
	for (size_t i = 0; i < checker->strategies.count; i++) {
		if (!checker->history || !cli_rule_is_default(&checker->strategies.rules[i]))
			return true;
	}
	return false;
}

static int check_history(struct cli_check_run *run, const struct history *history, const char *head,
			 struct cli_strands *strands)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && cli_check_measures(run) && i < history->count; i++)
		status = cli_check_missing(run, history->versions[i]->checksum);
	if (!status && run->checker.history)
		status = cli_strands_load(run->cli, head, run->checker.unchanged, strands);
	if (status)
		return status;
	run->compared += strands->compared;
	if (compares_pairs(&run->checker))
		return check_pairs(run, history, strands);
	for (size_t i = 0; !status && i < history->count; i++) {
		struct cli_findings *findings =
			cli_strands_of(strands, history->versions[i]->checksum);

		if (findings)
			status = tell_version(run, history->versions[i], findings);
	}
	return status;
}

int cli_check_all(struct cli *cli, const struct cli_call *call)
{
	struct history history = {0};
	struct cli_strands strands = {0};
	struct timespec start;
	struct cli_check_run run;
	char *minor = NULL;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &start);
	status = cli_check_start(cli, call, &run, &minor);
	run.checker.history = !run.checker.methods_given;
	if (!status)
		status = perun_vcs_walk_minor_versions(cli->ctx, run.vcs, minor, keep_version,
						       &history);
	if (!status)
		status = check_history(&run, &history, minor, &strands);
	if (!status)
		status = cli_check_tell_elsewhere(&run);
	if (!status && !run.facts)
		print_end(&run, &strands, &start);
	cli_roots_tell(cli, run.vcs, &history.roots);
	free_history(&history);
	perun_free(minor);
	status = cli_check_end(&run, status);
	cli_strands_free(&strands);
	return status;
}
