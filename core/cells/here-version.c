/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a version that this process measures: in the user's work tree, or in files of the version's own. */
#include <config.h>

#include <string.h>
#include <unistd.h>

#include <perun/lib/advice.h>
#include <perun/vcs.h>

#include "core/cells/here.h"
#include "core/run/worktree.h"

/* ---- what it came to ------------------------------------------------------------------------- */

static void keep_results(struct here *here, bool registered)
{
	struct perun_run_result *result = here->result;

	for (size_t i = 0; i < here->pending_count; i++) {
		PERUN_GROW(result->profiles, result->count, result->capacity);
		result->profiles[result->count++] =
			(struct perun_run_profile){sizeof *result->profiles, here->pending[i].path,
						   perun_strdup(here->run.minor), registered};
		perun_profile_unref(here->pending[i].profile);
	}
	here->pending_count = 0;
	here->kept_rows = 0;
}

static bool is_new(const struct here *here, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(here->pending[i].path, path) == 0)
			return false;
	return true;
}

/* What earlier sessions of the run left pending. */
static void add_earlier(struct here *here, size_t version)
{
	size_t each = here->cells->points * here->cells->jobs, own = here->pending_count;

	for (size_t cell = version * each; cell < (version + 1) * each; cell++) {
		bool ended, done;
		struct perun_json *found =
			here_found(here->run.store, here->cells, cell + 1, &ended, &done);

		for (size_t i = 0; i < perun_json_count(found); i++) {
			char *path;

			if (!here_is_pending(here->run.store, perun_json_at(found, i), &path) ||
			    !is_new(here, own, path)) {
				perun_free(path);
				continue;
			}
			PERUN_GROW(here->pending, here->pending_count, here->pending_capacity);
			here->pending[here->pending_count++] = (struct perun_saved){.path = path};
		}
		perun_json_free(found);
	}
}

/* profiles.register_after_run */
static int register_profiles(struct here *here, size_t version)
{
	int status;

	if (here->result->resumed)
		add_earlier(here, version);
	if (here->pending_count == 0)
		return PERUN_OK;
	status = perun_store_add_saved(here->run.ctx, here->run.store, here->run.minor,
				       here->pending, here->pending_count);
	if (!status)
		perun_run_notify(&here->run.options.listener,
				 (struct perun_run_event){.kind = PERUN_RUN_REGISTERED,
							  .version = here->run.minor,
							  .count = here->pending_count});
	return status;
}

/* Register what was measured, where that is wanted; `*registered`: whether it was tried. */
static int finish_version(struct here *here, size_t version, int status, bool *registered)
{
	int outcome;

	*registered = status != PERUN_CANCELLED && here->registers && *here->run.minor;
	outcome = *registered ? register_profiles(here, version) : PERUN_OK;
	return status ? status : outcome;
}

/* What could not be tried has an outcome, too. */
static void fail_cells(struct here *here, size_t version, int status)
{
	size_t each = here->cells->points * here->cells->jobs;

	if (status == PERUN_CANCELLED || perun_cancelled(here->run.ctx))
		return;
	for (size_t cell = version * each; cell < (version + 1) * each; cell++)
		if (!here->done[cell])
			here_fail(here, cell + 1, status);
}

static void forget_version(struct here *here)
{
	if (here->run.log >= 0)
		close(here->run.log);
	here->run.log = -1;
	perun_free(here->run.log_path);
	here->run.log_path = NULL;
	here->run.directory = NULL;
	perun_free(here->run.built_in);
	here->run.built_in = NULL;
}

/* ---- a version ------------------------------------------------------------------------------- */

static struct perun_json *facts_of(const struct here *here)
{
	struct perun_json *facts = perun_json_object();

	perun_json_set(facts, "version", perun_json_text(here->run.minor));
	perun_json_set(facts, "directory", perun_json_text(here->run.directory));
	return facts;
}

static void add_outcome(const struct here *here, struct perun_json *facts, size_t failed,
			int status)
{
	struct perun_json *paths = perun_json_array();
	struct perun_buffer text = {0};

	for (size_t i = 0; i < here->pending_count; i++) {
		perun_json_append(paths, perun_json_text(here->pending[i].path));
		perun_buffer_printf(&text, "%s%s", i ? "\n" : "", here->pending[i].path);
	}
	perun_json_set(facts, "profiles", perun_json_text(text.data ? text.data : ""));
	perun_json_set(facts, "paths", paths);
	perun_json_set(facts, "failed", perun_json_int64((int64_t)failed));
	perun_json_set(facts, "status",
		       perun_json_int64(status   ? status
					: failed ? here->worst
						 : PERUN_OK));
	perun_buffer_free(&text);
}

/* Now that the generators ran it is known how much there is. */
static void count(struct here *here, const struct run_workloads *workloads)
{
	size_t jobs = here->cells->jobs / workloads->planned * workloads->count;

	here->total = here->cells->versions.count * here->cells->points * jobs;
}

/* The cells of a version, as the executor comes to them. */
struct measuring {
	struct here *here;
	const struct run_workloads *workloads;
	int status;
};

static bool measure_cell(void *data, uint64_t number)
{
	struct measuring *measuring = data;
	struct here *here = measuring->here;

	measuring->status = here_measure(here, (size_t)number, measuring->workloads);
	here->done[number - 1] = true;
	return measuring->status == PERUN_OK;
}

/* What is not done goes to the executor. */
static int perform_cells(struct here *here, size_t version, const struct run_workloads *workloads)
{
	size_t each = here->cells->points * here->cells->jobs, count = 0;
	uint64_t *numbers = perun_alloc(each * sizeof *numbers);
	struct measuring measuring = {.here = here, .workloads = workloads};
	int status = PERUN_OK;

	for (size_t cell = version * each; cell < (version + 1) * each; cell++)
		if (!here->done[cell])
			numbers[count++] = cell + 1;
	here->begun += each - count;
	if (count)
		status = cells_executor_perform(here->run.ctx, here->cells, false, numbers, count,
						measure_cell, &measuring);
	perun_free(numbers);
	return measuring.status ? measuring.status : status;
}

static int measure_cells(struct here *here, size_t version)
{
	struct run_workloads workloads;
	int status = run_workloads_open(&here->run, here->run.directory, &workloads);

	if (status)
		return status;
	status = cells_check_workloads(
		here->run.ctx, &workloads,
		perun_json_count(perun_json_get(here->cells->document, "workload_names")));
	if (!status) {
		count(here, &workloads);
		status = perform_cells(here, version, &workloads);
	}
	run_workloads_close(&workloads);
	return status;
}

/*
 * All cells of a version where the run is, between the hooks. post_run gets the names that the profiles had before they were
 * registered, and runs after a failure as well.
 */
static int measure_in(struct here *here, size_t version)
{
	struct perun_json *facts = facts_of(here);
	size_t failed = here->failed;
	bool registered;
	int status = cells_hook(&here->run, here->cells, "pre_run", facts);

	if (!status)
		status = measure_cells(here, version);
	status = finish_version(here, version, status, &registered);
	if (status != PERUN_CANCELLED) {
		add_outcome(here, facts, here->failed - failed, status);
		here->hooks_failed += !cells_hook_try(&here->run, here->cells, "post_run", facts);
	}
	keep_results(here, registered);
	perun_json_free(facts);
	return status;
}

/* Nothing is to be measured; but what was may not be registered yet. */
static int skip(struct here *here, size_t version)
{
	bool registered;
	int status = finish_version(here, version, PERUN_OK, &registered);

	here->begun += here->cells->points * here->cells->jobs;
	keep_results(here, registered);
	return status;
}

static bool has_work(const struct here *here, size_t version)
{
	size_t each = here->cells->points * here->cells->jobs;

	for (size_t cell = version * each; cell < (version + 1) * each; cell++)
		if (!here->done[cell])
			return true;
	return false;
}

/* ---- in files of its own --------------------------------------------------------------------- */

/* Files of a version that was built, for one run to write into. */
static int copy_build(struct here *here, size_t version, struct perun_worktree *tree)
{
	struct run *run = &here->run;
	char *base = cells_build_path(here->cells, version);
	char *root = perun_format("%s/tree", tree->base.path);
	char *variable = perun_format("PERUN_COPY=%s", root);
	const char *const environment[] = {variable, NULL};
	struct perun_shell copy = {
		.command = "cp -a tree \"$PERUN_COPY\" && chmod -R u+w \"$PERUN_COPY\"",
		.directory = base,
		.log = run->log,
		.environment = environment};
	int code = 0, status = perun_shell_run(run->ctx, &copy, &code);

	if (!status && code != 0)
		status = perun_fail(run->ctx, PERUN_INPUT,
				    "cannot copy %s/tree to %s; %s has the reason", base, root,
				    run->log_path);
	if (!status) {
		char *built = perun_format("%s/tree", base);

		tree->directory = cells_directory_in(here->cells, root);
		run->built_in = cells_directory_in(here->cells, built);
		perun_free(built);
	}
	perun_free(variable);
	perun_free(root);
	perun_free(base);
	return status;
}

/* A build, as the executor comes to it. */
struct building {
	struct here *here;
	const struct perun_preparation *place;
	int *use, status;
};

static bool build_version(void *data, uint64_t version)
{
	struct building *building = data;
	struct here *here = building->here;

	building->status = cells_build_inline(here->run.ctx, here->run.store, here->cells,
					      (size_t)version, building->place, building->use);
	return building->status == PERUN_OK;
}

/* A version is built once for all runs; programs and hooks may write into a copy. */
static int open_build(struct here *here, size_t version, const struct perun_preparation *place,
		      struct perun_worktree *tree, int *use)
{
	struct perun_ctx *ctx = here->run.ctx;
	struct building building = {.here = here, .place = place, .use = use};
	const uint64_t number = version;
	int status;

	*tree = (struct perun_worktree){.base.lock = -1};
	status = cells_executor_perform(ctx, here->cells, true, &number, 1, build_version,
					&building);
	status = building.status ? building.status : status;
	if (!status)
		status = perun_scratch_make(ctx, "perun-version", &tree->base);
	if (!status)
		status = copy_build(here, version, tree);
	if (status)
		perun_worktree_close(tree);
	return status;
}

static int open_tree(struct here *here, size_t version, const struct perun_preparation *place,
		     struct perun_worktree *tree, int *use)
{
	struct run *run = &here->run;
	int status;

	if (run->options.in_place)
		return perun_worktree_here(run->ctx, run->store, place, tree);
	status = cells_build_has_commands(here->cells)
			 ? open_build(here, version, place, tree, use)
			 : perun_worktree_open(run->ctx, run->store, place, tree);
	if (status == PERUN_MISSING)
		perun_fail(run->ctx, PERUN_OK, "cannot measure a version elsewhere%s",
			   perun_advice(PERUN_ADVICE_IN_PLACE));
	return status;
}

static int measure_apart(struct here *here, size_t version)
{
	struct run *run = &here->run;
	struct perun_preparation place = {.version = run->minor, .listener = run->options.listener};
	struct perun_worktree tree;
	int use = -1, status;

	place.log = run->log = perun_log_open(run->store, run->minor, "precollect", &run->log_path);
	place.log_path = run->log_path;
	perun_run_notify(&run->options.listener, (struct perun_run_event){.kind = PERUN_RUN_VERSION,
									  .version = run->minor});
	status = open_tree(here, version, &place, &tree, &use);
	if (!status) {
		run->directory = tree.directory;
		status = measure_in(here, version);
		perun_worktree_close(&tree);
	}
	if (use >= 0)
		close(use);
	return status;
}

/* ---- the user's work tree as it is ----------------------------------------------------------- */

static int measure_as_is(struct here *here, size_t version)
{
	struct run *run = &here->run;
	bool dirty = false;
	int status = PERUN_OK;

	run->directory = here->cells->directory;
	if (!run->options.dirty && *run->minor)
		status = perun_vcs_is_dirty(run->ctx, run->vcs, &dirty);
	if (!status && dirty)
		perun_warn(run->ctx,
			   "the work tree has uncommitted changes: the profiles will count as "
			   "measured at %.8s%s",
			   run->minor, perun_advice(PERUN_ADVICE_MEASURE_VERSION));
	if (status)
		return status;
	run->log = perun_log_open(run->store, *run->minor ? run->minor : "worktree", "precollect",
				  &run->log_path);
	return measure_in(here, version);
}

int here_measure_version(struct here *here, size_t version)
{
	int status;

	here->run.minor = here->cells->versions.items[version];
	if (!has_work(here, version))
		return skip(here, version);
	status = (here->apart ? measure_apart : measure_as_is)(here, version);
	if (status)
		fail_cells(here, version, status);
	forget_version(here);
	return status;
}
