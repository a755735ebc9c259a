/* SPDX-License-Identifier: BSD-3-Clause */
/* Where all cells of a run are: what they left, and what the executor says of the others. */
#include <config.h>

#include <string.h>

#include "core/cells/cells.h"

static const char *const names[PERUN_CELL_STATES] = {"planned", "waiting", "running",
						     "done",    "failed",  "lost"};

const char *perun_cell_state_name(enum perun_cell_state state)
{
	return names[state];
}

/* ---- what they left ----------------------------------------------------------------------------- */

/* What ended stays as it is, as long as this process looks. */
static void read_outcome(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t i,
			 struct perun_cell_status *cell)
{
	struct perun_json *outcome = NULL;
	int64_t status = 0;
	int found;

	if (cells->ended[i] == PERUN_CELL_DONE) {
		cell->state = PERUN_CELL_DONE;
		return;
	}
	found = cells_outcome(ctx, cells, i + 1, &outcome);
	if (found == PERUN_OK) {
		perun_json_as_int64(perun_json_get(outcome, "exit"), &status);
		cell->state = status ? PERUN_CELL_FAILED : PERUN_CELL_DONE;
		if (status)
			cell->reason = perun_printable(perun_json_get_text(outcome, "reason"));
		cells->ended[i] = (unsigned char)cell->state;
	} else if (found != PERUN_MISSING) {
		cell->state = PERUN_CELL_LOST;
		cell->reason = perun_printable(perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	}
	perun_json_free(outcome);
}

static bool has_ended(const struct perun_cell_status *cell)
{
	return cell->state == PERUN_CELL_DONE || cell->state == PERUN_CELL_FAILED;
}

/* What cannot be built has no cells that ever end; but who measures them itself tries to, and notes how that ended. */
static void mark_unbuilt(const struct perun_run_cells *cells, struct perun_run_status *status)
{
	size_t each = cells->points * cells->jobs;
	bool built = cells->builds && !cells->inlined;

	for (size_t version = 0; built && version < cells->versions.count; version++) {
		char *reason;

		if (cells_build_state(cells, version, &reason) != CELLS_BUILD_FAILED)
			continue;
		for (size_t i = version * each; i < (version + 1) * each; i++) {
			if (has_ended(&status->cells[i]))
				continue;
			perun_free(status->cells[i].reason);
			status->cells[i].state = PERUN_CELL_FAILED;
			status->cells[i].reason = perun_strdup(reason);
		}
		perun_free(reason);
	}
}

/* ---- what the executor says ----------------------------------------------------------------------- */

static const char *words_of(enum perun_executor_state state)
{
	switch (state) {
	case PERUN_EXECUTOR_NODE_FAILED:
		return "its node failed or was taken away";
	case PERUN_EXECUTOR_TIMED_OUT:
		return "it took longer than its limit of time";
	case PERUN_EXECUTOR_OUT_OF_MEMORY:
		return "it ran out of memory";
	case PERUN_EXECUTOR_KILLED:
		return "it was killed";
	case PERUN_EXECUTOR_NOT_STARTED:
		return "it was not started, as its build did not end well";
	case PERUN_EXECUTOR_UNKNOWN:
		return "the executor knows nothing of it";
	case PERUN_EXECUTOR_ENDED:
	case PERUN_EXECUTOR_WAITING:
	case PERUN_EXECUTOR_RUNNING:
		break;
	}
	return "it ended and left no outcome";
}

static void set_lost(struct perun_cell_status *cell, const char *reason)
{
	cell->state = PERUN_CELL_LOST;
	perun_free(cell->reason);
	cell->reason = perun_strdup(reason);
}

/* A cell that was not started, or was taken away for that, says what became of its build. */
static enum perun_executor_state state_of(const struct cells_batches *batches,
					  const struct cells_batch *batch, size_t task)
{
	enum perun_executor_state state = batch->states[task];

	if (!batch->handle)
		return PERUN_EXECUTOR_UNKNOWN;
	if (state == PERUN_EXECUTOR_UNKNOWN)
		state = batch->ends[task];
	if ((state == PERUN_EXECUTOR_NOT_STARTED || state == PERUN_EXECUTOR_KILLED) &&
	    batch->after) {
		const struct cells_batch *build = &batches->items[batch->after - 1];
		enum perun_executor_state end =
			build->states[0] ? build->states[0] : build->ends[0];

		if (end == PERUN_EXECUTOR_NODE_FAILED || end == PERUN_EXECUTOR_TIMED_OUT ||
		    end == PERUN_EXECUTOR_OUT_OF_MEMORY || end == PERUN_EXECUTOR_KILLED)
			return end;
	}
	return state;
}

static void apply_batch(const struct cells_batches *batches, const struct cells_batch *batch,
			struct cells_survey *survey)
{
	for (size_t task = 0; task < batch->count; task++) {
		size_t at = (size_t)batch->tasks[task] - 1;
		struct perun_cell_status *cell = &survey->status.cells[at];
		enum perun_executor_state state = state_of(batches, batch, task);
		bool cancelled = batch->cancelled && !batch->ends[task];

		cell->attempts++;
		/* What was cancelled is not retried, however it ended. */
		survey->last[at] = batch->cancelled ? PERUN_EXECUTOR_KILLED : state;
		survey->factor[at] = batch->factor;
		if (has_ended(cell))
			continue;
		if (state == PERUN_EXECUTOR_RUNNING)
			cell->state = PERUN_CELL_RUNNING;
		else if (state == PERUN_EXECUTOR_WAITING || batch->unasked)
			cell->state = PERUN_CELL_WAITING;
		else
			set_lost(cell, cancelled ? "it was cancelled" : words_of(state));
	}
}

/* What this process or another one measures by itself nobody is asked about: its lock says whether it goes on. */
static void mark_inlined(const struct perun_run_cells *cells, struct perun_run_status *status)
{
	bool going = cells->inlined && cells_is_measured(cells), first = true;

	for (size_t i = 0; cells->inlined && i < status->count; i++) {
		struct perun_cell_status *cell = &status->cells[i];

		if (cell->state != PERUN_CELL_PLANNED)
			continue;
		if (!going)
			cell->reason = perun_strdup("its run was interrupted");
		cell->state = !going  ? PERUN_CELL_LOST
			      : first ? PERUN_CELL_RUNNING
				      : PERUN_CELL_WAITING;
		first = false;
	}
}

/* Batches with tasks that have not ended, and the builds that these wait for. */
static void mark_open(const struct perun_run_cells *cells, const struct cells_batches *batches,
		      const struct perun_run_status *status, bool *open)
{
	for (size_t i = 0; i < batches->count; i++) {
		const struct cells_batch *batch = &batches->items[i];

		for (size_t task = 0; !open[i] && task < batch->count; task++) {
			size_t at = (size_t)batch->tasks[task];

			open[i] = batch->builds
					  ? cells_build_state(cells, at, NULL) == CELLS_UNBUILT
					  : !has_ended(&status->cells[at - 1]);
		}
	}
}

static void count(struct perun_run_status *status)
{
	memset(status->states, 0, sizeof status->states);
	status->collected = 0;
	for (size_t i = 0; i < status->count; i++) {
		status->states[status->cells[i].state]++;
		status->collected += status->cells[i].collected;
	}
}

int cells_survey(struct perun_ctx *ctx, struct perun_run_cells *cells,
		 struct cells_batches *batches, struct cells_survey *survey)
{
	struct perun_run_status *status = &survey->status;
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	bool *open, *collected = cells_collected(cells);
	size_t all = perun_run_cells_count(cells);
	int outcome;

	*survey = (struct cells_survey){.status.count = all};
	status->cells = perun_alloc_zero(all, sizeof *status->cells);
	survey->last = perun_alloc_zero(all, sizeof *survey->last);
	survey->factor = perun_alloc_zero(all, sizeof *survey->factor);
	if (!cells->ended)
		cells->ended = perun_alloc_zero(all, sizeof *cells->ended);
	for (size_t i = 0; i < all; i++) {
		if (collected[i])
			cells->ended[i] = PERUN_CELL_DONE;
		read_outcome(quiet, cells, i, &status->cells[i]);
		/* What is measured here is kept in the store at once. */
		status->cells[i].collected =
			collected[i] ||
			(cells->inlined && status->cells[i].state == PERUN_CELL_DONE);
	}
	open = perun_alloc_zero(batches->count + 1, sizeof *open);
	mark_open(cells, batches, status, open);
	outcome = cells_executors_poll(ctx, cells, batches, open);
	for (size_t i = 0; !outcome && i < batches->count; i++)
		if (!batches->items[i].builds)
			apply_batch(batches, &batches->items[i], survey);
	/* It may have left its outcome since it was looked at. */
	for (size_t i = 0; i < all; i++)
		if (status->cells[i].state == PERUN_CELL_LOST) {
			char *reason = status->cells[i].reason;

			status->cells[i].reason = NULL;
			read_outcome(quiet, cells, i, &status->cells[i]);
			if (!has_ended(&status->cells[i]) && !status->cells[i].reason)
				set_lost(&status->cells[i], reason);
			perun_free(reason);
		}
	if (!outcome)
		mark_unbuilt(cells, status);
	mark_inlined(cells, status);
	count(status);
	perun_free(open);
	perun_free(collected);
	perun_ctx_free(quiet);
	return outcome;
}

void cells_survey_free(struct cells_survey *survey)
{
	perun_run_status_free(&survey->status);
	perun_free(survey->last);
	perun_free(survey->factor);
	*survey = (struct cells_survey){0};
}

/* ---- for others --------------------------------------------------------------------------------- */

void perun_run_status_free(struct perun_run_status *status)
{
	for (size_t i = 0; status->cells && i < status->count; i++)
		perun_free(status->cells[i].reason);
	perun_free(status->cells);
	*status = (struct perun_run_status){0};
}

int perun_run_cells_status(struct perun_ctx *ctx, struct perun_run_cells *cells,
			   struct perun_run_status *status)
{
	struct cells_batches batches;
	struct cells_survey survey = {0};
	int outcome = cells_batches_read(ctx, cells, &batches);

	if (!outcome)
		outcome = cells_survey(ctx, cells, &batches, &survey);
	*status = survey.status;
	survey.status = (struct perun_run_status){0};
	cells_survey_free(&survey);
	cells_batches_free(&batches);
	return outcome;
}

char *perun_run_status_text(const struct perun_run_status *status)
{
	struct perun_buffer text = {0};

	for (int state = 0; state < PERUN_CELL_STATES; state++)
		if (status->states[state])
			perun_buffer_printf(&text, "%s%zu %s", text.length ? ", " : "",
					    status->states[state], names[state]);
	if (status->collected)
		perun_buffer_printf(&text, ", %zu collected", status->collected);
	return perun_buffer_take(&text);
}
