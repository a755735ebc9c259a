/* SPDX-License-Identifier: BSD-3-Clause */
/* perun compare: build two versions, run both alternately, and say whether one is slower. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/program.h>
#include <perun/lib/run.h>

#include "commands/common/builds.h"
#include "commands/common/interleave-options.h"
#include "commands/common/interleave-print.h"
#include "commands/common/lookup.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"

static const struct perun_option options[] = {
	COMMANDS_VERSIONS_OPTIONS(PERUN_OPTION_REQUIRED, ""),
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program and its arguments, after --; those of the configuration by default"},
	COMMANDS_BUILD_OPTIONS,
	COMMANDS_INTERLEAVE_OPTIONS,
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

static int compare_command(struct perun_ctx *ctx, struct comparison *comparison,
			   const struct program *configured)
{
	const struct commands_program program = {
		.argv = configured->words.items,
		.environment = (const char *const *)configured->environment.items,
		.input = configured->input,
		.shell = configured->shell};
	const char *const directories[2] = {perun_build_directory(comparison->builds[0]),
					    perun_build_directory(comparison->builds[1])};
	const struct perun_command_call *call = comparison->call;
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave;
	int status = commands_interleave_program(ctx, comparison->store, call->options, &program,
						 &interleave);

	if (!status)
		status = perun_interleave_compare(ctx, interleave, directories, &result);
	if (!status) {
		comparison->worse |= result.answer == PERUN_VERDICT_INCREASE;
		if (comparison->found)
			perun_json_append(comparison->found,
					  commands_interleave_json(interleave, &result));
		else
			commands_interleave_print(ctx, call, interleave, &result);
	}
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	return status;
}

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
