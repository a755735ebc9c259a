/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring: commands x workloads x collectors, then postprocessors, at one or more versions. */
#include <config.h>

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/vcs.h>

#include "core/context/structs.h"
#include "core/run/files.h"
#include "core/run/run.h"
#include "core/run/worktree.h"

/* ---- what a version came to ------------------------------------------------------------------ */

static bool is_set(struct run *run, const char *key)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *text = NULL;
	bool is = !perun_config_get(quiet, run->store, PERUN_CONFIG_NEAREST, key, &text) && text &&
		  (!strcasecmp(text, "true") || !strcasecmp(text, "yes") ||
		   !strcasecmp(text, "on") || !strcmp(text, "1"));

	perun_free(text);
	perun_ctx_free(quiet);
	return is;
}

static void keep_results(struct run *run, bool registered)
{
	struct perun_run_result *result = run->result;

	for (size_t i = 0; i < run->pending_count; i++) {
		PERUN_GROW(result->profiles, result->count, result->capacity);
		result->profiles[result->count++] =
			(struct perun_run_profile){sizeof *result->profiles, run->pending[i].path,
						   perun_strdup(run->minor), registered};
		perun_profile_unref(run->pending[i].profile);
	}
	run->pending_count = 0;
	run->kept_rows = 0;
}

/* profiles.register_after_run, also of what earlier sessions of a resumed run left pending */
static int register_profiles(struct run *run)
{
	char **before = run->journal ? perun_journal_pending(run->journal, run->minor) : NULL;
	int status = PERUN_OK;

	for (size_t i = 0; before && before[i]; i++) {
		PERUN_GROW(run->pending, run->pending_count, run->pending_capacity);
		run->pending[run->pending_count++] = (struct perun_saved){.path = before[i]};
	}
	perun_free(before);
	if (run->pending_count == 0)
		return PERUN_OK;
	status = perun_store_add_saved(run->ctx, run->store, run->minor, run->pending,
				       run->pending_count);
	if (!status)
		perun_run_notify(&run->options.listener,
				 (struct perun_run_event){.kind = PERUN_RUN_REGISTERED,
							  .version = run->minor,
							  .count = run->pending_count});
	return status;
}

/* Register what was measured, where that is wanted; `*registered`: whether it was tried. */
static int finish_version(struct run *run, int status, bool *registered)
{
	int outcome;

	*registered = status != PERUN_CANCELLED && run->registers && *run->minor;
	outcome = *registered ? register_profiles(run) : PERUN_OK;
	return status ? status : outcome;
}

static void forget_version(struct run *run)
{
	run_workloads_close(&run->workloads);
	if (run->log >= 0)
		close(run->log);
	run->log = -1;
	perun_free(run->log_path);
	run->log_path = NULL;
	run->directory = NULL;
}

/* ---- a version ------------------------------------------------------------------------------- */

static int do_job(struct run *run, const struct run_job *job, void *data)
{
	(void)data;
	return run_do(run, job);
}

static struct perun_json *facts_of(const struct run *run)
{
	struct perun_json *facts = perun_json_object();

	perun_json_set(facts, "version", perun_json_text(run->minor));
	perun_json_set(facts, "directory", perun_json_text(run->directory));
	return facts;
}

static void add_outcome(const struct run *run, struct perun_json *facts, size_t failed, int status)
{
	struct perun_json *paths = perun_json_array();
	struct perun_buffer text = {0};

	for (size_t i = 0; i < run->pending_count; i++) {
		perun_json_append(paths, perun_json_text(run->pending[i].path));
		perun_buffer_printf(&text, "%s%s", i ? "\n" : "", run->pending[i].path);
	}
	perun_json_set(facts, "profiles", perun_json_text(text.data ? text.data : ""));
	perun_json_set(facts, "paths", paths);
	perun_json_set(facts, "failed", perun_json_int64((int64_t)failed));
	perun_json_set(facts, "status",
		       perun_json_int64(status   ? status
					: failed ? run->worst
						 : PERUN_OK));
	perun_buffer_free(&text);
}

/*
 * All jobs of a version in `run->directory`, between the hooks. post_run gets the names that the profiles had before they
 * were registered, and runs after a failure as well.
 */
static int measure_in(struct run *run)
{
	struct perun_json *facts = facts_of(run);
	struct perun_hook hook = {sizeof hook,          "pre_run", facts,
				  run->directory,       run->log,  run->log_path,
				  run->options.listener};
	size_t failed = run->failed;
	bool registered;
	int status = perun_hook_run(run->ctx, run->store, &hook);

	if (!status)
		status = run_workloads_open(run, run->directory, &run->workloads);
	if (!status) {
		run->total = run->version_count * run_job_count(run, &run->workloads);
		status = run_each_job(run, run->minor, &run->workloads, do_job, NULL);
	}
	status = finish_version(run, status, &registered);
	if (status != PERUN_CANCELLED) {
		hook.name = "post_run";
		add_outcome(run, facts, run->failed - failed, status);
		if (!perun_hook_try(run->ctx, run->store, &hook))
			run->hooks_failed++;
	}
	keep_results(run, registered);
	perun_json_free(facts);
	return status;
}

/* ---- versions in files of their own ---------------------------------------------------------- */

static int note_job(struct run *run, const struct run_job *job, void *data)
{
	(void)run;
	(void)job;
	*(bool *)data = true;
	return PERUN_STOP;
}

/* Whether there is anything to measure at a version. */
static int has_work(struct run *run, const char *minor, bool *work)
{
	struct run_workloads workloads;
	int status;

	*work = true;
	if (!run->options.has_profile)
		return PERUN_OK;
	status = run_workloads_open(run, NULL, &workloads);
	if (status)
		return status;
	*work = workloads.open;
	if (!*work)
		status = run_each_job(run, minor, &workloads, note_job, work);
	run_workloads_close(&workloads);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int measure_version(struct run *run, const char *minor)
{
	struct perun_preparation place = {.version = minor, .listener = run->options.listener};
	struct perun_worktree tree;
	bool work;
	int status = has_work(run, minor, &work);

	if (status || !work)
		return status;
	run->minor = minor;
	place.log = run->log = perun_log_open(run->store, minor, "precollect", &run->log_path);
	place.log_path = run->log_path;
	perun_run_notify(&run->options.listener,
			 (struct perun_run_event){.kind = PERUN_RUN_VERSION, .version = minor});
	status = (run->options.in_place ? perun_worktree_here
					: perun_worktree_open)(run->ctx, run->store, &place, &tree);
	if (status == PERUN_MISSING && !run->options.in_place)
		perun_fail(run->ctx, PERUN_OK, "cannot measure a version elsewhere%s",
			   perun_advice(PERUN_ADVICE_IN_PLACE));
	if (!status) {
		run->directory = tree.directory;
		status = measure_in(run);
		perun_worktree_close(&tree);
	}
	forget_version(run);
	return status;
}

static int measure_versions(struct run *run, const struct perun_words *versions)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < versions->count; i++) {
		status = measure_version(run, versions->items[i]);
		if (!status || versions->count == 1 || status == PERUN_CANCELLED ||
		    perun_cancelled(run->ctx))
			continue;
		/* A version that does not build must not keep the others from being measured. */
		perun_warn(run->ctx, "%.8s is left out: %s", versions->items[i],
			   perun_ctx_error(run->ctx));
		perun_ctx_clear(run->ctx);
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
static int measure_in_place(struct run *run, const struct perun_words *versions)
{
	struct perun_ctx *quiet;
	char *state = NULL;
	bool saved = false;
	int status = perun_vcs_save_state(run->ctx, run->vcs, &saved, &state), outcome;

	if (status)
		return status;
	status = measure_versions(run, versions);
	/* What failed so far is not to hide that this failed; and an interruption is not to stop it. */
	quiet = perun_ctx_new(NULL);
	outcome = perun_vcs_restore_state(quiet, run->vcs, saved, state);
	if (outcome && !status)
		status = perun_fail(run->ctx, outcome, "%s", perun_ctx_error(quiet));
	else if (outcome)
		perun_warn(run->ctx, "%s", perun_ctx_error(quiet));
	perun_ctx_free(quiet);
	perun_free(state);
	return status;
}

/* ---- the user's work tree as it is ----------------------------------------------------------- */

static int measure_here(struct run *run, const struct perun_words *versions)
{
	char *here = perun_current_directory();
	bool dirty = false;
	int status = PERUN_OK;

	run->minor = versions->items[0];
	run->directory = here;
	if (!run->options.dirty && *run->minor)
		status = perun_vcs_is_dirty(run->ctx, run->vcs, &dirty);
	if (!status && dirty)
		perun_warn(run->ctx,
			   "the work tree has uncommitted changes: the profiles will count as "
			   "measured at %.8s%s",
			   run->minor, perun_advice(PERUN_ADVICE_MEASURE_VERSION));
	if (!status)
		run->log = perun_log_open(run->store, *run->minor ? run->minor : "worktree",
					  "precollect", &run->log_path);
	if (!status)
		status = measure_in(run);
	forget_version(run);
	perun_free(here);
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Whether there is one job alone, as far as is known: its failure is that of the run. */
static bool is_alone(struct run *run)
{
	struct run_workloads workloads;
	bool alone;

	if (run_workloads_open(run, NULL, &workloads)) {
		perun_ctx_clear(run->ctx);
		return true;
	}
	alone = run->version_count == 1 && !workloads.open && run_job_count(run, &workloads) == 1;
	for (size_t i = 0; i < workloads.count; i++)
		run->sweeps |= workloads.items[i].sweep != NULL;
	run->sweeps |= workloads.open;
	run_workloads_close(&workloads);
	return alone;
}

static int open_journal(struct run *run, const struct perun_words *versions)
{
	bool resume = run->options.resume;
	char *plan;
	int status;

	if (run->options.has_profile || (run->only && !run->sweeps && !resume))
		return PERUN_OK;
	plan = perun_plan_describe(run, versions);
	status = perun_journal_open(run->ctx, run->store, plan, resume, &run->journal);
	perun_free(plan);
	if (status || !resume || !run->journal)
		return status;
	run->result->resumed = perun_journal_resumed(run->journal);
	if (run->result->resumed)
		perun_run_notify(
			&run->options.listener,
			(struct perun_run_event){.kind = PERUN_RUN_RESUMED,
						 .count = perun_journal_finished(run->journal)});
	else
		perun_note(run->ctx, "no matching interrupted run; starting over");
	return PERUN_OK;
}

static int count_failures(const struct run *run)
{
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
	status = text.length ? perun_fail(run->ctx, run->worst ? run->worst : PERUN_INPUT, "%s",
					  text.data)
			     : PERUN_OK;
	perun_buffer_free(&text);
	return status;
}

/* What was saved before the interruption stays; say how to go on. */
static void note_interruption(const struct run *run)
{
	size_t kept = run->result->kept + run->saved;

	if (run->journal && (kept || run->sweeps))
		perun_note(run->ctx, "%zu of %zu profiles are kept%s", kept,
			   run->total > kept ? run->total : kept,
			   perun_advice(PERUN_ADVICE_RESUME));
}

static int prepare(struct run *run, bool here, struct perun_words *versions)
{
	int status = perun_store_vcs(run->ctx, run->store, &run->vcs);

	if (!status)
		status = perun_hooks_check(run->ctx, run->store, !here);
	if (!status)
		status = perun_plan_check(run->ctx, run->store, run->plan);
	if (!status && !here && !run->options.in_place)
		status = perun_files_check(run->ctx, run->store, run->vcs);
	if (!status)
		status = perun_plan_versions(run, versions);
	run->version_count = versions->count;
	run->only = !status && is_alone(run);
	return status ? status : open_journal(run, versions);
}

int perun_run(struct perun_ctx *ctx, struct perun_store *store, const struct perun_plan *plan,
	      const struct perun_run_options *options, struct perun_run_result **result)
{
	bool here = perun_plan_count(plan, PERUN_PLAN_REVISIONS) == 0, interrupted;
	struct run run = {.ctx = ctx,
			  .store = store,
			  .plan = plan,
			  .log = -1,
			  .workloads.scratch.lock = -1,
			  .result = perun_alloc_zero(1, sizeof *run.result)};
	struct perun_words versions = {0};
	int status;

	PERUN_STRUCT_TAKE(&run.options, options);
	run.registers = run.options.registers || is_set(&run, "profiles.register_after_run");
	status = perun_plan_has_parameters(plan)
			 ? perun_fail(ctx, PERUN_USAGE,
				      "a plan with parameters is measured in cells%s",
				      perun_advice(PERUN_ADVICE_MEASURE_CELLS))
			 : prepare(&run, here, &versions);
	if (!status)
		status = (here                   ? measure_here
			  : run.options.in_place ? measure_in_place
						 : measure_versions)(&run, &versions);
	interrupted = status == PERUN_CANCELLED || perun_cancelled(ctx);
	if (interrupted)
		note_interruption(&run);
	if (!status)
		status = count_failures(&run);
	perun_journal_close(run.journal, !interrupted);
	perun_words_free(&versions);
	perun_free(run.last_failure);
	perun_free(run.pending);
	*result = run.result;
	return status;
}

/* ---- the result ------------------------------------------------------------------------------ */

size_t perun_run_profile_count(const struct perun_run_result *result)
{
	return result->count;
}

const struct perun_run_profile *perun_run_profile(const struct perun_run_result *result, size_t i)
{
	return &result->profiles[i];
}

bool perun_run_resumed(const struct perun_run_result *result, size_t *kept)
{
	*kept = result->kept;
	return result->resumed;
}

void perun_run_result_free(struct perun_run_result *result)
{
	for (size_t i = 0; result && i < result->count; i++) {
		perun_free((char *)result->profiles[i].path);
		perun_free((char *)result->profiles[i].version);
	}
	if (result)
		perun_free(result->profiles);
	perun_free(result);
}
