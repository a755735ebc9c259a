/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell that this process measures: its profiles become pending ones. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/lib/path.h>

#include "core/cells/here.h"
#include "core/context/clock.h"
#include "core/path/write.h"

/*
 * In cells/K: `saving.json` has the names of profiles before they get their places among the pending ones, and becomes
 * `done.json` when nothing is left to do. What a kill left between the two is understood: the files are compared with it.
 */
/* Rows of the profiles that are in memory until they are registered. */
#define MAX_KEPT_ROWS ((size_t)1000000)

/* ---- what was saved before ------------------------------------------------------------------- */

bool here_is_pending(struct perun_store *store, const struct perun_json *entry, char **path)
{
	const char *name = perun_json_get_text(entry, "name");
	struct perun_buffer text = {0};
	bool same;

	*path = perun_format("%s/jobs/%s", perun_store_path(store), name);
	same = *name && !strchr(name, '/') &&
	       cells_read_checked(*path, perun_json_get_text(entry, "checksum"), &text);
	perun_buffer_free(&text);
	return same;
}

/* Whether it was registered since: by its name in the index of its version. */
static bool is_registered(struct perun_store *store, const char *minor, const char *name)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_entries entries = {0};
	bool found = false;

	if (*minor && perun_store_has_index(quiet, store, minor) &&
	    perun_store_entries(quiet, store, minor, &entries) == PERUN_OK) {
		for (size_t i = 0; i < entries.count; i++)
			found |= strcmp(entries.items[i].path, name) == 0;
		perun_entries_free(&entries);
	}
	perun_ctx_free(quiet);
	return found;
}

/* Of the profiles that saving.json names, those that came to their places. */
static struct perun_json *settle(struct perun_store *store, const struct perun_run_cells *cells,
				 size_t number, const struct perun_json *named)
{
	const char *minor = cells->versions.items[cells_place_of(cells, number).version];
	struct perun_json *found = perun_json_object();

	for (size_t i = 0; i < perun_json_count(named); i++) {
		const struct perun_json *entry = perun_json_at(named, i);
		char *path;

		if (here_is_pending(store, entry, &path) ||
		    is_registered(store, minor, perun_json_get_text(entry, "name")))
			perun_json_set(found, perun_json_key_at(named, i, NULL),
				       perun_json_clone(entry));
		perun_free(path);
	}
	return found;
}

struct perun_json *here_found(struct perun_store *store, const struct perun_run_cells *cells,
			      size_t number, bool *ended, bool *done)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *outcome = NULL, *found;
	int64_t failed = PERUN_INPUT;
	char *path;

	*ended = cells_outcome(quiet, cells, number, &outcome) == PERUN_OK;
	perun_json_as_int64(perun_json_get(outcome, "exit"), &failed);
	*done = *ended && !failed;
	if (*ended) {
		found = perun_json_get(outcome, "pending")
				? perun_json_clone(perun_json_get(outcome, "pending"))
				: perun_json_object();
	} else {
		path = perun_format("%s/cells/%zu/" CELLS_SAVING, cells->path, number);
		if (cells_read(quiet, path, CELLS_MAX_SAVING, &outcome))
			outcome = NULL;
		found = settle(store, cells, number, perun_json_get(outcome, "pending"));
		perun_free(path);
	}
	perun_json_free(outcome);
	perun_ctx_free(quiet);
	return found;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static bool is_single(const struct here *here)
{
	return here->only && !here->sweeps;
}

/* A profile gets its place as soon as this returns. Of a single one nothing is left to go on with. */
static int note_saving(void *data, struct perun_ctx *ctx, const char *name, const char *text,
		       size_t length)
{
	struct cells_attempt *attempt = data;
	const struct here *here = attempt->data;
	struct perun_json *entry = perun_json_object();
	char *path, checksum[PERUN_CHECKSUM_SIZE];
	int status;

	perun_sha_of(text, length, checksum);
	perun_json_set(entry, "name", perun_json_text(name));
	perun_json_set(entry, "checksum", perun_json_text(checksum));
	perun_json_set(perun_json_get(attempt->outcome, "pending"), attempt->names->workload,
		       entry);
	if (is_single(here))
		return PERUN_OK;
	path = perun_format("%s/" CELLS_SAVING, attempt->folder);
	cells_end(attempt, PERUN_OK);
	status = cells_write(ctx, path, attempt->outcome);
	perun_free(path);
	return status;
}

static void notify(const struct here *here, const struct cells_attempt *attempt,
		   struct perun_run_event event)
{
	event.job = attempt->names;
	event.version = here->run.minor;
	perun_run_notify(&here->run.options.listener, event);
}

/* What will be registered when the version is done stays in memory until then, if it is not too much. */
static void keep_in_memory(struct here *here, struct perun_profile *profile,
			   struct perun_saved *saved)
{
	size_t rows = perun_table_rows(perun_resources(profile));

	if (!here->registers || rows > MAX_KEPT_ROWS - here->kept_rows)
		return;
	here->kept_rows += rows;
	saved->profile = perun_profile_ref(profile);
}

static int keep_pending(struct cells_attempt *attempt, struct perun_profile *profile, char **path)
{
	struct here *here = attempt->data;
	struct perun_saved saved;
	int status =
		perun_store_save(here->run.ctx, here->run.store, profile,
				 here->run.options.name_template, note_saving, attempt, &saved);

	if (status) {
		perun_json_remove(perun_json_get(attempt->outcome, "pending"),
				  attempt->names->workload);
		return status;
	}
	keep_in_memory(here, profile, &saved);
	PERUN_GROW(here->pending, here->pending_count, here->pending_capacity);
	here->pending[here->pending_count++] = saved;
	here->saved++;
	*path = perun_strdup(saved.path);
	notify(here, attempt,
	       (struct perun_run_event){
		       .kind = PERUN_RUN_SAVED, .path = saved.path, .profile = profile});
	return PERUN_OK;
}

/* ---- around it ------------------------------------------------------------------------------- */

static void announce(struct cells_attempt *attempt)
{
	struct here *here = attempt->data;
	struct perun_run_event event = {.kind = PERUN_RUN_JOB, .seconds_left = NAN};

	if (here->total > 1) {
		event.number = here->begun;
		event.count = here->total;
	}
	if (here->timed)
		event.seconds_left =
			here->spent / (double)here->timed *
			(double)(here->total >= here->begun ? here->total - here->begun + 1 : 1);
	notify(here, attempt, event);
}

/* "./prog -x in.txt" */
static char *line_of(const struct cells_attempt *attempt, const char *workload)
{
	const struct perun_cell *cell = &attempt->cell;

	return perun_format("%s%s%s%s%s", cell->command, *cell->arguments ? " " : "",
			    cell->arguments, *workload ? " " : "", workload);
}

/* A line of the version's log. */
static void log_outcome(const struct here *here, const struct cells_attempt *attempt,
			const char *line, double seconds, int status)
{
	const char *outcome = status ? perun_ctx_error(here->run.ctx) : NULL;

	if (!outcome)
		outcome = here->pending_count
				  ? strrchr(here->pending[here->pending_count - 1].path, '/') + 1
				  : "failed";
	if (here->run.log >= 0)
		dprintf(here->run.log, "perun: %s of %s: %s (%.3f s)\n", attempt->cell.collector,
			line, outcome, seconds);
}

/* What fails at each of many versions for one reason is described once. */
static void warn_failure(struct here *here, const char *line)
{
	char *failure = perun_format("%s: %s", line, perun_ctx_error(here->run.ctx));

	if (here->last_failure && strcmp(here->last_failure, failure) == 0)
		perun_warn(here->run.ctx, "%s: failed at %.8s for the same reason", line,
			   here->run.minor);
	else
		perun_warn(here->run.ctx, "%s", failure);
	perun_free(here->last_failure);
	here->last_failure = failure;
}

/*
 * One measurement that fails does not keep the others from being done: with several, the reason becomes a warning.
 * Interruption ends all.
 */
static int note_outcome(struct here *here, const char *line, int status)
{
	here->jobs++;
	if (!status)
		return PERUN_OK;
	if (status == PERUN_CANCELLED || perun_cancelled(here->run.ctx))
		return PERUN_CANCELLED;
	here->failed++;
	here->worst = here->worst ? here->worst : status;
	if (here->only)
		return status;
	warn_failure(here, line);
	perun_ctx_clear(here->run.ctx);
	return PERUN_OK;
}

/* Whether the version has a profile of it. What generators make is known only now. */
static int is_there(struct here *here, const struct cells_attempt *attempt, const char *label,
		    bool *there)
{
	const struct perun_run_job names = {.struct_size = sizeof names,
					    .command = attempt->cell.command,
					    .arguments = attempt->cell.arguments,
					    .workload = label,
					    .collector = attempt->cell.collector};

	*there = false;
	return here->run.options.has_profile
		       ? here->run.options.has_profile(here->run.options.data, here->run.minor,
						       &names, there)
		       : PERUN_OK;
}

/* ---- a cell ---------------------------------------------------------------------------------- */

/* `*outcome`: how it ended, where it was done; the worst of several. */
static int measure_one(struct here *here, struct cells_attempt *attempt,
		       const struct run_workload *workload, const char *label, int *outcome)
{
	bool there;
	char *line;
	int status = is_there(here, attempt, label, &there);
	double began = clock_now(), seconds;

	here->begun++;
	*outcome = *outcome ? *outcome : status;
	if (status || there)
		return status;
	if (perun_json_get(perun_json_get(attempt->outcome, "pending"), label)) {
		here->result->kept++;
		return PERUN_OK;
	}
	line = line_of(attempt, label);
	status = cells_measure(attempt, workload);
	seconds = clock_now() - began;
	here->spent += seconds;
	here->timed++;
	log_outcome(here, attempt, line, seconds, status);
	/* What was kept is an outcome, whatever a postprocessor made of it. */
	if (status && !*outcome &&
	    !perun_json_get(perun_json_get(attempt->outcome, "pending"), label)) {
		*outcome = status;
		perun_json_set(attempt->outcome, "reason",
			       perun_json_text(perun_ctx_error(here->run.ctx)));
	}
	status = note_outcome(here, line, status);
	perun_free(line);
	return status;
}

/* done.json takes the place of saving.json, which `whole` says says the same. */
static int finish(struct cells_attempt *attempt, int outcome, bool whole)
{
	char *path = perun_format("%s/" CELLS_SAVING, attempt->folder);
	char *done = perun_format("%s/done.json", attempt->folder);
	int written = PERUN_OK;

	if (!whole || perun_path_rename(path, done) != 0) {
		written = cells_write_outcome(attempt, outcome);
		if (!written)
			perun_path_unlink(path);
	}
	perun_free(path);
	perun_free(done);
	return written;
}

int here_measure(struct here *here, size_t number, const struct run_workloads *workloads)
{
	struct cells_attempt attempt = {.data = here, .begins = announce, .keep = keep_pending};
	size_t saved = here->saved;
	int outcome = PERUN_OK, status;
	bool ended, done, made;

	cells_attempt_begin(&attempt, &here->run, here->cells, number);
	perun_json_set(attempt.outcome, "pending",
		       here->result->resumed
			       ? here_found(here->run.store, here->cells, number, &ended, &done)
			       : perun_json_object());
	status = path_make_directories(here->run.ctx, attempt.folder);
	made = !status;
	for (size_t i = 0; !status && i < workloads->count; i++) {
		char *label;

		if (workloads->items[i].planned != cells_workload(&attempt))
			continue;
		label = cells_label(&attempt, &workloads->items[i]);
		status = measure_one(here, &attempt, &workloads->items[i], label, &outcome);
		perun_free(label);
	}
	if (made && status != PERUN_CANCELLED && !perun_cancelled(here->run.ctx)) {
		int written = finish(&attempt, outcome,
				     !outcome && here->saved > saved && !is_single(here));

		status = status ? status : written;
	}
	here->hooks_failed += attempt.hooks_failed;
	cells_attempt_end(&attempt);
	return status;
}

void here_fail(struct here *here, size_t number, int status)
{
	struct cells_attempt attempt = {0};
	struct run run = here->run;
	bool ended, done;

	cells_attempt_begin(&attempt, &run, here->cells, number);
	perun_json_set(attempt.outcome, "pending",
		       here_found(here->run.store, here->cells, number, &ended, &done));
	perun_json_set(attempt.outcome, "reason", perun_json_text(perun_ctx_error(run.ctx)));
	run.ctx = perun_ctx_new(NULL);
	if (!ended && path_make_directories(run.ctx, attempt.folder) == PERUN_OK)
		finish(&attempt, status, false);
	perun_ctx_free(run.ctx);
	cells_attempt_end(&attempt);
}
