/* SPDX-License-Identifier: BSD-3-Clause */
/* perun compare: build two versions, run both alternately, and say whether one is slower. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/cells.h>
#include <perun/lib/lookup.h>
#include <perun/lib/program.h>
#include <perun/lib/run.h>

#include "commands/common/builds.h"
#include "commands/common/interleave-options.h"
#include "commands/common/interleave-print.h"
#include "commands/common/lookup.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/common/runs.h"

static const struct perun_option options[] = {
	COMMANDS_VERSIONS_OPTIONS(PERUN_OPTION_REQUIRED, ""),
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program and its arguments, after --; those of the configuration by default"},
	COMMANDS_BUILD_OPTIONS,
	COMMANDS_INTERLEAVE_OPTIONS,
	RUNS_EXECUTOR_OPTIONS(
		"run all pairs of a command in one task of this executor, such as slurm",
		"partition: batch"),
	{.name = "json", .help = "print JSON"},
	{0}};

/* ---- what is run ----------------------------------------------------------------------------- */

/* A command line, and what its workload says of its input. */
struct program {
	struct perun_words words, environment; /* each ends with NULL */
	char *input;                           /* NULL = none */
	bool shell;
};

struct commands {
	struct program *items;
	size_t count, capacity;
};

static void commands_free(struct commands *commands)
{
	for (size_t i = 0; i < commands->count; i++) {
		perun_words_free(&commands->items[i].words);
		perun_words_free(&commands->items[i].environment);
		perun_free(commands->items[i].input);
	}
	perun_free(commands->items);
}

static struct program *add_program(struct commands *commands)
{
	PERUN_GROW(commands->items, commands->count, commands->capacity);
	commands->items[commands->count] = (struct program){0};
	return &commands->items[commands->count++];
}

/* Text i of a list of the configuration; "" where there is none, NULL after a failure. */
static const char *text_at(struct perun_ctx *ctx, const char *key, const struct perun_json *list,
			   size_t i)
{
	const char *text =
		perun_json_count(list) ? perun_json_as_string(perun_json_at(list, i), NULL) : "";

	if (!text)
		perun_fail(ctx, PERUN_INPUT, "%s: entry %zu is not text; put it in quotes", key,
			   i + 1);
	return text;
}

/* What an object of workloads says: the argument, standard input, variables, and whether a shell runs it. */
static const char *describe(const struct perun_json *workload, struct program *program)
{
	const struct perun_json *variables = perun_json_get(workload, "env");
	const char *argument = perun_json_as_string(perun_json_get(workload, "workload"), NULL);
	const char *input = perun_json_as_string(perun_json_get(workload, "stdin"), NULL);

	perun_json_as_bool(perun_json_get(workload, "shell"), &program->shell);
	program->input = input ? perun_strdup(input) : NULL;
	for (size_t i = 0; i < perun_json_count(variables); i++) {
		const struct perun_json *value = perun_json_at(variables, i);
		const char *said = perun_json_as_string(value, NULL);
		struct perun_buffer text = {0};

		perun_buffer_printf(&text, "%s=%s", perun_json_key_at(variables, i, NULL),
				    said ? said : "");
		if (!said)
			perun_json_print(value, &text, PERUN_JSON_COMPACT, 0);
		perun_words_add(&program->environment, text.data, text.length);
		perun_buffer_free(&text);
	}
	return argument ? argument : "";
}

/* The same errors as perun run has. */
static int check_workload(struct perun_ctx *ctx, const struct perun_json *workload)
{
	struct perun_plan *plan = perun_plan_new();
	int status = perun_plan_workload(ctx, plan, workload);

	perun_plan_free(plan);
	return status;
}

/* A command with arguments and a workload: words, or the line of a shell. */
static int configure(struct perun_ctx *ctx, const char *const texts[3], struct program *program)
{
	int status = PERUN_OK;

	for (int i = 0; !status && i < 3; i++) {
		if (!program->shell)
			status = perun_split_words(ctx, texts[i], &program->words);
		else if (*texts[i])
			perun_words_add(&program->words, texts[i], strlen(texts[i]));
	}
	return status;
}

/* All commands with all arguments and workloads of the configuration. */
static int configured(struct perun_ctx *ctx, struct perun_store *store, struct commands *commands)
{
	static const char *const keys[] = {"cmds", "args", "workloads"};
	struct perun_json *lists[3] = {NULL};
	size_t sizes[3] = {1, 1, 1};
	int status = PERUN_OK;

	for (int i = 0; !status && i < 3; i++) {
		status =
			perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, keys[i], &lists[i]);
		sizes[i] = perun_json_count(lists[i]) ? perun_json_count(lists[i]) : 1;
	}
	if (!status && !perun_json_count(lists[0]))
		status = perun_fail(ctx, PERUN_USAGE,
				    "no command is given and none is configured: put it after --");
	for (size_t i = 0; !status && i < sizes[0] * sizes[1] * sizes[2]; i++) {
		const size_t at[3] = {i / sizes[2] / sizes[1], i / sizes[2] % sizes[1],
				      i % sizes[2]};
		const struct perun_json *workload = perun_json_at(lists[2], at[2]);
		struct program *program = add_program(commands);
		const char *texts[3];

		if (perun_json_type(workload) == PERUN_JSON_TYPE_OBJECT)
			status = check_workload(ctx, workload);
		for (int k = 0; k < 3; k++)
			texts[k] = k == 2 && perun_json_type(workload) == PERUN_JSON_TYPE_OBJECT
					   ? describe(workload, program)
					   : text_at(ctx, keys[k], lists[k], at[k]);
		if (!status)
			status = texts[0] && texts[1] && texts[2] ? configure(ctx, texts, program)
								  : PERUN_INPUT;
	}
	for (int i = 0; i < 3; i++)
		perun_json_free(lists[i]);
	return status;
}

static int find_commands(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_options *options, struct commands *commands)
{
	size_t count = perun_option_count(options, "command");
	struct program *program;

	if (count == 0)
		return configured(ctx, store, commands);
	program = add_program(commands);
	for (size_t i = 0; i < count; i++) {
		const char *word = perun_option_string_at(options, "command", i);

		perun_words_add(&program->words, word, strlen(word));
	}
	return PERUN_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

struct comparison {
	const struct perun_command_call *call;
	struct perun_store *store;
	struct perun_build *builds[2];
	struct perun_json *found; /* --json */
	bool worse;
};

static struct commands_program borrow(const struct program *configured)
{
	return (struct commands_program){.argv = configured->words.items,
					 .environment =
						 (const char *const *)configured->environment.items,
					 .input = configured->input,
					 .shell = configured->shell};
}

static void take_result(struct perun_ctx *ctx, struct comparison *comparison,
			const struct perun_interleave *interleave,
			const struct perun_interleave_result *result)
{
	comparison->worse |= result->answer == PERUN_VERDICT_INCREASE;
	if (comparison->found)
		perun_json_append(comparison->found, commands_interleave_json(interleave, result));
	else
		commands_interleave_print(ctx, comparison->call, interleave, result);
}

static int compare_command(struct perun_ctx *ctx, struct comparison *comparison,
			   const struct program *configured)
{
	const struct commands_program program = borrow(configured);
	const char *const directories[2] = {perun_build_directory(comparison->builds[0]),
					    perun_build_directory(comparison->builds[1])};
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave;
	int status = commands_interleave_program(ctx, comparison->store, comparison->call->options,
						 &program, &interleave);

	if (!status)
		status = perun_interleave_compare(ctx, interleave, directories, &result);
	if (!status)
		take_result(ctx, comparison, interleave, &result);
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	return status;
}

/* ---- comparing elsewhere ----------------------------------------------------------------------- */

/* {"directories": [BASE, HEAD], "programs": [...]}, and a command of the plan for each program. */
static int describe_comparison(struct perun_ctx *ctx, const struct comparison *comparison,
			       const struct commands *commands, struct perun_json *document,
			       struct perun_plan *plan)
{
	struct perun_json *directories = perun_json_array(), *programs = perun_json_array();
	int status = PERUN_OK;

	for (int side = 0; side < 2; side++)
		perun_json_append(directories,
				  perun_json_text(perun_build_directory(comparison->builds[side])));
	for (size_t i = 0; !status && i < commands->count; i++) {
		const struct commands_program program = borrow(&commands->items[i]);
		struct perun_json *described = NULL;
		struct perun_buffer text = {0};

		status = commands_interleave_document(
			ctx, comparison->store, comparison->call->options, &program, &described);
		for (size_t word = 0; word < commands->items[i].words.count; word++)
			perun_buffer_printf(&text, "%s%s", word ? " " : "",
					    commands->items[i].words.items[word]);
		if (!status) {
			perun_json_append(programs, described);
			perun_plan_add(plan, PERUN_PLAN_COMMANDS, text.data);
		}
		perun_buffer_free(&text);
	}
	perun_json_set(document, "directories", directories);
	perun_json_set(document, "programs", programs);
	perun_plan_add(plan, PERUN_PLAN_COLLECTORS, "time");
	return status;
}

/* The run that an interrupted command left is waited for; one that is over is of another time. */
static int plan_run(struct perun_ctx *ctx, const struct comparison *comparison,
		    const struct perun_plan *plan, const struct perun_json *document,
		    struct perun_run_cells **cells)
{
	const struct perun_options *given = comparison->call->options;
	struct perun_run_cells_options how = {.struct_size = sizeof how,
					      .executor = perun_option_string(given, "executor"),
					      .machine = perun_option_string(given, "class"),
					      .executor_params =
						      perun_option_string(given, "executor-params"),
					      .resume = true,
					      .comparison = document};
	struct perun_run_status now = {0};
	bool resumed = false, over = false;
	int status = perun_run_cells_plan(ctx, comparison->store, plan, &how, cells, &resumed);

	if (!status && resumed) {
		status = perun_run_cells_status(ctx, *cells, &now);
		over = now.states[PERUN_CELL_PLANNED] + now.states[PERUN_CELL_WAITING] +
			       now.states[PERUN_CELL_RUNNING] ==
		       0;
		perun_run_status_free(&now);
	}
	if (!status && over) {
		perun_run_cells_free(*cells);
		*cells = NULL;
		how.resume = false;
		status = perun_run_cells_plan(ctx, comparison->store, plan, &how, cells, NULL);
	}
	return status;
}

static int wait_for_run(struct perun_ctx *ctx, const struct comparison *comparison,
			struct perun_run_cells *cells)
{
	struct perun_run_status last = {0};
	size_t submitted;
	int status = perun_run_cells_submit(ctx, comparison->store, cells, false, &submitted);

	if (status)
		return status;
	perun_note(ctx,
		   "run %s: waiting for %zu comparison%s of %s; the same command goes on with it "
		   "after an interruption",
		   perun_run_cells_id(cells), perun_run_cells_count(cells),
		   perun_run_cells_count(cells) == 1 ? "" : "s", perun_run_cells_executor(cells));
	status = perun_run_cells_wait(ctx, comparison->store, cells, NULL, NULL, &last);
	if (!status)
		status = runs_check_done(ctx, cells, &last, "comparison");
	perun_run_status_free(&last);
	return status;
}

static int take_cell(struct perun_ctx *ctx, struct comparison *comparison,
		     const struct perun_run_cells *cells, size_t number,
		     const struct perun_json *program)
{
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave = NULL;
	struct perun_json *values = NULL;
	int status = perun_cell_comparison(ctx, cells, number, &values);

	if (!status)
		status = perun_interleave_of_document(ctx, program, &interleave);
	if (!status)
		status = perun_interleave_conclude(ctx, interleave, values, &result);
	if (!status)
		take_result(ctx, comparison, interleave, &result);
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	perun_json_free(values);
	return status;
}

static int compare_elsewhere(struct perun_ctx *ctx, struct comparison *comparison,
			     const struct commands *commands)
{
	struct perun_json *document = perun_json_object();
	const struct perun_json *programs;
	struct perun_plan *plan = perun_plan_new();
	struct perun_run_cells *cells = NULL;
	int status = describe_comparison(ctx, comparison, commands, document, plan);

	programs = perun_json_get(document, "programs");
	if (!status)
		status = plan_run(ctx, comparison, plan, document, &cells);
	if (!status)
		status = wait_for_run(ctx, comparison, cells);
	for (size_t i = 0; !status && i < commands->count; i++)
		status = take_cell(ctx, comparison, cells, i + 1, perun_json_at(programs, i));
	perun_run_cells_free(cells);
	perun_plan_free(plan);
	perun_json_free(document);
	return status;
}

/* ---- the command ------------------------------------------------------------------------------- */

static void print_json(const struct comparison *comparison)
{
	struct perun_json *document = perun_json_object();

	perun_json_set(document, "base",
		       perun_json_text(perun_build_version(comparison->builds[0])));
	perun_json_set(document, "head",
		       perun_json_text(perun_build_version(comparison->builds[1])));
	perun_json_set(document, "verdict",
		       perun_json_text(comparison->worse ? "degradation" : "passed"));
	perun_json_set(document, "comparisons", perun_json_clone(comparison->found));
	commands_print_json(comparison->call, document);
}

/* Both versions, built. */
static int open_builds(struct perun_ctx *ctx, struct perun_store *store,
		       struct perun_builds *builds, struct comparison *comparison)
{
	static const char *const names[] = {"base", "head"};
	int status = PERUN_OK;

	for (int side = 0; !status && side < 2; side++) {
		char *minor = NULL;

		status = perun_lookup_version(
			ctx, store, perun_option_string(comparison->call->options, names[side]),
			&minor);
		if (!status)
			status = perun_build_open(ctx, builds, minor, &comparison->builds[side],
						  NULL);
		perun_free(minor);
	}
	return status;
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	bool json = perun_option_flag(call->options, "json");
	struct comparison comparison = {.call = call, .found = json ? perun_json_array() : NULL};
	struct perun_builds *builds = NULL;
	struct commands commands = {0};
	struct commands_reporter reporter;
	struct perun_store *store;
	int status = commands_builds_new(ctx, call, &reporter, &store, &builds);

	comparison.store = store;
	if (!status)
		status = find_commands(ctx, store, call->options, &commands);
	if (!status)
		status = open_builds(ctx, store, builds, &comparison);
	if (!status && perun_option_given(call->options, "executor"))
		status = compare_elsewhere(ctx, &comparison, &commands);
	else
		for (size_t i = 0; !status && i < commands.count; i++)
			status = compare_command(ctx, &comparison, &commands.items[i]);
	if (!status && json)
		print_json(&comparison);
	for (int side = 0; side < 2; side++)
		perun_build_close(comparison.builds[side]);
	perun_builds_free(builds);
	commands_free(&commands);
	perun_json_free(comparison.found);
	return status ? status : comparison.worse ? PERUN_DEGRADED : PERUN_OK;
}

COMMAND_PLUGIN(compare, "compare", "interleaved comparison of two versions",
	       "build two versions and run them alternately: which is slower?", options,
	       run_command);
