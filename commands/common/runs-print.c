/* SPDX-License-Identifier: BSD-3-Clause */
/* What is printed of runs, and waiting for them. */
#include <config.h>

#include <string.h>

#include "commands/common/output.h"
#include "commands/common/runs-print.h"

#define MAX_GAPS 20 /* that are printed where nobody asked for them */

/* ---- plans --------------------------------------------------------------------------------------- */

void runs_print_plan(const struct perun_command_call *call, const struct perun_run_cells *cells,
		     bool resumed)
{
	size_t count = perun_run_cells_count(cells), versions = perun_run_cells_versions(cells);

	perun_output_printf(call->output, "%s %s: %zu cell%s at %zu version%s\n",
			    resumed ? "Resuming run" : "Run", perun_run_cells_id(cells), count,
			    count == 1 ? "" : "s", versions, versions == 1 ? "" : "s");
	perun_output_flush(call->output);
}

struct perun_json *runs_describe(const struct perun_run_cells *cells,
				 const struct perun_run_status *status)
{
	struct perun_json *document = perun_json_object(), *states;

	perun_json_set(document, "run", perun_json_text(perun_run_cells_id(cells)));
	perun_json_set(document, "path", perun_json_text(perun_run_cells_path(cells)));
	perun_json_set(document, "created", perun_json_text(perun_run_cells_created(cells)));
	perun_json_set(document, "executor", perun_json_text(perun_run_cells_executor(cells)));
	perun_json_set(document, "versions",
		       perun_json_int64((int64_t)perun_run_cells_versions(cells)));
	perun_json_set(document, "cells", perun_json_int64((int64_t)perun_run_cells_count(cells)));
	if (!status)
		return document;
	states = perun_json_object();
	for (int state = 0; state < PERUN_CELL_STATES; state++)
		perun_json_set(states, perun_cell_state_name(state),
			       perun_json_int64((int64_t)status->states[state]));
	perun_json_set(document, "states", states);
	perun_json_set(document, "collected", perun_json_int64((int64_t)status->collected));
	return document;
}

struct perun_json *runs_describe_cell(const struct perun_run_cells *cells, size_t number)
{
	struct perun_json *fact = perun_json_object();
	struct perun_cell cell;

	perun_cell_describe(cells, number, &cell);
	perun_json_set(fact, "cell", perun_json_int64((int64_t)number));
	perun_json_set(fact, "version", perun_json_text(cell.version));
	perun_json_set(fact, "cmd", perun_json_text(cell.command));
	perun_json_set(fact, "args", perun_json_text(cell.arguments));
	perun_json_set(fact, "workload", perun_json_text(cell.workload));
	perun_json_set(fact, "collector", perun_json_text(cell.collector));
	perun_json_set(fact, "parameters", perun_json_clone(cell.parameters));
	perun_json_set(fact, "launch", perun_json_text(cell.launch));
	perun_cell_free(&cell);
	return fact;
}

char *runs_title(const struct perun_cell *cell)
{
	char *text = perun_format("%s of %s%s%s%s%s", cell->collector, cell->command,
				  *cell->arguments ? " " : "", cell->arguments,
				  *cell->workload ? " " : "", cell->workload);
	char *title = perun_printable(text);

	perun_free(text);
	return title;
}

/* ---- states -------------------------------------------------------------------------------------- */

static void print_gap(const struct perun_command_call *call, const struct perun_run_cells *cells,
		      size_t number, const struct perun_cell_status *status)
{
	struct perun_cell cell;
	char *title;

	perun_cell_describe(cells, number, &cell);
	title = runs_title(&cell);
	perun_output_printf(call->output, "  %zu  %.8s  %s  %s%s%s\n", number, cell.version, title,
			    perun_cell_state_name(status->state), status->reason ? ": " : "",
			    status->reason ? status->reason : "");
	perun_free(title);
	perun_cell_free(&cell);
}

void runs_print_gaps(const struct perun_command_call *call, const struct perun_run_cells *cells,
		     const struct perun_run_status *status, size_t limit)
{
	size_t printed = 0, left = 0;

	for (size_t i = 0; i < status->count; i++) {
		const struct perun_cell_status *cell = &status->cells[i];

		if (cell->state != PERUN_CELL_FAILED && cell->state != PERUN_CELL_LOST)
			continue;
		if (limit && printed == limit)
			left++;
		else
			print_gap(call, cells, i + 1, cell), printed++;
	}
	if (left)
		perun_output_printf(call->output, "  and %zu more: perun run status %s\n", left,
				    perun_run_cells_id(cells));
}

int runs_complete(struct perun_ctx *ctx, const struct perun_run_status *status)
{
	size_t missing = status->count - status->states[PERUN_CELL_DONE];

	if (!missing)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT, "%zu of %zu cells %s no profile", missing,
			  status->count, missing == 1 ? "has" : "have");
}

/* ---- machines ------------------------------------------------------------------------------------ */

#define SLOW_RATIO 1.1 /* what machines of one kind and their other users rarely differ by */
#define SLOW_CELLS 3   /* fewer say nothing of a machine */

void runs_print_slow_nodes(const struct perun_command_call *call,
			   const struct perun_run_cells *cells)
{
	size_t count;
	struct perun_run_node *nodes = perun_run_cells_nodes(cells, &count);

	for (size_t i = 0; i < count; i++) {
		char *name = perun_printable(nodes[i].name);

		if (nodes[i].ratio >= SLOW_RATIO && nodes[i].cells >= SLOW_CELLS)
			perun_output_printf(
				call->output,
				"%s is slow: its %zu cells took %.0f %% longer than such cells "
				"of the run\n",
				name, nodes[i].cells, 100 * (nodes[i].ratio - 1));
		perun_free(name);
	}
	perun_run_nodes_free(nodes, count);
}

struct perun_json *runs_describe_nodes(const struct perun_run_cells *cells)
{
	struct perun_json *list = perun_json_array();
	size_t count;
	struct perun_run_node *nodes = perun_run_cells_nodes(cells, &count);

	for (size_t i = 0; i < count; i++) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "node", commands_text(nodes[i].name));
		perun_json_set(fact, "cells", perun_json_int64((int64_t)nodes[i].cells));
		perun_json_set(fact, "ratio", perun_json_double(nodes[i].ratio));
		perun_json_append(list, fact);
	}
	perun_run_nodes_free(nodes, count);
	return list;
}

/* ---- waiting -------------------------------------------------------------------------------------- */

struct watching {
	struct perun_ctx *ctx;
	const struct perun_command_call *call;
	const struct perun_run_cells *cells;
	bool silent;
};

/* Each cell that ended since the last look. */
static void on_change(void *data, const struct perun_run_status *now,
		      const struct perun_run_status *before)
{
	const struct watching *watching = data;
	const size_t done = now->states[PERUN_CELL_DONE] + now->states[PERUN_CELL_FAILED];

	perun_progress(watching->ctx, "cells", done, now->count);
	for (size_t i = 0; !watching->silent && i < now->count; i++) {
		struct perun_cell cell;
		char *title;

		if (now->cells[i].state != PERUN_CELL_DONE ||
		    (before ? before->cells[i].state == PERUN_CELL_DONE : now->cells[i].collected))
			continue;
		perun_cell_describe(watching->cells, i + 1, &cell);
		title = runs_title(&cell);
		perun_output_printf(watching->call->output, " - %zu/%zu %.8s %s\n", i + 1,
				    now->count, cell.version, title);
		perun_free(title);
		perun_cell_free(&cell);
	}
	perun_output_flush(watching->call->output);
}

static void print_end(const struct perun_command_call *call, const struct perun_run_cells *cells,
		      const struct perun_run_status *status,
		      const struct perun_collected *collected)
{
	char *text = perun_run_status_text(status);

	perun_output_printf(call->output, "%s\n", text);
	runs_print_gaps(call, cells, status, MAX_GAPS);
	runs_print_slow_nodes(call, cells);
	if (!perun_run_cells_inline(cells) || collected->added)
		perun_output_printf(call->output, "%zu profile%s registered with %zu version%s\n",
				    collected->added, collected->added == 1 ? "" : "s",
				    perun_run_cells_versions(cells),
				    perun_run_cells_versions(cells) == 1 ? "" : "s");
	perun_free(text);
}

/* What was measured is collected also when the waiting was interrupted. */
int runs_finish(struct perun_ctx *ctx, const struct perun_command_call *call,
		struct perun_store *store, struct perun_run_cells *cells, bool json)
{
	struct watching watching = {ctx, call, cells, json};
	struct perun_run_status status = {0};
	struct perun_collected collected = {0};
	struct perun_json *document;
	int outcome = perun_run_cells_wait(ctx, store, cells, on_change, &watching, &status);

	perun_progress(ctx, "cells", status.count, status.count);
	if (!outcome)
		outcome = perun_run_cells_collect(ctx, store, cells, &collected);
	if (outcome == PERUN_CANCELLED)
		perun_note(
			ctx,
			"what was measured is kept: perun run collect %s registers it, perun run "
			"resume %s measures the rest",
			perun_run_cells_id(cells), perun_run_cells_id(cells));
	if (!outcome && json) {
		document = runs_describe(cells, &status);
		perun_json_set(document, "added", perun_json_int64((int64_t)collected.added));
		commands_print_json(call, document);
	} else if (!outcome) {
		print_end(call, cells, &status, &collected);
	}
	if (!outcome)
		outcome = runs_complete(ctx, &status);
	perun_run_status_free(&status);
	return outcome;
}

/* ---- measuring here ------------------------------------------------------------------------------- */

static void on_event(void *data, const struct perun_run_event *event)
{
	const struct watching *watching = data;
	const struct perun_run_job *job = event->job;
	char *text, *title;

	if (event->kind != PERUN_RUN_SAVED || watching->silent)
		return;
	text = perun_format("%s of %s%s%s%s%s", job->collector, job->command,
			    *job->arguments ? " " : "", job->arguments, *job->workload ? " " : "",
			    job->workload);
	title = perun_printable(text);
	perun_output_printf(watching->call->output, " - %.8s %s\n", event->version, title);
	perun_output_flush(watching->call->output);
	perun_free(title);
	perun_free(text);
}

int runs_measure(struct perun_ctx *ctx, const struct perun_command_call *call,
		 struct perun_store *store, struct perun_run_cells *cells, bool json)
{
	struct watching watching = {ctx, call, cells, json};
	const struct perun_run_listener listener = {on_event, &watching};
	const struct perun_collected collected = {0};
	struct perun_run_status now = {0};
	struct perun_run_result *result = NULL;
	int status = perun_run_cells_measure(ctx, store, cells, &listener, &result);

	perun_run_result_free(result);
	if (status == PERUN_USAGE || status == PERUN_CANCELLED ||
	    perun_run_cells_status(NULL, cells, &now))
		return status;
	if (json)
		commands_print_json(call, runs_describe(cells, &now));
	else
		print_end(call, cells, &now, &collected);
	perun_run_status_free(&now);
	return status;
}
