/* SPDX-License-Identifier: BSD-3-Clause */
/* perun compare: build two versions, run both in turns, and tell whether one is slower. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "cli/facts.h"
#include "cli/fair.h"
#include "cli/measure.h"
#include "commands/common/interleave-options.h"
#include "core/job/words.h"

const struct perun_option cli_fair_options[] = {
	CLI_VERSIONS_OPTIONS(PERUN_OPTION_REQUIRED, ""),
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program and its arguments, behind --; those of the configuration by default"},
	CLI_BUILD_OPTIONS,
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
static int read_list(struct cli *cli, const char *key, struct perun_words *list)
{
	struct perun_json *texts = NULL;
	int status = perun_config_document(cli->ctx, cli->store, PERUN_CONFIG_NEAREST, key, &texts);

	for (size_t i = 0; !status && i < perun_json_count(texts); i++) {
		const char *text = perun_json_as_string(perun_json_at(texts, i), NULL);

		if (text)
			perun_words_add(list, text, strlen(text));
		else
			status = perun_fail(cli->ctx, PERUN_INPUT,
					    "%s: entry %zu is no text; put it in quotes", key,
					    i + 1);
	}
	perun_json_free(texts);
	if (!status && list->count == 0)
		perun_words_add(list, "", 0);
	return status;
}

/* All commands with all arguments and workloads of the configuration. */
static int configured(struct cli *cli, struct commands *commands)
{
	struct perun_words lists[3] = {{0}};
	static const char *const keys[] = {"cmds", "args", "workloads"};
	int status = PERUN_OK;

	for (int i = 0; !status && i < 3; i++)
		status = read_list(cli, keys[i], &lists[i]);
	if (!status && !*lists[0].items[0])
		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "no command is given and none is configured: put it behind --");
	for (size_t i = 0; !status && i < lists[0].count * lists[1].count * lists[2].count; i++) {
		size_t row = i / lists[2].count;
		struct perun_words *words = add_command(commands);

		status = perun_split_words(cli->ctx, lists[0].items[row / lists[1].count], words);
		if (!status)
			status = perun_split_words(cli->ctx, lists[1].items[row % lists[1].count],
						   words);
		if (!status)
			status = perun_split_words(cli->ctx, lists[2].items[i % lists[2].count],
						   words);
	}
	for (int i = 0; i < 3; i++)
		perun_words_free(&lists[i]);
	return status;
}

static int find_commands(struct cli *cli, const struct perun_options *options,
			 struct commands *commands)
{
	size_t count = perun_option_count(options, "command");
	struct perun_words *words;

	if (count == 0)
		return configured(cli, commands);
	words = add_command(commands);
	for (size_t i = 0; i < count; i++) {
		const char *word = perun_option_string_at(options, "command", i);

		perun_words_add(words, word, strlen(word));
	}
	return PERUN_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

struct comparison {
	struct cli *cli;
	const struct perun_options *options;
	struct perun_build *builds[2];
	json_t *facts;
	bool worse;
};

static int compare_command(struct comparison *comparison, char *const *argv)
{
	const char *const directories[2] = {perun_build_directory(comparison->builds[0]),
					    perun_build_directory(comparison->builds[1])};
	struct perun_ctx *ctx = comparison->cli->ctx;
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave;
	int status = commands_interleave_new(ctx, comparison->options, argv, &interleave);

	if (!status)
		status = perun_interleave_compare(ctx, interleave, directories, &result);
	if (!status) {
		comparison->worse |= result.answer == PERUN_VERDICT_INCREASE;
		if (comparison->facts)
			json_array_append_new(comparison->facts,
					      cli_fair_fact(interleave, &result));
		else
			cli_fair_print(comparison->cli, interleave, &result);
	}
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	return status;
}

static void print_json(struct comparison *comparison)
{
	json_t *document = json_object();

	json_object_set_new(document, "base",
			    cli_fact_text(perun_build_version(comparison->builds[0])));
	json_object_set_new(document, "head",
			    cli_fact_text(perun_build_version(comparison->builds[1])));
	json_object_set_new(document, "verdict",
			    json_string(comparison->worse ? "degradation" : "passed"));
	json_object_set(document, "comparisons", comparison->facts);
	cli_print_facts(document);
}

static int compare_all(struct comparison *comparison, const struct commands *commands)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < commands->count; i++)
		status = compare_command(comparison, commands->items[i].items);
	if (!status && comparison->facts)
		print_json(comparison);
	return status;
}

/* Both versions, built. */
static int open_builds(struct comparison *comparison, struct perun_builds *builds)
{
	static const char *const names[] = {"base", "head"};
	struct cli *cli = comparison->cli;
	int status = PERUN_OK;

	for (int side = 0; !status && side < 2; side++) {
		char *minor = NULL;

		status = cli_minor(cli, perun_option_string(comparison->options, names[side]),
				   &minor);
		if (!status)
			status = perun_build_open(cli->ctx, builds, minor,
						  &comparison->builds[side], NULL);
		perun_free(minor);
	}
	return status;
}

int cli_compare_versions(struct cli *cli, const struct cli_call *call)
{
	struct comparison comparison = {.cli = cli, .options = call->options};
	const struct perun_builds_options how = {
		.struct_size = sizeof how,
		.command = perun_option_string(call->options, "build"),
		.again = perun_option_flag(call->options, "rebuild"),
		.listener = {cli_run_event, cli}};
	struct perun_builds *builds = NULL;
	struct commands commands = {0};
	struct perun_vcs *vcs;
	int status = cli_open_vcs(cli, &vcs);

	comparison.facts = perun_option_flag(call->options, "json") ? json_array() : NULL;
	if (!status)
		status = find_commands(cli, call->options, &commands);
	if (!status)
		status = perun_builds_new(cli->ctx, cli->store, &how, &builds);
	if (!status)
		status = open_builds(&comparison, builds);
	if (!status)
		status = compare_all(&comparison, &commands);
	for (int side = 0; side < 2; side++)
		perun_build_close(comparison.builds[side]);
	perun_builds_free(builds);
	commands_free(&commands);
	json_decref(comparison.facts);
	return status ? status : comparison.worse ? PERUN_DEGRADED : PERUN_OK;
}
