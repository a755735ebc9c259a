/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring a plan in this process: its versions one after the other, and their cells. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/advice.h>
#include <perun/lib/path.h>
#include <perun/vcs.h>

#include "core/cells/here.h"
#include "core/context/structs.h"

/* ---- whose run it is ------------------------------------------------------------------------- */

#define LOCK  "measuring" /* locked by who measures, whose number is in it */
#define ENDED "ended"     /* or this, when a run came to its end */

static void write_lock(const struct perun_run_cells *cells, const char *text)
{
	if (cells->measuring >= 0 && ftruncate(cells->measuring, 0) == 0 &&
	    pwrite(cells->measuring, text, strlen(text), 0) < 0)
		errno = 0; /* it can be measured all the same */
}

/* Also `*facts` of the file. */
static void read_lock(const struct perun_run_cells *cells, char text[32], struct stat *facts)
{
	char *path = cells_file(cells, LOCK);
	int file = perun_path_open(path, O_RDONLY | O_NONBLOCK, 0);
	ssize_t length = file >= 0 && fstat(file, facts) == 0 ? read(file, text, 31) : 0;

	text[length > 0 ? length : 0] = '\0';
	if (file >= 0)
		close(file);
	perun_free(path);
}

bool cells_lock_inline(struct perun_run_cells *cells)
{
	char *path = cells_file(cells, LOCK);

	cells->measuring = perun_path_open_locked(path, O_CREAT, LOCK_EX);
	perun_free(path);
	return cells->measuring >= 0;
}

bool cells_is_measured(const struct perun_run_cells *cells)
{
	char *path = cells_file(cells, LOCK);
	int lock = perun_path_open_locked(path, 0, LOCK_SH);
	bool busy = lock < 0 && errno == EWOULDBLOCK;

	if (lock >= 0)
		close(lock);
	perun_free(path);
	return busy;
}

int cells_cancel_inline(struct perun_ctx *ctx, const struct perun_run_cells *cells)
{
	struct stat facts = {0};
	char text[32];
	long process;

	read_lock(cells, text, &facts);
	process = strtol(text, NULL, 10);
	/* A file of somebody else names nobody whom we would end. */
	if (process > 1 && facts.st_uid == geteuid() && cells_is_measured(cells) &&
	    kill((pid_t)process, SIGTERM) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot end process %ld", process);
	return PERUN_OK;
}

int cells_join_inline(struct perun_ctx *ctx, const struct perun_run_cells *cells, int *lock)
{
	bool in_place = false;
	char *path;

	*lock = -1;
	if (!cells->inlined)
		return PERUN_OK;
	perun_json_as_bool(perun_json_get(cells->document, "in_place"), &in_place);
	/* Which version is checked out there is known to that command alone. */
	if (in_place)
		return cells_refuse_inline(ctx, cells);
	path = cells_file(cells, LOCK);
	*lock = perun_path_open_locked(path, 0, LOCK_SH);
	perun_free(path);
	return *lock < 0 && errno == EWOULDBLOCK
		       ? perun_fail(ctx, PERUN_INPUT, "the run %s is being measured", cells->id)
		       : PERUN_OK;
}

int cells_refuse_inline(struct perun_ctx *ctx, const struct perun_run_cells *cells)
{
	return cells->inlined
		       ? perun_fail(ctx, PERUN_USAGE,
				    "the run %s is measured by the command that planned it%s",
				    cells->id, perun_advice(PERUN_ADVICE_RESUME))
		       : PERUN_OK;
}

/* How many measurements are done, and whether those of all cells are. */
static size_t count_done(struct perun_store *store, const struct perun_run_cells *cells, bool *all)
{
	size_t finished = 0;

	*all = true;
	for (size_t i = 1; i <= perun_run_cells_count(cells); i++) {
		bool ended, done;
		struct perun_json *found = here_found(store, cells, i, &ended, &done);

		finished += perun_json_count(found);
		*all &= done;
		perun_json_free(found);
	}
	return finished;
}

bool cells_go_on(struct perun_ctx *ctx, struct perun_store *store, struct perun_run_cells *cells,
		 bool resume)
{
	struct stat facts;
	char text[32];
	bool ended, all;
	size_t finished = count_done(store, cells, &all);

	read_lock(cells, text, &facts);
	ended = strcmp(text, ENDED) == 0;
	if ((ended && all) || !cells_lock_inline(cells))
		return false;
	if (!resume && !ended && finished)
		perun_note(ctx, "a run of the same was interrupted after %zu measurement%s%s",
			   finished, finished == 1 ? "" : "s",
			   perun_advice(PERUN_ADVICE_RESUMABLE));
	return resume;
}

/* ---- what is to be done ---------------------------------------------------------------------- */

static bool is_set(struct here *here, const char *key)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *text = NULL;
	bool is = !perun_config_get(quiet, here->run.store, PERUN_CONFIG_NEAREST, key, &text) &&
		  text &&
		  (!strcasecmp(text, "true") || !strcasecmp(text, "yes") ||
		   !strcasecmp(text, "on") || !strcmp(text, "1"));

	perun_free(text);
	perun_ctx_free(quiet);
	return is;
}

/* Whether there is but one measurement, as far as is known: its failure is that of the run. */
static void look_at_workloads(struct here *here, bool *open)
{
	struct run_workloads workloads;

	*open = false;
	here->only = true;
	if (run_workloads_open(&here->run, NULL, &workloads)) {
		perun_ctx_clear(here->run.ctx);
		return;
	}
	*open = workloads.open;
	here->only = !workloads.open && perun_run_cells_count(here->cells) == 1;
	here->sweeps = workloads.open;
	for (size_t i = 0; i < workloads.count; i++)
		here->sweeps |= workloads.items[i].sweep != NULL;
	run_workloads_close(&workloads);
}

/* What earlier sessions did, and what versions have profiles of. */
static int find_done(struct here *here, bool open)
{
	const struct perun_run_options *options = &here->run.options;
	size_t all = perun_run_cells_count(here->cells);
	int status = PERUN_OK;

	here->done = perun_alloc_zero(all, sizeof *here->done);
	for (size_t i = 0; here->result->resumed && i < all; i++) {
		bool ended;
		struct perun_json *found =
			here_found(here->run.store, here->cells, i + 1, &ended, &here->done[i]);

		here->result->kept += here->done[i] ? perun_json_count(found) : 0;
		perun_json_free(found);
	}
	for (size_t i = 0; !status && options->has_profile && !open && i < all; i++) {
		struct perun_run_job job = {.struct_size = sizeof job};
		struct perun_cell cell;

		perun_cell_describe(here->cells, i + 1, &cell);
		job.command = cell.command;
		job.arguments = cell.arguments;
		job.workload = cell.workload;
		job.collector = cell.collector;
		status = options->has_profile(options->data, cell.version, &job, &here->done[i]);
		perun_cell_free(&cell);
	}
	return status;
}

static int prepare(struct here *here)
{
	struct run *run = &here->run;
	char number[32];
	bool open, all;
	int status = perun_store_vcs(run->ctx, run->store, &run->vcs);

	if (status)
		return status;
	snprintf(number, sizeof number, "%ld", (long)getpid());
	write_lock(here->cells, number);
	here->registers = run->options.registers || is_set(here, "profiles.register_after_run");
	perun_json_as_bool(perun_json_get(here->cells->document, "apart"), &here->apart);
	look_at_workloads(here, &open);
	if (here->result->resumed)
		perun_run_notify(&run->options.listener,
				 (struct perun_run_event){
					 .kind = PERUN_RUN_RESUMED,
					 .count = count_done(run->store, here->cells, &all)});
	return find_done(here, open);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int measure_versions(struct here *here)
{
	const struct perun_words *versions = &here->cells->versions;
	struct perun_ctx *ctx = here->run.ctx;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < versions->count; i++) {
		status = here_measure_version(here, i);
		if (!status || versions->count == 1 || status == PERUN_CANCELLED ||
		    perun_cancelled(ctx))
			continue;
		/* A version that does not build must not keep the others from being measured. */
		perun_warn(ctx, "%.8s is left out: %s", versions->items[i], perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		here->worst = here->worst ? here->worst : status;
		here->left_out++;
		status = PERUN_OK;
	}
	return status;
}

/*
 * In the user's own work tree, because it was asked for: what is there is put aside, and brought back
 * whatever happens; after a kill perun recover does so.
 */
static int measure_in_place(struct here *here)
{
	struct perun_ctx *ctx = here->run.ctx, *quiet;
	char *state = NULL;
	bool saved = false;
	int status = perun_vcs_save_state(ctx, here->run.vcs, &saved, &state), outcome;

	if (status)
		return status;
	status = measure_versions(here);
	/* What failed so far is not to hide that this failed; and an interruption is not to stop it. */
	quiet = perun_ctx_new(NULL);
	outcome = perun_vcs_restore_state(quiet, here->run.vcs, saved, state);
	if (outcome && !status)
		status = perun_fail(ctx, outcome, "%s", perun_ctx_error(quiet));
	else if (outcome)
		perun_warn(ctx, "%s", perun_ctx_error(quiet));
	perun_ctx_free(quiet);
	perun_free(state);
	return status;
}

static int count_failures(const struct here *here)
{
	struct perun_buffer text = {0};
	int status;

	if (here->failed)
		perun_buffer_printf(&text, "%zu of %zu measurements failed", here->failed,
				    here->jobs);
	if (here->left_out)
		perun_buffer_printf(&text, "%s%zu of %zu versions could not be measured",
				    here->failed ? ", " : "", here->left_out,
				    here->cells->versions.count);
	if (here->hooks_failed)
		perun_buffer_printf(&text, "%s%zu hook%s failed", text.length ? ", " : "",
				    here->hooks_failed, here->hooks_failed == 1 ? "" : "s");
	status = text.length ? perun_fail(here->run.ctx, here->worst ? here->worst : PERUN_INPUT,
					  "%s", text.data)
			     : PERUN_OK;
	perun_buffer_free(&text);
	return status;
}

/* What was saved before the interruption stays; say how to go on. */
static void note_interruption(const struct here *here)
{
	size_t kept = here->result->kept + here->saved;

	if (!here->run.options.has_profile && (!here->only || here->sweeps) &&
	    (kept || here->sweeps))
		perun_note(here->run.ctx, "%zu of %zu profiles are kept%s", kept,
			   here->total > kept ? here->total : kept,
			   perun_advice(PERUN_ADVICE_RESUME));
}

/* What is left of a run that is locked by us. */
static int measure(struct perun_ctx *ctx, struct perun_store *store, struct perun_run_cells *cells,
		   const struct perun_run_options *options, bool resumed,
		   struct perun_run_result *result)
{
	struct here here = {.run = {.ctx = ctx, .store = store, .plan = cells->plan, .log = -1},
			    .cells = cells,
			    .result = result};
	int status;

	here.run.options = *options;
	result->resumed = resumed;
	status = prepare(&here);
	if (!status)
		status = (here.apart && options->in_place ? measure_in_place
							  : measure_versions)(&here);
	if (status == PERUN_CANCELLED || perun_cancelled(ctx))
		note_interruption(&here);
	else
		write_lock(cells, ENDED);
	if (!status)
		status = count_failures(&here);
	if (cells->measuring >= 0)
		close(cells->measuring);
	cells->measuring = -1;
	perun_free(here.last_failure);
	perun_free(here.pending);
	perun_free(here.done);
	return status;
}

/* Earlier versions of this program kept journals, which it does not read any more. */
static bool has_journals(const struct perun_store *store)
{
	char *path = perun_format("%s/tmp/runs", perun_store_path(store));
	struct perun_words names = {0};
	bool any = cells_list_directory(path, &names) && names.count;

	perun_words_free(&names);
	perun_free(path);
	return any;
}

int perun_run(struct perun_ctx *ctx, struct perun_store *store, const struct perun_plan *plan,
	      const struct perun_run_options *given, struct perun_run_result **result)
{
	struct perun_run_cells_options how = {.struct_size = sizeof how};
	struct perun_run_options options;
	struct perun_run_cells *cells = NULL;
	bool resumed = false;
	int status;

	PERUN_STRUCT_TAKE(&options, given);
	how.parents = options.parents;
	how.resume = options.resume;
	*result = perun_alloc_zero(1, sizeof **result);
	status = cells_plan(ctx, store, plan, &how, &options, &cells, &resumed);
	if (!status && options.resume && !resumed)
		perun_note(ctx, "no matching interrupted run; starting over%s",
			   has_journals(store) ? " (what an earlier perun left in .perun/tmp/runs "
						 "cannot be gone on with)"
					       : "");
	if (!status)
		status = measure(ctx, store, cells, &options, resumed, *result);
	/* What fills gaps is nobody's run to look at. */
	if (cells && options.has_profile)
		perun_path_remove_tree(cells->path);
	perun_run_cells_free(cells);
	return status;
}

int perun_run_cells_measure(struct perun_ctx *ctx, struct perun_store *store,
			    struct perun_run_cells *cells,
			    const struct perun_run_listener *listener,
			    struct perun_run_result **result)
{
	const struct perun_json *document = cells->document;
	struct perun_run_options options = {.struct_size = sizeof options, .dirty = true};
	const char *directory = perun_json_get_text(document, "directory"),
		   *name_template = perun_json_get_text(document, "template");
	char *current = perun_current_directory();
	bool done = false;
	int status = PERUN_OK;

	*result = perun_alloc_zero(1, sizeof **result);
	if (listener)
		options.listener = *listener;
	options.name_template = *name_template ? name_template : NULL;
	perun_json_as_bool(perun_json_get(document, "in_place"), &options.in_place);
	if (!cells->inlined)
		status = perun_fail(ctx, PERUN_USAGE, "an executor measures the run %s", cells->id);
	else if (strcmp(current, directory) != 0)
		status = perun_fail(ctx, PERUN_USAGE, "the run %s is one of the directory %s",
				    cells->id, directory);
	/* Of a single measurement it is not recorded who planned it, and nothing is left to do of one that is done. */
	if (!status && cells_require_trust(ctx, cells)) {
		status = perun_ctx_status(ctx);
		if (perun_run_cells_count(cells) == 1) {
			perun_ctx_clear(ctx);
			(*result)->kept = count_done(store, cells, &done);
			status = done ? PERUN_OK : cells_refuse_inline(ctx, cells);
		}
	}
	if (!status && !done && !cells_lock_inline(cells))
		status = perun_fail(ctx, PERUN_INPUT, "the run %s is being measured", cells->id);
	if (!status && !done)
		status = measure(ctx, store, cells, &options, true, *result);
	perun_free(current);
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
