/* SPDX-License-Identifier: BSD-3-Clause */
/* perun run list, show, status, wait, resume, cancel and collect. */
#include <config.h>

#include "commands/common/output.h"
#include "commands/common/runs-print.h"
#include "commands/common/runs.h"

#define RUN_OPTION                                                                   \
	{                                                                            \
		.name = "run", .metavar = "RUN", .type = PERUN_OPTION_STRING,        \
		.flags = PERUN_OPTION_POSITIONAL,                                    \
		.help = "the id of a run or its beginning (default: the latest run)" \
	}
#define JSON_OPTION                                  \
	{                                            \
		.name = "json", .help = "print JSON" \
	}

const struct perun_option runs_run_options[] = {RUN_OPTION, JSON_OPTION, {0}};
const struct perun_option runs_list_options[] = {JSON_OPTION, {0}};

/* The run that is meant, of the store that is there. */
static int open_run(struct perun_ctx *ctx, const struct perun_command_call *call,
		    struct perun_store **store, struct perun_run_cells **cells)
{
	char *runs;
	int status = perun_command_store(call, ctx, true, store);

	*cells = NULL;
	if (status)
		return status;
	runs = perun_format("%s/runs", perun_store_path(*store));
	status = perun_run_cells_open(ctx, runs, perun_option_string(call->options, "run"), cells);
	perun_free(runs);
	return status;
}

static bool wants_json(const struct perun_command_call *call)
{
	return perun_option_flag(call->options, "json");
}

/* ---- looking --------------------------------------------------------------------------------------- */

static void list_run(const struct perun_command_call *call, const struct perun_run_cells *cells,
		     const struct perun_run_status *status, struct perun_json *all)
{
	char *text = perun_run_status_text(status);

	if (all)
		perun_json_append(all, runs_describe(cells, status));
	else
		perun_output_printf(call->output, "%s  %s  %zu cell%s: %s\n",
				    perun_run_cells_id(cells), perun_run_cells_executor(cells),
				    status->count, status->count == 1 ? "" : "s", text);
	perun_free(text);
}

static int run_list(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_json *all = wants_json(call) ? perun_json_array() : NULL, *document;
	struct perun_store *store;
	size_t count = 0;
	char *runs, **ids;
	int status = perun_command_store(call, ctx, true, &store);

	if (status) {
		perun_json_free(all);
		return status;
	}
	runs = perun_format("%s/runs", perun_store_path(store));
	ids = perun_run_cells_list(runs, &count);
	for (size_t i = 0; i < count; i++) {
		struct perun_run_cells *cells;
		struct perun_run_status now = {0};
		int outcome = perun_run_cells_open(ctx, runs, ids[i], &cells);

		if (!outcome)
			outcome = perun_run_cells_status(ctx, cells, &now);
		if (outcome) {
			perun_warn(ctx, "%s", perun_ctx_error(ctx));
			perun_ctx_clear(ctx);
		} else {
			list_run(call, cells, &now, all);
		}
		perun_run_status_free(&now);
		perun_run_cells_free(cells);
	}
	if (all) {
		document = perun_json_object();
		perun_json_set(document, "runs", all);
		commands_print_json(call, document);
	} else if (!count) {
		perun_output_text(call->output, "There are no runs.\n");
	}
	perun_free(ids);
	perun_free(runs);
	return PERUN_OK;
}

/* All cells, as they are planned. */
static int run_show(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store;
	struct perun_run_cells *cells;
	struct perun_json *document, *list;
	int status = open_run(ctx, call, &store, &cells);

	if (status)
		return status;
	if (wants_json(call)) {
		document = runs_describe(cells, NULL);
		list = perun_json_array();
		for (size_t i = 1; i <= perun_run_cells_count(cells); i++)
			perun_json_append(list, runs_describe_cell(cells, i));
		perun_json_set(document, "plan", list);
		commands_print_json(call, document);
	} else {
		perun_command_page(call);
		runs_print_plan(call, cells, false);
		for (size_t i = 1; i <= perun_run_cells_count(cells); i++) {
			struct perun_cell cell;
			char *title;

			perun_cell_describe(cells, i, &cell);
			title = runs_title(&cell);
			perun_output_printf(call->output, "  %zu  %.8s  %s\n", i, cell.version,
					    title);
			perun_free(title);
			perun_cell_free(&cell);
		}
	}
	perun_run_cells_free(cells);
	return PERUN_OK;
}

static struct perun_json *describe_all(const struct perun_run_cells *cells,
				       const struct perun_run_status *now)
{
	struct perun_json *document = runs_describe(cells, now), *gaps = perun_json_array();

	for (size_t i = 0; i < now->count; i++) {
		struct perun_json *fact;

		if (now->cells[i].state == PERUN_CELL_DONE)
			continue;
		fact = runs_describe_cell(cells, i + 1);
		perun_json_set(fact, "state",
			       perun_json_text(perun_cell_state_name(now->cells[i].state)));
		perun_json_set(fact, "attempts", perun_json_int64(now->cells[i].attempts));
		perun_json_set(fact, "reason", commands_text(now->cells[i].reason));
		perun_json_append(gaps, fact);
	}
	perun_json_set(document, "incomplete", gaps);
	perun_json_set(document, "nodes", runs_describe_nodes(cells));
	return document;
}

/* What is not complete is no failure of asking: but for a run that came to its end. */
static int run_status(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_run_status now = {0};
	struct perun_store *store;
	struct perun_run_cells *cells;
	int status = open_run(ctx, call, &store, &cells);
	char *text;

	if (!status)
		status = perun_run_cells_status(ctx, cells, &now);
	if (!status && wants_json(call)) {
		commands_print_json(call, describe_all(cells, &now));
	} else if (!status) {
		text = perun_run_status_text(&now);
		perun_output_printf(call->output, "Run %s (%s), %zu cell%s: %s\n",
				    perun_run_cells_id(cells), perun_run_cells_executor(cells),
				    now.count, now.count == 1 ? "" : "s", text);
		runs_print_gaps(call, cells, &now, 0);
		runs_print_slow_nodes(call, cells);
		perun_free(text);
	}
	if (!status && now.states[PERUN_CELL_FAILED] + now.states[PERUN_CELL_LOST])
		status = runs_complete(ctx, &now);
	perun_run_status_free(&now);
	perun_run_cells_free(cells);
	return status;
}

/* ---- going on -------------------------------------------------------------------------------------- */

static int run_wait(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store;
	struct perun_run_cells *cells;
	int status = open_run(ctx, call, &store, &cells);

	if (!status)
		status = runs_finish(ctx, call, store, cells, wants_json(call));
	perun_run_cells_free(cells);
	return status;
}

/* What was lost or failed is measured again; what is done stays. */
static int run_resume(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store;
	struct perun_run_cells *cells;
	bool attached = false;
	size_t submitted = 0;
	int status = open_run(ctx, call, &store, &cells);

	if (!status && perun_run_cells_inline(cells)) {
		status = runs_measure(ctx, call, store, cells, wants_json(call));
		perun_run_cells_free(cells);
		return status;
	}
	if (!status)
		status = perun_run_cells_attached(ctx, cells, &attached);
	if (!status)
		status = perun_run_cells_submit(ctx, store, cells, true, &submitted);
	if (!status && !wants_json(call))
		perun_output_printf(call->output, "%zu cell%s handed to %s\n", submitted,
				    submitted == 1 ? "" : "s", perun_run_cells_executor(cells));
	if (!status && attached)
		status = runs_finish(ctx, call, store, cells, wants_json(call));
	else if (!status && wants_json(call))
		commands_print_json(call, runs_describe(cells, NULL));
	perun_run_cells_free(cells);
	return status;
}

static int run_cancel(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store;
	struct perun_run_cells *cells;
	int status = open_run(ctx, call, &store, &cells);

	if (!status)
		status = perun_run_cells_cancel(ctx, cells);
	if (!status && wants_json(call))
		commands_print_json(call, runs_describe(cells, NULL));
	perun_run_cells_free(cells);
	return status;
}

static int run_collect(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_collected collected;
	struct perun_store *store;
	struct perun_run_cells *cells;
	struct perun_json *document;
	int status = open_run(ctx, call, &store, &cells);

	if (!status)
		status = perun_run_cells_collect(ctx, store, cells, &collected);
	if (!status && wants_json(call)) {
		document = runs_describe(cells, NULL);
		perun_json_set(document, "added", perun_json_int64((int64_t)collected.added));
		perun_json_set(document, "already", perun_json_int64((int64_t)collected.already));
		perun_json_set(document, "damaged", perun_json_int64((int64_t)collected.damaged));
		commands_print_json(call, document);
	} else if (!status) {
		perun_output_printf(call->output,
				    "%zu profile%s registered, %zu of %zu cells are in the store\n",
				    collected.added, collected.added == 1 ? "" : "s",
				    collected.cells, perun_run_cells_count(cells));
	}
	if (!status && collected.damaged)
		status = perun_fail(ctx, PERUN_INPUT, "%zu cell%s cannot be collected",
				    collected.damaged, collected.damaged == 1 ? "" : "s");
	perun_run_cells_free(cells);
	return status;
}

/* Summaries and options are those of RUNS_COMMANDS. */
const struct perun_command runs_commands[] = {
	{.name = "list", .run = run_list},       {.name = "show", .run = run_show},
	{.name = "status", .run = run_status},   {.name = "wait", .run = run_wait},
	{.name = "resume", .run = run_resume},   {.name = "cancel", .run = run_cancel},
	{.name = "collect", .run = run_collect}, {.name = NULL}};
