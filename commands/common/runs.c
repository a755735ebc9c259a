/* SPDX-License-Identifier: BSD-3-Clause */
/* perun run with cells: planning and starting them, and what one machine is asked to do. */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/cells.h>

#include "commands/common/output.h"
#include "commands/common/runs-print.h"
#include "commands/common/runs.h"

/* ---- options of both ----------------------------------------------------------------------------- */

/* Options of perun run may be before or after the name of its sub-command. */
static const struct perun_options *where(const struct runs_words *words, const char *name)
{
	return words->before && !perun_option_given(words->options, name) ? words->before
									  : words->options;
}

static const char *text_of(const struct runs_words *words, const char *name)
{
	return perun_option_string(where(words, name), name);
}

static bool flag_of(const struct runs_words *words, const char *name)
{
	return perun_option_flag(words->options, name) ||
	       (words->before && perun_option_flag(words->before, name));
}

/* ---- plans --------------------------------------------------------------------------------------- */

/* The values of an option into a part of the plan. */
static void add_texts(struct perun_plan *plan, enum perun_plan_part part,
		      const struct perun_options *options, const char *name)
{
	for (size_t i = 0; i < perun_option_count(options, name); i++)
		perun_plan_add(plan, part, perun_option_string_at(options, name, i));
}

/* Modules by name, and their options from pairs of values. */
static int add_units(struct perun_ctx *ctx, const struct perun_options *options, const char *names,
		     struct perun_plan *plan, enum perun_plan_part part)
{
	char *params = perun_format("%s-params", names);
	int status = PERUN_OK;

	add_texts(plan, part, options, names);
	for (size_t i = 0; !status && i + 1 < perun_option_count(options, params); i += 2) {
		status = perun_plan_options(ctx, plan, part,
					    perun_option_string_at(options, params, i),
					    perun_option_string_at(options, params, i + 1));
		if (status)
			perun_fail(ctx, PERUN_OK, "--%s", params);
	}
	perun_free(params);
	return status;
}

int runs_plan_job(struct perun_ctx *ctx, const struct perun_options *options,
		  struct perun_plan *plan)
{
	int status;

	add_texts(plan, PERUN_PLAN_COMMANDS, options, "cmd");
	add_texts(plan, PERUN_PLAN_ARGUMENTS, options, "args");
	status = add_units(ctx, options, "collector", plan, PERUN_PLAN_COLLECTORS);
	return status ? status
		      : add_units(ctx, options, "postprocessor", plan, PERUN_PLAN_POSTPROCESSORS);
}

/* A number where it is one: "4" of "processes=1,2,4". */
static struct perun_json *value_of(const char *text)
{
	char *end;
	long long whole;
	double real;

	errno = 0;
	whole = strtoll(text, &end, 10);
	if (*text && !*end && !errno)
		return perun_json_int64(whole);
	real = perun_strtod(text, &end);
	return *text && !*end ? perun_json_double(real) : perun_json_text(text);
}

static int add_parameter(struct perun_ctx *ctx, const char *given, struct perun_json *parameters)
{
	const char *equals = strchr(given, '=');
	struct perun_json *list;
	char *name, *values, *rest, *value;

	if (!equals || equals == given || !equals[1])
		return perun_fail(ctx, PERUN_USAGE, "--parameter %s: expected NAME=VALUE,...",
				  given);
	list = perun_json_array();
	name = perun_strndup(given, (size_t)(equals - given));
	rest = values = perun_strdup(equals + 1);
	while ((value = strsep(&rest, ",")))
		perun_json_append(list, value_of(value));
	perun_json_set(parameters, name, list);
	perun_free(name);
	perun_free(values);
	return PERUN_OK;
}

int runs_in_cells(struct perun_ctx *ctx, const struct runs_words *words, struct perun_plan *plan,
		  bool *cells)
{
	const struct perun_options *options = where(words, "parameter");
	struct perun_json *parameters = perun_json_object();
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_option_count(options, "parameter"); i++)
		status = add_parameter(ctx, perun_option_string_at(options, "parameter", i),
				       parameters);
	if (!status)
		status = perun_plan_parameters(ctx, plan, parameters);
	perun_json_free(parameters);
	*cells = text_of(words, "executor") || text_of(words, "executor-params") ||
		 text_of(words, "class") || text_of(words, "scratch") ||
		 flag_of(words, "plan-only") || perun_option_given(where(words, "jobs"), "jobs") ||
		 flag_of(words, "together") || perun_plan_has_parameters(plan);
	return status;
}

/* ---- starting ------------------------------------------------------------------------------------ */

static int start(struct perun_ctx *ctx, const struct perun_command_call *call,
		 const struct runs_words *words, struct perun_store *store,
		 struct perun_run_cells *cells, bool resumed)
{
	bool json = flag_of(words, "json"), attached = false;
	struct perun_json *document = NULL;
	size_t submitted = 0;
	int status = perun_run_cells_attached(ctx, cells, &attached);

	if (!json)
		runs_print_plan(call, cells, resumed);
	if (!status && flag_of(words, "plan-only"))
		status = perun_run_cells_prepare(ctx, store, cells);
	else if (!status)
		status = perun_run_cells_submit(ctx, store, cells, resumed, &submitted);
	if (!status && !flag_of(words, "plan-only") && (attached || flag_of(words, "wait")))
		return runs_finish(ctx, call, store, cells, json);
	if (status)
		return status;
	if (json) {
		document = runs_describe(cells, NULL);
		perun_json_set(document, "submitted", perun_json_int64((int64_t)submitted));
		commands_print_json(call, document);
	} else if (flag_of(words, "plan-only")) {
		perun_output_printf(call->output,
				    "The plan is %s/plan.json; nothing was started.\n",
				    perun_run_cells_path(cells));
	} else {
		perun_output_printf(call->output,
				    "%zu cell%s handed to %s; perun run wait %s waits for them and "
				    "collects.\n",
				    submitted, submitted == 1 ? "" : "s",
				    perun_run_cells_executor(cells), perun_run_cells_id(cells));
	}
	return PERUN_OK;
}

/* --jobs as an option of the executor, which is the local one; NULL = it is not given. */
static int jobs_of(struct perun_ctx *ctx, const struct runs_words *words, char **params)
{
	const struct perun_options *options = where(words, "jobs");
	const char *executor = text_of(words, "executor");

	*params = NULL;
	if (!perun_option_given(options, "jobs"))
		return flag_of(words, "together")
			       ? perun_fail(ctx, PERUN_USAGE, "--together is for --jobs")
			       : PERUN_OK;
	if (text_of(words, "executor-params") || (executor && strcmp(executor, "local") != 0))
		return perun_fail(ctx, PERUN_USAGE,
				  "--jobs is for cells on this machine, and excludes %s",
				  text_of(words, "executor-params") ? "--executor-params"
								    : "other executors");
	*params = perun_format("{jobs: %" PRId64 ", together: %s}",
			       perun_option_integer(options, "jobs"),
			       flag_of(words, "together") ? "true" : "false");
	return PERUN_OK;
}

int runs_start(struct perun_ctx *ctx, const struct perun_command_call *call,
	       const struct runs_words *words, const struct perun_plan *plan,
	       const struct perun_run_options *options)
{
	struct perun_run_cells_options how = {.struct_size = sizeof how,
					      .executor = text_of(words, "executor"),
					      .machine = text_of(words, "class"),
					      .executor_params = text_of(words, "executor-params"),
					      .scratch = text_of(words, "scratch"),
					      .parents = options->parents,
					      .resume = options->resume};
	struct perun_run_cells *cells = NULL;
	struct perun_store *store;
	bool resumed = false;
	char *params;
	int status = jobs_of(ctx, words, &params);

	if (params)
		how.executor_params = params;
	if (!status)
		status = perun_command_store(call, ctx, true, &store);
	if (!status && options->in_place)
		status = perun_fail(ctx, PERUN_USAGE,
				    "--in-place and cells exclude each other: several are measured "
				    "at a time");
	if (!status)
		status = perun_run_cells_plan(ctx, store, plan, &how, &cells, &resumed);
	if (!status && options->resume && !resumed)
		perun_note(ctx, "no run of the same plan; starting over");
	if (!status)
		status = start(ctx, call, words, store, cells, resumed);
	perun_run_cells_free(cells);
	perun_free(params);
	return status;
}

/* ---- one task ------------------------------------------------------------------------------------- */

/* "RUN:K" */
static int open_task(struct perun_ctx *ctx, const char *option, const char *given,
		     struct perun_run_cells **cells, size_t *number)
{
	const char *colon = strrchr(given, ':');
	char *id, *runs, *end;
	int status;

	*cells = NULL;
	errno = 0;
	*number = colon ? strtoull(colon + 1, &end, 10) : 0;
	if (!colon || colon == given || !colon[1] || *end || errno || colon[1] == '-')
		return perun_fail(ctx, PERUN_USAGE, "--%s %s: expected RUN:NUMBER", option,
				  *given ? given : "''");
	id = perun_strndup(given, (size_t)(colon - given));
	runs = strchr(id, '/') ? NULL : perun_run_cells_find_runs(NULL);
	status = runs || strchr(id, '/')
			 ? perun_run_cells_open(ctx, runs, id, cells)
			 : perun_fail(ctx, PERUN_USAGE, "there is no .perun/runs here or above");
	perun_free(runs);
	perun_free(id);
	return status;
}

int runs_task(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const char *cell = perun_option_string(call->options, "cell");
	const char *build = perun_option_string(call->options, "build");
	struct perun_run_cells *cells = NULL;
	size_t number;
	int status;

	if (!cell && !build)
		return perun_fail(ctx, PERUN_USAGE,
				  "run needs a sub-command: job, matrix, list, show, status, wait, "
				  "resume, cancel, collect");
	if (cell && build)
		return perun_fail(ctx, PERUN_USAGE, "--cell and --build exclude each other");
	status = open_task(ctx, cell ? "cell" : "build", cell ? cell : build, &cells, &number);
	if (!status)
		status = cell ? perun_cell_run(ctx, cells, number)
			      : perun_run_cells_build(ctx, cells, number);
	perun_run_cells_free(cells);
	return status;
}

int runs_check_done(struct perun_ctx *ctx, const struct perun_run_cells *cells,
		    const struct perun_run_status *status, const char *kind)
{
	for (size_t i = 0; i < status->count; i++) {
		const char *reason = status->cells[i].reason;

		if (status->cells[i].state != PERUN_CELL_DONE)
			return perun_fail(ctx, PERUN_INPUT, "%s %zu of run %s: %s: %s", kind, i + 1,
					  perun_run_cells_id(cells),
					  perun_cell_state_name(status->cells[i].state),
					  reason ? reason : "no reason known");
	}
	return PERUN_OK;
}
