/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring: commands x workloads x collectors, then postprocessors, at one or more versions. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/facts.h"
#include "cli/hooks.h"
#include "cli/measuring.h"
#include "cli/worktree.h"

/* ---- what a version came to ------------------------------------------------------------------ */

static void add_facts(struct measuring *run, bool registered)
{
	for (size_t i = 0; i < run->path_count; i++) {
		json_t *fact = json_object();

		json_object_set_new(fact, "path", cli_fact_text(run->paths[i]));
		json_object_set_new(fact, "minor_version", cli_fact_text(run->minor));
		json_object_set_new(fact, "registered", json_boolean(registered));
		json_array_append_new(run->facts, fact);
	}
}

/* profiles.register_after_run, also of what earlier sessions of a resumed run left pending */
static int register_profiles(struct measuring *run)
{
	struct cli *cli = run->cli;
	struct perun_add_options how = {0};
	struct perun_added *added = NULL;
	char **before = run->journal ? cli_journal_pending(run->journal, run->minor) : NULL;
	int status = PERUN_OK;

	for (size_t i = 0; before && before[i]; i++) {
		PERUN_GROW(run->paths, run->path_count, run->path_capacity);
		run->paths[run->path_count++] = before[i];
	}
	perun_free(before);
	if (run->path_count == 0)
		return PERUN_OK;
	status = perun_store_add(cli->ctx, cli->store, run->minor, (const char *const *)run->paths,
				 run->path_count, &how, &added);
	perun_added_free(added, run->path_count);
	if (!status && !run->facts && !run->what->quiet)
		printf("Registered %zu profile(s) with %.8s\n", run->path_count, run->minor);
	return status;
}

static int finish_version(struct measuring *run, int status)
{
	bool registers = run->what->registers ||
			 cli_setting_is_true(run->cli, "profiles.register_after_run");

	if (registers && status != PERUN_CANCELLED) {
		int outcome = register_profiles(run);

		status = status ? status : outcome;
	}
	if (run->facts)
		add_facts(run, registers && status != PERUN_CANCELLED);
	return status;
}

static void forget_version(struct measuring *run)
{
	for (size_t i = 0; i < run->path_count; i++)
		perun_free(run->paths[i]);
	run->path_count = 0;
	measuring_workloads_close(&run->workloads);
	if (run->log >= 0)
		close(run->log);
	run->log = -1;
	perun_free(run->log_path);
	run->log_path = NULL;
}

/* ---- a version ------------------------------------------------------------------------------- */

static int do_job(struct measuring *run, const struct measuring_job *job, void *data)
{
	(void)data;
	return measuring_do(run, job);
}

static json_t *facts_of(const struct measuring *run)
{
	json_t *facts = json_object();

	json_object_set_new(facts, "version", cli_fact_text(run->minor));
	json_object_set_new(facts, "directory", cli_fact_text(run->directory));
	return facts;
}

static void add_outcome(const struct measuring *run, json_t *facts, size_t failed_before,
			int status)
{
	json_t *paths = json_array();
	struct perun_buffer text = {0};

	for (size_t i = 0; i < run->path_count; i++) {
		json_array_append_new(paths, cli_fact_text(run->paths[i]));
		perun_buffer_printf(&text, "%s%s", i ? "\n" : "", run->paths[i]);
	}
	json_object_set_new(facts, "profiles", cli_fact_text(text.data ? text.data : ""));
	json_object_set_new(facts, "paths", paths);
	json_object_set_new(facts, "failed",
			    json_integer((json_int_t)(run->failed - failed_before)));
	json_object_set_new(facts, "status",
			    json_integer(status                        ? status
					 : run->failed > failed_before ? run->worst
								       : PERUN_OK));
	perun_buffer_free(&text);
}

/*
 * All jobs of a version in `run->directory`, between the hooks. post_run is told the names of the
 * profiles before they are registered, and is run even after a failure.
 */
static int measure_in(struct measuring *run)
{
	struct cli *cli = run->cli;
	json_t *facts = facts_of(run);
	struct cli_hook hook = {"pre_run", facts, run->directory, run->log, run->log_path};
	size_t failed = run->failed;
	int status = cli_hook_run(cli, &hook);

	if (!status)
		status = measuring_workloads_open(run, run->directory, &run->workloads);
	if (!status) {
		run->total = run->version_count * measuring_count(run->what, &run->workloads);
		status = measuring_each(run, &run->workloads, do_job, NULL);
	}
	status = finish_version(run, status);
	if (status != PERUN_CANCELLED) {
		hook.name = "post_run";
		add_outcome(run, facts, failed, status);
		if (!cli_hook_try(cli, &hook))
			run->hooks_failed++;
	}
	json_decref(facts);
	return status;
}

/* ---- versions in files of their own ---------------------------------------------------------- */

static int note_job(struct measuring *run, const struct measuring_job *job, void *data)
{
	(void)run;
	(void)job;
	*(bool *)data = true;
	return PERUN_STOP;
}

/* Whether there is anything to measure at a version. */
static int has_work(struct measuring *run, bool *work)
{
	struct measuring_workloads workloads;
	int status;

	*work = true;
	if (!run->what->has_profile)
		return PERUN_OK;
	status = measuring_workloads_open(run, NULL, &workloads);
	if (status)
		return status;
	*work = workloads.open;
	if (!*work)
		status = measuring_each(run, &workloads, note_job, work);
	measuring_workloads_close(&workloads);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int measure_version(struct measuring *run, const char *minor)
{
	struct cli_worktree tree;
	bool work;
	int status = has_work(run, &work);

	if (status || !work)
		return status;
	run->minor = minor;
	run->log = cli_log_open(run->cli, minor, "precollect", &run->log_path);
	if (!run->facts && !run->what->quiet)
		cli_title(run->cli, "Measuring Version %s", minor);
	status = (run->what->in_place ? cli_worktree_here : cli_worktree_open)(
		run->cli, run->vcs, minor, run->log, run->log_path, &tree);
	if (status == PERUN_MISSING && !run->what->in_place)
		perun_fail(run->cli->ctx, PERUN_OK,
			   "cannot measure a version elsewhere (--in-place measures it in your own "
			   "work tree)");
	if (!status) {
		run->directory = tree.directory;
		status = measure_in(run);
		run->directory = NULL;
		cli_worktree_close(run->cli, &tree);
	}
	forget_version(run);
	return status;
}

static int measure_versions(struct measuring *run, const struct measuring_versions *versions)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < versions->count; i++) {
		status = measure_version(run, versions->checksums[i]);
		if (!status || versions->count == 1 || status == PERUN_CANCELLED ||
		    cli_interrupted())
			continue;
		/* A version that does not build must not keep the others from being measured. */
		perun_warn(run->cli->ctx, "%.8s is left out: %s", versions->checksums[i],
			   perun_ctx_error(run->cli->ctx));
		perun_ctx_clear(run->cli->ctx);
		run->worst = run->worst ? run->worst : status;
		run->left_out++;
		status = PERUN_OK;
	}
	return status;
}

/*
 * In the user's own work tree, because it was asked for: what is there is put aside, and brought back
 * whatever happens; after a kill perun recover does so.
 */
static int measure_in_place(struct measuring *run, const struct measuring_versions *versions)
{
	struct perun_ctx *ctx = run->cli->ctx, *quiet;
	char *state = NULL;
	bool saved = false;
	int status = perun_vcs_save_state(ctx, run->vcs, &saved, &state), outcome;

	if (status)
		return status;
	status = measure_versions(run, versions);
	/* What failed so far is not to hide that this failed; and an interruption is not to stop it. */
	quiet = perun_ctx_new(NULL);
	outcome = perun_vcs_restore_state(quiet, run->vcs, saved, state);
	if (outcome && !status)
		status = perun_fail(ctx, outcome, "%s", perun_ctx_error(quiet));
	else if (outcome)
		perun_warn(ctx, "%s", perun_ctx_error(quiet));
	perun_ctx_free(quiet);
	perun_free(state);
	return status;
}

/* ---- the user's work tree as it is ----------------------------------------------------------- */

static int measure_here(struct measuring *run, const char *head)
{
	struct cli *cli = run->cli;
	char *here = cli_absolute_path(".");
	bool dirty = false;
	int status = PERUN_OK;

	if (!run->what->force_dirty)
		status = perun_vcs_is_dirty(cli->ctx, run->vcs, &dirty);
	if (!status && dirty)
		perun_warn(cli->ctx,
			   "the work tree has uncommitted changes: the profiles will count as "
			   "measured at %.8s (--minor-version HEAD measures that one itself)",
			   head);
	run->minor = head;
	run->directory = here;
	if (!status)
		run->log = cli_log_open(cli, head, "precollect", &run->log_path);
	if (!status)
		status = measure_in(run);
	forget_version(run);
	perun_free(here);
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Which versions: those that are named, or the head for the user's work tree. */
static int find_versions(struct measuring *run, bool here, struct measuring_versions *versions)
{
	char *head = NULL;
	int status;

	if (!here)
		return measuring_versions_find(run, versions);
	status = perun_vcs_get_minor_head(run->cli->ctx, run->vcs, &head);
	if (!status) {
		PERUN_GROW(versions->checksums, versions->count, versions->capacity);
		versions->checksums[versions->count++] = head;
	}
	return status;
}

/* Whether there is one job alone, as far as can be told: its failure is told as that of the command. */
static bool is_alone(struct measuring *run)
{
	struct measuring_workloads workloads;
	bool alone;

	if (measuring_workloads_open(run, NULL, &workloads)) {
		perun_ctx_clear(run->cli->ctx);
		return true;
	}
	alone = run->version_count == 1 && !workloads.open &&
		measuring_count(run->what, &workloads) == 1;
	for (size_t i = 0; i < workloads.count; i++)
		run->sweeps |= workloads.items[i].sweep != NULL;
	run->sweeps |= workloads.open;
	measuring_workloads_close(&workloads);
	return alone;
}

static int open_journal(struct measuring *run, const struct measuring_versions *versions)
{
	struct cli *cli = run->cli;
	char *plan;
	int status;

	if (run->what->has_profile || (run->only && !run->sweeps && !run->what->resume))
		return PERUN_OK;
	plan = measuring_describe(run, versions->checksums, versions->count);
	status = cli_journal_open(cli, plan, run->what->resume, &run->journal);
	perun_free(plan);
	if (status || !run->what->resume || !run->journal)
		return status;
	if (!cli_journal_resumed(run->journal))
		perun_note(cli->ctx, "no interrupted run of the same is there: starting anew");
	else if (!run->facts && !run->what->quiet)
		printf("Resuming: %zu measurement%s finished before\n",
		       cli_journal_finished(run->journal),
		       cli_journal_finished(run->journal) == 1 ? " was" : "s were");
	return PERUN_OK;
}

static int tell_failures(const struct measuring *run)
{
	struct perun_ctx *ctx = run->cli->ctx;
	struct perun_buffer text = {0};
	int status;

	if (run->failed)
		perun_buffer_printf(&text, "%zu of %zu measurements failed", run->failed,
				    run->jobs);
	if (run->left_out)
		perun_buffer_printf(&text, "%s%zu of %zu versions could not be measured",
				    run->failed ? ", " : "", run->left_out, run->version_count);
	if (run->hooks_failed)
		perun_buffer_printf(&text, "%s%zu hook%s failed", text.length ? ", " : "",
				    run->hooks_failed, run->hooks_failed == 1 ? "" : "s");
	status = text.length
			 ? perun_fail(ctx, run->worst ? run->worst : PERUN_INPUT, "%s", text.data)
			 : PERUN_OK;
	perun_buffer_free(&text);
	return status;
}

/* What was saved before the interruption stays; say how to go on. */
static void tell_interrupted(const struct measuring *run)
{
	size_t kept = run->kept + run->saved;

	if (run->journal && (kept || run->sweeps))
		perun_note(run->cli->ctx,
			   "%zu of %zu profiles are kept; the same command with --resume goes on",
			   kept, run->total > kept ? run->total : kept);
}

static void print_outcome(struct measuring *run, int status)
{
	struct cli *cli = run->cli;

	if (run->facts && (!status || run->saved)) {
		json_t *document = json_object();

		json_object_set(document, "profiles", run->facts);
		if (run->journal && cli_journal_resumed(run->journal))
			json_object_set_new(document, "resumed",
					    json_integer((json_int_t)run->kept));
		cli_print_facts(document);
	} else if (!status && cli->terminal && !run->what->quiet &&
		   !cli_setting_is_true(cli, "profiles.register_after_run")) {
		puts("perun status lists the pending profiles, perun add 0@p keeps the newest.");
	}
}

int cli_measure(struct cli *cli, const struct cli_measure *measure)
{
	bool here = !measure->revisions || !measure->revisions[0], interrupted;
	struct measuring run = {.cli = cli,
				.what = measure,
				.log = -1,
				.workloads.scratch.lock = -1,
				.facts = measure->json ? json_array() : NULL};
	struct measuring_versions versions = {0};
	int status = cli_open_vcs(cli, &run.vcs);

	if (!status)
		status = cli_hooks_check(cli, !here);
	if (!status)
		status = measuring_check(cli, measure);
	if (!status)
		status = find_versions(&run, here, &versions);
	run.version_count = versions.count;
	run.only = !status && is_alone(&run);
	if (!status)
		status = open_journal(&run, &versions);
	cli->progress.off = measure->no_progress;
	if (!status && here)
		status = measure_here(&run, versions.checksums[0]);
	else if (!status)
		status = (measure->in_place ? measure_in_place : measure_versions)(&run, &versions);
	cli_progress_clear(cli);
	interrupted = status == PERUN_CANCELLED || cli_interrupted();
	if (interrupted)
		tell_interrupted(&run);
	if (!status)
		status = tell_failures(&run);
	print_outcome(&run, status);
	cli_journal_close(run.journal, !interrupted);
	measuring_versions_free(&versions);
	json_decref(run.facts);
	perun_free(run.paths);
	return status;
}
