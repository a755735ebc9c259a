/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower in the versions of a history. */
#include <config.h>

#include <stdio.h>
#include <time.h>

#include "cli/check-run.h"
#include "cli/graph.h"

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
	struct perun_buffer text; /* the findings, to be printed */
	bool compared;
};

enum { MOST_TURNS = 64, LEAST_ROOM = 4, MOST_ROOM = 64 };
/* Of the profiles that are in memory at once. */
#define MOST_ROWS 1000000

/* Versions that are compared at the same time; what is told of them comes in their order. */
struct batch {
	struct cli_check_run *run;
	const struct history *history;
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
	perun_buffer_free(&turn->text);
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
		if (versions == 0)
			status = cli_check_missing(run, turn->version->checksum);
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
	if (cli_check_measures(run))
		batch->count = 1;
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
	if (!status && !batch->run->facts)
		cli_check_list(batch->run, &turn->findings, &turn->text);
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

static void print_version(struct cli_check_run *run, struct cli_graph *graph,
			  const struct turn *turn)
{
	const struct perun_minor_version *version = turn->version;
	const struct cli_findings *findings = &turn->findings;
	char *subject = cli_subject(version->description);

	cli_graph_begin(graph, version->checksum);
	printf("%s%.6s%s: ", cli_color(run->cli, CLI_YELLOW), version->checksum,
	       cli_color_end(run->cli));
	cli_print_safe(subject);
	fputs(" | ", stdout);
	cli_title(run->cli, "Checking Version %s", version->checksum);
	cli_print_change_summary(run->cli, findings->items, findings->count, false);
	cli_graph_fork(graph, version->checksum, version->parents, version->parent_count);
	cli_graph_text(graph, turn->text.data);
	perun_free(subject);
	if (run->cli->terminal)
		fflush(stdout);
}

/* For the end of the listing: which version, and what became slower in it. */
static void note_guilty(struct cli_check_run *run, const struct perun_minor_version *version,
			const struct cli_findings *findings)
{
	bool named = false;

	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_change *change = &findings->items[i].change;
		char *subject, *location;

		if (!cli_finding_fails(findings, i))
			continue;
		if (!named) {
			subject = cli_subject(version->description);
			location = perun_printable(subject);
			perun_buffer_printf(&run->guilty, "  %.8s %s\n", version->checksum,
					    location);
			perun_free(location);
			perun_free(subject);
			named = true;
		}
		location = perun_printable(change->location);
		perun_buffer_printf(&run->guilty, "    %s: %.2fx, from %s to %s\n", location,
				    change->rate, change->from_baseline, change->to_target);
		perun_free(location);
	}
}

static void print_end(struct cli_check_run *run, const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("\n%zu changes", run->changes);
	if (run->better + run->worse) {
		printf(" | %s", cli_color(run->cli, CLI_GREEN));
		cli_repeat("+", run->better);
		fputs(cli_color(run->cli, CLI_RED), stdout);
		cli_repeat("-", run->worse);
		fputs(cli_color_end(run->cli), stdout);
	}
	printf("\n%zu optimizations(+), %zu degradations(-)\n", run->better, run->worse);
	printf(" - Elapsed time - %.2fs\n",
	       (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9);
	if (run->guilty.length)
		printf("\nMade worse by:\n%s", run->guilty.data);
}

/* Tell what was found of a batch, and keep it. */
static int tell_turns(struct batch *batch, struct cli_graph *graph)
{
	struct cli_check_run *run = batch->run;
	int status = PERUN_OK;

	for (size_t t = 0; !status && t < batch->count && batch->turns[t].compared; t++) {
		struct turn *turn = &batch->turns[t];

		run->compared += turn->comparing_count;
		status = cli_check_know(run, turn->version->checksum, &turn->findings);
		if (status)
			break;
		cli_check_list_known(&turn->findings, &turn->text);
		note_guilty(run, turn->version, &turn->findings);
		if (!run->facts)
			print_version(run, graph, turn);
		else
			perun_progress(run->cli->ctx, "checking versions", batch->first + t + 1,
				       batch->history->count);
		status = cli_check_take(run, turn->version->checksum, &turn->findings);
	}
	return status;
}

static int check_history(struct cli_check_run *run, const struct history *history)
{
	struct batch *batch = perun_alloc_zero(1, sizeof *batch);
	struct cli_graph graph = {0};
	int status = PERUN_OK;

	*batch = (struct batch){.run = run, .history = history, .room = LEAST_ROOM};
	while (!status && batch->first < history->count) {
		int told = PERUN_OK;

		status = take_turns(batch);
		if (!status) {
			status = compare_turns(batch);
			told = tell_turns(batch, &graph);
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
	cli_graph_free(&graph);
	return status;
}

int cli_check_all(struct cli *cli, const struct cli_call *call)
{
	struct history history = {0};
	struct timespec start;
	struct cli_check_run run;
	char *minor = NULL;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &start);
	status = cli_check_start(cli, call, &run, &minor);
	if (!status && !run.facts) {
		cli_title(cli, "Checking Whole History");
		puts(" - This might take a while.");
	}
	if (!status)
		status = perun_vcs_walk_minor_versions(cli->ctx, run.vcs, minor, keep_version,
						       &history);
	if (!status)
		status = check_history(&run, &history);
	if (!status)
		status = cli_check_tell_elsewhere(&run);
	if (!status && !run.facts)
		print_end(&run, &start);
	cli_roots_tell(cli, run.vcs, &history.roots);
	free_history(&history);
	perun_free(minor);
	return cli_check_end(&run, status);
}
