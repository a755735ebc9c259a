/* SPDX-License-Identifier: BSD-3-Clause */
/* Handing cells to executors, once and again, and waiting for them. */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "core/cells/cells.h"
#include "core/context/clock.h"

/* ---- what is handed over ------------------------------------------------------------------------- */

/* How a cell is to be handed over now: 0 = not at all, else the factor of its limit of time. */
typedef double wants(const struct perun_run_cells *cells, const struct cells_survey *survey,
		     size_t at);

static double wants_first(const struct perun_run_cells *cells, const struct cells_survey *survey,
			  size_t at)
{
	(void)cells;
	return survey->status.cells[at].state == PERUN_CELL_PLANNED ? 1 : 0;
}

static double wants_again(const struct perun_run_cells *cells, const struct cells_survey *survey,
			  size_t at)
{
	enum perun_cell_state state = survey->status.cells[at].state;

	(void)cells;
	return state == PERUN_CELL_PLANNED || state == PERUN_CELL_LOST || state == PERUN_CELL_FAILED
		       ? 1
		       : 0;
}

/*
 * Without being asked: a machine that failed is no reason of the program, and a limit of time may have been too low
 * once. What else ends without an outcome, would again.
 */
static double wants_retry(const struct perun_run_cells *cells, const struct cells_survey *survey,
			  size_t at)
{
	const struct perun_cell_status *cell = &survey->status.cells[at];

	if (cell->state != PERUN_CELL_LOST)
		return 0;
	if (survey->last[at] == PERUN_EXECUTOR_NODE_FAILED)
		return cell->attempts <= cells->retries ? survey->factor[at] : 0;
	return survey->last[at] == PERUN_EXECUTOR_TIMED_OUT && survey->factor[at] < 2 &&
			       cells->retries
		       ? 2
		       : 0;
}

struct submission {
	struct perun_ctx *ctx;
	struct perun_run_cells *cells;
	struct cells_batches *batches;
	const struct cells_survey *survey;
	wants *wants;
	size_t submitted;
	bool *counts; /* of each collector of the plan */
};

/* What cannot be asked here takes times. */
static void find_counting(struct submission *submission)
{
	const struct perun_modules *collectors =
		&submission->cells->plan->units[PERUN_PLAN_COLLECTORS];
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	submission->counts = perun_alloc_zero(collectors->count + 1, sizeof(bool));
	for (size_t i = 0; i < collectors->count; i++) {
		const struct perun_plugin *plugin;
		struct perun_collect_ops ops;

		if (perun_registry_load(quiet, PERUN_KIND_COLLECT, collectors->items[i].name,
					&plugin))
			continue;
		perun_plugin_ops(plugin, &ops, sizeof ops);
		submission->counts[i] = ops.counts;
	}
	perun_ctx_free(quiet);
}

/* Whether others disturb a cell. */
static bool is_alone(const struct submission *submission, size_t at)
{
	const struct perun_run_cells *cells = submission->cells;
	size_t collectors = cells->plan->units[PERUN_PLAN_COLLECTORS].count;

	return !cells_merging(cells) && !submission->counts[at % cells->jobs % collectors];
}

/* What failed is forgotten, so that it is measured again. */
static int forget_outcome(struct submission *submission, size_t at)
{
	struct perun_run_cells *cells = submission->cells;
	char *path;
	int status = PERUN_OK;

	if (submission->survey->status.cells[at].state != PERUN_CELL_FAILED)
		return PERUN_OK;
	path = perun_format("%s/cells/%zu/done.json", cells->path, at + 1);
	if (perun_path_unlink(path) < 0 && errno != ENOENT && errno != ENOTDIR)
		status = perun_fail_errno(submission->ctx, PERUN_INPUT, errno, "cannot remove %s",
					  path);
	cells->ended[at] = 0;
	perun_free(path);
	return status;
}

/*
 * The intention is written first: should we be killed between the two, the batch is known, without a handle, and its
 * cells are lost, or done.
 */
static int submit_batch(struct submission *submission, const struct cells_batch *after)
{
	struct cells_batches *batches = submission->batches;
	struct perun_ctx *ctx = submission->ctx;
	int status = cells_batches_write(ctx, submission->cells, batches);

	if (!status)
		status = cells_executor_submit(ctx, submission->cells,
					       &batches->items[batches->count - 1], after);
	if (status) /* nobody has it */
		cells_batches_drop_last(batches);
	return status ? status : cells_batches_write(ctx, submission->cells, batches);
}

/* The build that is on its way for a version; NULL where none is. */
static struct cells_batch *find_build(const struct submission *submission, size_t version)
{
	for (size_t i = submission->batches->count; i-- > 0;) {
		struct cells_batch *batch = &submission->batches->items[i];

		if (batch->builds && batch->handle && batch->tasks[0] == version)
			return batch->states[0] == PERUN_EXECUTOR_WAITING ||
					       batch->states[0] == PERUN_EXECUTOR_RUNNING ||
					       batch->unasked
				       ? batch
				       : NULL;
	}
	return NULL;
}

/* `*after`: the number of the batch that builds a version; 0 where it is built. */
static int submit_build(struct submission *submission, size_t version, double factor,
			unsigned *after)
{
	struct cells_batch *build;
	uint64_t *tasks;
	int status;

	*after = 0;
	if (cells_build_state(submission->cells, version, NULL) == CELLS_BUILT)
		return PERUN_OK;
	build = find_build(submission, version);
	if (build) {
		*after = build->number;
		return PERUN_OK;
	}
	tasks = perun_alloc(sizeof *tasks);
	*tasks = version;
	build = cells_batch_add(submission->batches, true, tasks, 1);
	build->factor = factor;
	*after = build->number;
	status = submit_batch(submission, NULL);
	/* Until it is asked, nobody knows more. */
	if (!status)
		submission->batches->items[*after - 1].states[0] = PERUN_EXECUTOR_WAITING;
	return status;
}

/* The cells of a range of versions that go with cell `like`: one executor, one factor, both take times or count. None may be left. */
static int submit_cells(struct submission *submission, size_t first, size_t end, size_t like,
			unsigned after, bool *handed)
{
	struct perun_run_cells *cells = submission->cells;
	size_t point = like / cells->jobs % cells->points;
	double factor = submission->wants(cells, submission->survey, like);
	bool alone = is_alone(submission, like);
	const struct cells_executor *executor = cells_executor(submission->ctx, cells, point);
	size_t each = cells->jobs * cells->points, count = 0, capacity = 0;
	uint64_t *tasks = NULL;
	struct cells_batch *batch;
	int status = executor ? PERUN_OK : perun_ctx_status(submission->ctx);

	for (size_t at = first * each; !status && at < end * each; at++) {
		size_t own = at / cells->jobs % cells->points;

		if (handed[at] || submission->wants(cells, submission->survey, at) != factor ||
		    is_alone(submission, at) != alone ||
		    cells_executor(submission->ctx, cells, own) != executor)
			continue;
		status = forget_outcome(submission, at);
		handed[at] = true;
		PERUN_GROW(tasks, count, capacity);
		tasks[count++] = at + 1;
	}
	if (status || !count) {
		perun_free(tasks);
		return status;
	}
	batch = cells_batch_add(submission->batches, false, tasks, count);
	batch->after = after;
	batch->factor = factor;
	batch->point = point;
	batch->alone = alone;
	status = submit_batch(submission, after ? &submission->batches->items[after - 1] : NULL);
	submission->submitted += status ? 0 : count;
	return status;
}

/* All cells of versions. */
static int submit_versions(struct submission *submission, size_t first, size_t end, unsigned after,
			   bool *handed)
{
	struct perun_run_cells *cells = submission->cells;
	size_t each = cells->jobs * cells->points;
	int status = PERUN_OK;

	for (size_t at = first * each; !status && at < end * each; at++) {
		if (!handed[at] && submission->wants(cells, submission->survey, at) > 0)
			status = submit_cells(submission, first, end, at, after, handed);
	}
	return status;
}

static bool wants_any(const struct submission *submission, size_t version, double *factor)
{
	size_t each = submission->cells->jobs * submission->cells->points;

	for (size_t at = version * each; at < (version + 1) * each; at++) {
		*factor = submission->wants(submission->cells, submission->survey, at);
		if (*factor > 0)
			return true;
	}
	return false;
}

/* Versions that are built are handed over together; each other one waits for its own build. */
static int submit_all(struct submission *submission)
{
	struct perun_run_cells *cells = submission->cells;
	bool *handed = perun_alloc_zero(perun_run_cells_count(cells), sizeof *handed);
	size_t built = 0;
	int status = PERUN_OK;

	for (size_t version = 0; !status && version <= cells->versions.count; version++) {
		bool last = version == cells->versions.count;
		unsigned after = 0;
		double factor;

		if (!last && (!wants_any(submission, version, &factor) ||
			      cells_build_state(cells, version, NULL) == CELLS_BUILT))
			continue;
		status = submit_versions(submission, built, version, 0, handed);
		built = version + 1;
		if (!status && !last)
			status = submit_build(submission, version, factor, &after);
		if (!status && !last)
			status = submit_versions(submission, version, version + 1, after, handed);
		if (!status && perun_cancelled(submission->ctx))
			status = perun_fail(submission->ctx, PERUN_CANCELLED, "interrupted");
	}
	perun_free(handed);
	return status;
}

/* What is to be done, done under the lock of the run. */
static int submit_wanted(struct perun_ctx *ctx, struct perun_store *store,
			 struct perun_run_cells *cells, struct cells_batches *batches,
			 const struct cells_survey *survey, wants *which, bool again,
			 size_t *submitted)
{
	struct submission submission = {ctx, cells, batches, survey, which, 0, NULL};
	bool any = false;
	double factor;
	int status = PERUN_OK;

	for (size_t version = 0; !any && version < cells->versions.count; version++)
		any = wants_any(&submission, version, &factor);
	if (any)
		status = cells_builds_prepare(ctx, store, cells, again);
	if (!status && any) {
		find_counting(&submission);
		status = submit_all(&submission);
		perun_free(submission.counts);
	}
	*submitted = submission.submitted;
	return status;
}

int perun_run_cells_submit(struct perun_ctx *ctx, struct perun_store *store,
			   struct perun_run_cells *cells, bool again, size_t *submitted)
{
	struct cells_batches batches = {0};
	struct cells_survey survey = {0};
	int lock = -1, status = cells_refuse_inline(ctx, cells);

	*submitted = 0;
	if (!status)
		status = cells_lock(ctx, cells->path, "lock", &lock);
	if (!status)
		status = cells_batches_read(ctx, cells, &batches);
	if (!status)
		status = cells_survey(ctx, cells, &batches, &survey);
	if (!status)
		status = submit_wanted(ctx, store, cells, &batches, &survey,
				       again ? wants_again : wants_first, again, submitted);
	cells_survey_free(&survey);
	cells_batches_free(&batches);
	if (lock >= 0)
		close(lock);
	return status;
}

/* ---- waiting ------------------------------------------------------------------------------------ */

static bool is_over(const struct perun_run_status *status)
{
	return status->states[PERUN_CELL_WAITING] + status->states[PERUN_CELL_RUNNING] == 0;
}

/* One look, and what follows from it. */
static int step(struct perun_ctx *ctx, struct perun_store *store, struct perun_run_cells *cells,
		struct perun_run_status *now, bool *over)
{
	struct cells_batches batches = {0};
	struct cells_survey survey = {0};
	size_t submitted = 0;
	int lock, status = cells_lock(ctx, cells->path, "lock", &lock);

	if (!status)
		status = cells_batches_read(ctx, cells, &batches);
	if (!status)
		status = cells_survey(ctx, cells, &batches, &survey);
	if (!status && cells_batches_note_ends(&batches))
		status = cells_batches_write(ctx, cells, &batches);
	if (!status)
		status = submit_wanted(ctx, store, cells, &batches, &survey, wants_retry, false,
				       &submitted);
	*over = status || (is_over(&survey.status) && !submitted);
	*now = survey.status;
	survey.status = (struct perun_run_status){0};
	cells_survey_free(&survey);
	cells_batches_free(&batches);
	if (lock >= 0)
		close(lock);
	return status;
}

/* What was just started may end soon; in the end as seldom as the executor wants. */
static double pause_after(double waited, double interval)
{
	double first = interval < 0.5 ? interval : 0.5, part = waited / 10;

	return part < first ? first : part < interval ? part : interval;
}

static int pause_for(struct perun_ctx *ctx, double seconds)
{
	for (double left = seconds; left > 0; left -= 0.05) {
		const struct timespec part = {.tv_nsec =
						      left < 0.05 ? (long)(left * 1e9) : 50000000};

		if (perun_cancelled(ctx))
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		nanosleep(&part, NULL);
	}
	return PERUN_OK;
}

int perun_run_cells_wait(struct perun_ctx *ctx, struct perun_store *store,
			 struct perun_run_cells *cells,
			 void (*changed)(void *data, const struct perun_run_status *now,
					 const struct perun_run_status *before),
			 void *data, struct perun_run_status *last)
{
	struct perun_run_status before = {0}, now = {0};
	const struct cells_executor *executor =
		cells->inlined ? NULL : cells_executor(ctx, cells, 0);
	double interval = executor ? cells_executor_interval(executor) : 0.5;
	double began = clock_now();
	bool over = false;
	int status = executor || cells->inlined ? PERUN_OK : perun_ctx_status(ctx);

	while (!status && !over) {
		status = step(ctx, store, cells, &now, &over);
		if (!status && changed)
			changed(data, &now, before.count ? &before : NULL);
		perun_run_status_free(&before);
		before = now;
		now = (struct perun_run_status){0};
		if (!status && !over)
			status = pause_for(ctx, pause_after(clock_now() - began, interval));
	}
	*last = before;
	return status;
}

int perun_run_cells_attached(struct perun_ctx *ctx, struct perun_run_cells *cells, bool *attached)
{
	const struct cells_executor *executor = cells_executor(ctx, cells, 0);

	*attached = executor && cells_executor_is_attached(executor);
	return executor ? PERUN_OK : perun_ctx_status(ctx);
}

int perun_run_cells_cancel(struct perun_ctx *ctx, struct perun_run_cells *cells)
{
	struct cells_batches batches = {0};
	int lock, status;

	if (cells->inlined)
		return cells_cancel_inline(ctx, cells);
	status = cells_lock(ctx, cells->path, "lock", &lock);
	if (!status)
		status = cells_batches_read(ctx, cells, &batches);
	if (!status)
		status = cells_executors_cancel(ctx, cells, &batches);
	if (!status && batches.count)
		status = cells_batches_write(ctx, cells, &batches);
	cells_batches_free(&batches);
	if (lock >= 0)
		close(lock);
	return status;
}
