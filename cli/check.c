/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check: what became slower, of one version or of all. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/baselines.h"
#include "cli/compare.h"
#include "cli/facts.h"
#include "cli/graph.h"
#include "cli/hooks.h"
#include "cli/listing.h"
#include "cli/measure.h"

const struct perun_option cli_check_options[] = {
	{.name = "force",
	 .aliases = "-f",
	 .help = "compare also profiles that were made in different ways"},
	{.name = "compute-missing",
	 .aliases = "-c",
	 .help = "measure first what the configured matrix has and a version has no profile of"},
	CLI_MACHINES_OPTION,
	{.name = "models-type",
	 .aliases = "-m",
	 .metavar = "TYPE",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "best-model best-param best-nonparam best-both all-models all-param "
		    "all-nonparam all-both",
	 .default_value = "best-model",
	 .help = "which models are compared by checks that compare "
		 "models"},
	{.name = "method",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a check method, instead of degradation.strategies of the configuration"},
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

/* A history in memory, for check all. */
struct history {
	struct cli_version **versions;
	size_t count, capacity;
	struct cli_roots roots;
};

/* What was found of a version and is not stored yet. */
struct unsaved {
	char *minor;
	struct cli_findings findings; /* the texts */
	struct perun_stored_change *changes;
	size_t count;
};
/* So many versions are stored in one step. */
#define MOST_UNSAVED 100

struct run {
	struct unsaved unsaved[MOST_UNSAVED];
	size_t unsaved_count;
	struct cli_checker checker;
	struct cli *cli;
	struct perun_vcs *vcs;
	const struct cli_call *call;
	json_t *facts; /* --json */
	struct cli_roots roots;
	size_t better, worse, changes;
	size_t compared;               /* pairs */
	struct cli_machines elsewhere; /* profiles left out for those before are of others */
	bool fails;
	json_t *degradations; /* for the hook */
	size_t unmeasured; /* versions of which something should have been measured, and could not */
	struct perun_buffer guilty; /* of check all: the versions that made it slower */
};

static void start_run(struct cli *cli, const struct cli_call *call, struct run *run)
{
	*run = (struct run){.cli = cli, .call = call};
	if (cli_flag(call, "json"))
		run->facts = json_array();
}

/* Store what was found. */
static int save_unsaved(struct run *run)
{
	struct perun_version_changes versions[MOST_UNSAVED];
	int status = PERUN_OK;

	for (size_t i = 0; i < run->unsaved_count; i++)
		versions[i] = (struct perun_version_changes){
			run->unsaved[i].minor, run->unsaved[i].changes, run->unsaved[i].count};
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

static int end_run(struct run *run, int status)
{
	int saved = save_unsaved(run);

	status = status ? status : saved;
	if (run->facts && !status) {
		json_t *document = json_object();

		json_object_set(document, "changes", run->facts);
		cli_print_facts(document);
	}
	if (!status) {
		fflush(stdout);
		cli_degradations_tell(run->cli, run->degradations);
	} else {
		json_decref(run->degradations);
	}
	json_decref(run->facts);
	perun_buffer_free(&run->guilty);
	cli_checker_free(&run->checker);
	cli_machines_free(&run->elsewhere);
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
	struct run *run = data;
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

static int compare_pairs(struct run *run, const char *minor, const struct cli_baselines *search,
			 struct cli_findings *findings)
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

/* Keep what was found, and count it. The findings are the run's then. */
static int take_findings(struct run *run, const char *minor, struct cli_findings *findings)
{
	size_t told = 0;
	struct perun_stored_change *changes =
		perun_alloc_zero(findings->count + 1, sizeof *changes);

	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (run->facts) {
			json_t *fact = cli_fact_change(&item->change, item->minor, item->command);

			if (*minor)
				json_object_set_new(fact, "minor_version", cli_fact_text(minor));
			json_array_append_new(run->facts, fact);
		}
		cli_degradations_note(&run->degradations, item, minor);
		run->better += perun_result_is_optimization(item->change.result);
		run->worse += perun_result_is_degradation(item->change.result);
		if (item->change.result != PERUN_NO_CHANGE)
			changes[told++] = *item;
	}
	run->changes += told;
	run->fails |= cli_findings_fail(findings);
	if (!told || !*minor) {
		perun_free(changes);
		cli_findings_free(findings);
		return PERUN_OK;
	}
	run->unsaved[run->unsaved_count++] =
		(struct unsaved){perun_strdup(minor), *findings, changes, told};
	*findings = (struct cli_findings){0};
	return run->unsaved_count == MOST_UNSAVED ? save_unsaved(run) : PERUN_OK;
}

static void add_explanations(const struct run *run, const struct cli_findings *findings,
			     struct perun_buffer *text)
{
	if (!cli_flag(run->call, "explain"))
		return;
	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_change *change = &findings->items[i].change;

		if (change->explanation && *change->explanation)
			perun_buffer_printf(text, "%s (%s): %s\n", change->location,
					    change->method ? change->method : "",
					    change->explanation);
	}
}

static void add_list(const struct run *run, const struct cli_findings *findings,
		     struct perun_buffer *text)
{
	cli_add_change_list(run->cli, findings->items, findings->count, text);
	add_explanations(run, findings, text);
}

/* ---- perun check -c ------------------------------------------------------------------------- */

struct registered {
	struct run *run;
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

/*
 * Measure what the matrix of the configuration has, and the version has not. Where that fails, as that of a
 * version which does not build, what there is is checked, and the exit status says so.
 */
static int compute_missing(struct run *run, const char *minor)
{
	struct cli *cli = run->cli;
	struct registered registered = {.run = run};
	int status = PERUN_OK;

	if (!cli_flag(run->call, "compute-missing") &&
	    !cli_setting_is_true(cli, "degradation.collect_before_check"))
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

/* Say why there was nothing to compare. */
static void tell_nothing(struct run *run, const char *minor, const struct cli_baselines *search)
{
	if (search->target_count == 0)
		perun_note(run->cli->ctx,
			   "version %.8s has no profiles: measure it with perun collect and keep "
			   "the profile with perun add",
			   minor);
	else if (search->pair_count == 0 && !run->elsewhere.refused)
		perun_note(run->cli->ctx,
			   "no version before %.8s has a profile of the same kind, command, "
			   "workload and collector",
			   minor);
}

/* After a search: the profiles that have baselines, but on other classes of machines alone. */
static void note_elsewhere(struct run *run, const struct cli_baselines *search)
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

/* Say what was not compared for it was measured elsewhere; fail when that is all there was. */
static int tell_elsewhere(struct run *run)
{
	const struct cli_machines *elsewhere = &run->elsewhere;

	if (!elsewhere->refused)
		return PERUN_OK;
	if (!run->compared)
		return cli_machines_fail(run->cli, elsewhere, "the versions");
	perun_note(run->cli->ctx,
		   "%zu %s not compared: nothing before was measured on that class of machine (%s; "
		   "--across-machines compares all the same)",
		   elsewhere->refused, elsewhere->refused == 1 ? "profile was" : "profiles were",
		   elsewhere->difference);
	return PERUN_OK;
}

static int check_version(struct run *run, const char *minor, struct cli_findings *findings)
{
	struct cli *cli = run->cli;
	struct cli_version *version = NULL;
	struct perun_entries entries = {0};
	struct cli_baselines search = {0};
	struct head_walk walk = {&search, &run->roots, minor};
	int status = compute_missing(run, minor);

	if (!status)
		status = cli_version_get(cli, run->vcs, minor, &version);
	if (!status)
		status = perun_store_entries(cli->ctx, cli->store, minor, &entries);
	if (!status)
		status = cli_baselines_start(&search, cli, cli_checker_alike, &run->checker,
					     &entries, version->version.parents,
					     version->version.parent_count);
	cli_machines_forget(&run->checker.machines);
	if (!status && cli_baselines_wanting(&search))
		status = perun_vcs_walk_minor_versions(cli->ctx, run->vcs, minor, visit_ancestor,
						       &walk);
	if (!status)
		status = compare_pairs(run, minor, &search, findings);
	note_elsewhere(run, &search);
	if (!status)
		status = tell_elsewhere(run);
	if (!status)
		tell_nothing(run, minor, &search);
	cli_roots_tell(cli, run->vcs, &run->roots);
	cli_baselines_free(&search);
	perun_entries_free(&entries);
	cli_version_free(version);
	return status;
}

int cli_check_head(struct cli *cli, const struct cli_call *call)
{
	struct cli_findings findings = {0};
	struct perun_buffer text = {0};
	struct run run;
	char *minor = NULL;
	int status;

	start_run(cli, call, &run);
	status = cli_open_vcs(cli, &run.vcs);
	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "revision"), &minor);
	if (!status)
		status = cli_checker_start(cli, call, &run.checker);
	if (!status && !run.facts)
		cli_title(cli, "Checking Version %s", minor);
	if (!status)
		status = check_version(&run, minor, &findings);
	if (!status && !run.facts) {
		add_list(&run, &findings, &text);
		fputs(text.data, stdout);
		if (findings.count)
			cli_print_change_summary(cli, findings.items, findings.count, true);
	}
	if (!status)
		status = take_findings(&run, minor, &findings);
	perun_buffer_free(&text);
	cli_findings_free(&findings);
	perun_free(minor);
	return end_run(&run, status);
}

/* ---- check all ------------------------------------------------------------------------------- */

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct history *history = data;

	cli_roots_note(&history->roots, version);
	PERUN_GROW(history->versions, history->count, history->capacity);
	history->versions[history->count++] = cli_version_copy(version);
	return PERUN_OK;
}

static void free_history(struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		cli_version_free(history->versions[i]);
	perun_free(history->versions);
}

/* Compare version i of the history with those behind it. */
static int check_in_history(struct run *run, const struct history *history, size_t i,
			    struct cli_findings *findings)
{
	const struct perun_minor_version *version = &history->versions[i]->version;
	struct cli *cli = run->cli;
	struct perun_entries entries = {0};
	struct cli_baselines search = {0};
	int status = compute_missing(run, version->checksum);

	if (!status && perun_store_has_index(cli->ctx, cli->store, version->checksum))
		status = perun_store_entries(cli->ctx, cli->store, version->checksum, &entries);
	if (!status)
		status = cli_baselines_start(&search, cli, cli_checker_alike, &run->checker,
					     &entries, version->parents, version->parent_count);
	cli_machines_forget(&run->checker.machines);
	for (i++; !status && cli_baselines_wanting(&search) && i < history->count; i++) {
		const struct perun_minor_version *other = &history->versions[i]->version;

		status = cli_baselines_visit(&search, other->checksum, other->parents,
					     other->parent_count);
	}
	if (status == PERUN_STOP)
		status = PERUN_OK;
	if (!status)
		status = compare_pairs(run, version->checksum, &search, findings);
	note_elsewhere(run, &search);
	cli_baselines_free(&search);
	perun_entries_free(&entries);
	return status;
}

static void print_version(struct run *run, struct cli_graph *graph,
			  const struct perun_minor_version *version,
			  const struct cli_findings *findings)
{
	struct perun_buffer text = {0};
	char *subject = cli_subject(version->description);

	cli_graph_begin(graph, version->checksum);
	printf("%s%.6s%s: ", cli_color(run->cli, CLI_YELLOW), version->checksum,
	       cli_color_end(run->cli));
	cli_print_safe(subject);
	fputs(" | ", stdout);
	cli_title(run->cli, "Checking Version %s", version->checksum);
	cli_print_change_summary(run->cli, findings->items, findings->count, false);
	cli_graph_fork(graph, version->checksum, version->parents, version->parent_count);
	add_list(run, findings, &text);
	cli_graph_text(graph, text.data);
	perun_buffer_free(&text);
	perun_free(subject);
	if (run->cli->terminal)
		fflush(stdout);
}

/* For the end of the listing: which version, and what became slower in it. */
static void note_guilty(struct run *run, const struct perun_minor_version *version,
			const struct cli_findings *findings)
{
	bool named = false;

	for (size_t i = 0; i < findings->count; i++) {
		const struct perun_change *change = &findings->items[i].change;
		char *subject, *location;

		if (!perun_result_fails(change->result))
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

static void print_end(struct run *run, const struct timespec *start)
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

static int check_history(struct run *run, const struct history *history)
{
	struct cli_graph graph = {0};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < history->count; i++) {
		const struct perun_minor_version *version = &history->versions[i]->version;
		struct cli_findings findings = {0};

		status = check_in_history(run, history, i, &findings);
		if (!status)
			note_guilty(run, version, &findings);
		if (!status && !run->facts)
			print_version(run, &graph, version, &findings);
		else
			perun_progress(run->cli->ctx, "checking versions", i + 1, history->count);
		if (!status)
			status = take_findings(run, version->checksum, &findings);
		cli_findings_free(&findings);
	}
	cli_graph_free(&graph);
	return status;
}

int cli_check_all(struct cli *cli, const struct cli_call *call)
{
	struct history history = {0};
	struct timespec start;
	struct run run;
	char *minor = NULL;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &start);
	start_run(cli, call, &run);
	status = cli_open_vcs(cli, &run.vcs);
	if (!status)
		status = cli_minor(cli, perun_option_string(call->options, "revision"), &minor);
	if (!status)
		status = cli_checker_start(cli, call, &run.checker);
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
		status = tell_elsewhere(&run);
	if (!status && !run.facts)
		print_end(&run, &start);
	cli_roots_tell(cli, run.vcs, &history.roots);
	free_history(&history);
	perun_free(minor);
	return end_run(&run, status);
}
