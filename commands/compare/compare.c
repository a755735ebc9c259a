/* SPDX-License-Identifier: BSD-3-Clause */
/* perun compare: build two versions, run both alternately, and say whether one is slower. */
#include <config.h>

#include <string.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/program.h>

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

/* Lists of words; each ends with NULL. */
struct commands {
	struct perun_words *items;
	size_t count, capacity;
};

static void commands_free(struct commands *commands)
{
	for (size_t i = 0; i < commands->count; i++)
		perun_words_free(&commands->items[i]);
	perun_free(commands->items);
}

static struct perun_words *add_command(struct commands *commands)
{
	PERUN_GROW(commands->items, commands->count, commands->capacity);
	commands->items[commands->count] = (struct perun_words){0};
	return &commands->items[commands->count++];
}

/* The texts of a list of the configuration; at least "". */
static int read_list(struct perun_ctx *ctx, struct perun_store *store, const char *key,
		     struct perun_words *list)
{
	struct perun_json *texts = NULL;
	int status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, key, &texts);

	for (size_t i = 0; !status && i < perun_json_count(texts); i++) {
		const char *text = perun_json_as_string(perun_json_at(texts, i), NULL);

		if (text)
			perun_words_add(list, text, strlen(text));
		else
			status = perun_fail(ctx, PERUN_INPUT,
					    "%s: entry %zu is not text; put it in quotes", key,
					    i + 1);
	}
	perun_json_free(texts);
	if (!status && list->count == 0)
		perun_words_add(list, "", 0);
	return status;
}

/* All commands with all arguments and workloads of the configuration. */
static int configured(struct perun_ctx *ctx, struct perun_store *store, struct commands *commands)
{
	struct perun_words lists[3] = {{0}};
	static const char *const keys[] = {"cmds", "args", "workloads"};
	int status = PERUN_OK;

	for (int i = 0; !status && i < 3; i++)
		status = read_list(ctx, store, keys[i], &lists[i]);
	if (!status && !*lists[0].items[0])
		status = perun_fail(ctx, PERUN_USAGE,
				    "no command is given and none is configured: put it after --");
	for (size_t i = 0; !status && i < lists[0].count * lists[1].count * lists[2].count; i++) {
		size_t row = i / lists[2].count;
		struct perun_words *words = add_command(commands);

		status = perun_split_words(ctx, lists[0].items[row / lists[1].count], words);
		if (!status)
			status =
				perun_split_words(ctx, lists[1].items[row % lists[1].count], words);
		if (!status)
			status = perun_split_words(ctx, lists[2].items[i % lists[2].count], words);
	}
	for (int i = 0; i < 3; i++)
		perun_words_free(&lists[i]);
	return status;
}

static int find_commands(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_options *options, struct commands *commands)
{
	size_t count = perun_option_count(options, "command");
	struct perun_words *words;

	if (count == 0)
		return configured(ctx, store, commands);
	words = add_command(commands);
	for (size_t i = 0; i < count; i++) {
		const char *word = perun_option_string_at(options, "command", i);

		perun_words_add(words, word, strlen(word));
	}
	return PERUN_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

struct comparison {
	const struct perun_command_call *call;
	struct perun_build *builds[2];
	struct perun_json *found; /* --json */
	bool worse;
};

static int compare_command(struct perun_ctx *ctx, struct comparison *comparison, char *const *argv)
{
	const char *const directories[2] = {perun_build_directory(comparison->builds[0]),
					    perun_build_directory(comparison->builds[1])};
	const struct perun_command_call *call = comparison->call;
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave;
	int status = commands_interleave_new(ctx, call->options, argv, &interleave);

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

	if (!status)
		status = find_commands(ctx, store, call->options, &commands);
	if (!status)
		status = open_builds(ctx, store, builds, &comparison);
	for (size_t i = 0; !status && i < commands.count; i++)
		status = compare_command(ctx, &comparison, commands.items[i].items);
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
