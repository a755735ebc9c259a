/* SPDX-License-Identifier: BSD-3-Clause */
/* perun completion: scripts for shells, and the words they offer. */
#include <config.h>

#include <string.h>

#include <perun/lib/registry.h>
#include <perun/view.h>

#include "cli/base/cli.h"
#include "cli/base/host.h"
#include "cli/base/module.h"
#include "commands/common/candidates.h"
#include "commands/common/completion-scripts.h"

const struct perun_option cli_completion_options[] = {
	{.name = "shell",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_CHOICE,
	 .choices = COMMANDS_SHELLS,
	 .help = "the shell"},
	{0}};

int cli_completion(struct cli *cli, const struct cli_call *call)
{
	(void)cli;
	fputs(commands_completion_script(perun_option_string(call->options, "shell")), stdout);
	return PERUN_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void offer(const char *word, const char *explanation, const char *begun)
{
	if (strncmp(word, begun, strlen(begun)) == 0)
		printf("%s\t%s\n", word, explanation ? explanation : "");
}

static void offer_commands(struct cli *cli, const struct cli_command *commands, bool plugins,
			   const char *begun)
{
	const struct perun_plugin_info *info;

	for (; commands->name; commands++) {
		if (!(commands->flags & CLI_HIDDEN))
			offer(commands->name, commands->summary, begun);
	}
	for (size_t at = 0; plugins && (info = perun_registry_next_with_commands(cli->ctx, &at));) {
		for (const char *const *name = info->commands; name[0]; name += 2)
			offer(name[0], name[1], begun);
	}
}

/* Plugins of a kind; of views for showdiff only those that take two profiles. */
static void offer_modules(struct cli *cli, unsigned kind, bool two, const char *begun)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(cli->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin *plugin;
		struct perun_view_ops ops = {0};

		if ((unsigned)infos[i].kind != kind || infos[i].problem)
			continue;
		if (two && perun_registry_load(cli->ctx, infos[i].kind, infos[i].name, &plugin))
			continue;
		if (two)
			perun_plugin_ops(plugin, &ops, sizeof ops);
		if (!two || (ops.minimum <= 2 && (!ops.maximum || ops.maximum >= 2)))
			offer(infos[i].name, infos[i].summary, begun);
	}
}

/* ---- topics of the manual -------------------------------------------------------------------- */

/* Pages that belong to no command are topics, too: json of perun-json(7). */
static void offer_page(void *data, const char *topic, const char *explanation)
{
	if (!cli_find_command(cli_commands, topic))
		offer(topic, explanation, data);
}

static void complete_help(struct cli *cli, const char *const *words, size_t word_count)
{
	const struct cli_command *command = cli_find_command(cli_commands, words[0]);

	if (word_count == 1) {
		offer_commands(cli, cli_commands, true, words[0]);
		for (unsigned kind = 0; kind < PERUN_KINDS; kind++) {
			const char *name = perun_kind_name((enum perun_kind)kind);

			if (kind != PERUN_KIND_COMMAND && !cli_find_command(cli_commands, name))
				offer(name, "the plugins of this kind", words[0]);
		}
		commands_offer_pages(PERUN_MAN_DIR, offer_page, (void *)words[0]);
		return;
	}
	if (word_count != 2)
		return;
	if (command && command->subcommands)
		offer_commands(cli, command->subcommands, false, words[1]);
	if (command && command->module)
		offer_modules(cli, command->module - 1, false, words[1]);
	if (!command && perun_kind_from_name(words[0]) != PERUN_KINDS)
		offer_modules(cli, perun_kind_from_name(words[0]), false, words[1]);
}

/* ---- values ---------------------------------------------------------------------------------- */

struct offering {
	const struct perun_option_value *value;
};

static void print_value(void *data, const char *word, const char *explanation)
{
	const struct perun_option_value *value = ((const struct offering *)data)->value;

	if (strncmp(word, value->text, strlen(value->text)) == 0)
		printf("%.*s%s\t%s\n", (int)(value->text - value->before), value->before, word,
		       explanation);
}

/* Offer values and names of a command's options; `command` is its name, "" for the program itself. */
static void offer_options(struct cli *cli, const char *command,
			  const struct perun_option_table *tables, size_t count,
			  const char *const *line, const char *const *words)
{
	struct perun_option_value value;
	struct offering offering = {&value};
	struct perun_buffer text = {0};
	size_t before = 0;

	if (perun_options_expected(tables, count, words, &value)) {
		struct commands_candidates candidates = {.ctx = cli->ctx,
							 .command = command,
							 .text = value.text,
							 .offer = print_value,
							 .data = &offering};

		(void)cli_find_store(cli);
		perun_ctx_clear(cli->ctx);
		while (line[before + 1])
			before++;
		candidates.store = cli->store;
		candidates.words = perun_alloc_zero(before + 1, sizeof *candidates.words);
		if (before)
			memcpy((void *)candidates.words, line, before * sizeof *line);
		commands_offer_values(&candidates, &value.option);
		perun_free((void *)candidates.words);
	}
	perun_options_complete(tables, count, words, &text);
	if (text.length)
		fwrite(text.data, 1, text.length, stdout);
	perun_buffer_free(&text);
}

/* ---- words of a line ------------------------------------------------------------------------- */

/*
 * The number of words that the options (and fixed positionals) of a command, or with NULL of the program, take before the
 * last word; SIZE_MAX when the last word belongs to them.
 */
static size_t skip_options(struct cli *cli, const struct cli_command *command,
			   const char *const *words, size_t word_count)
{
	const struct perun_option_table global = {cli_global_options, 0};
	const char **before = perun_alloc_zero(word_count + 1, sizeof *before);
	struct perun_options *options = NULL;
	size_t used = 0;
	int status;

	for (size_t i = 0; i + 1 < word_count; i++)
		before[i] = words[i];
	if (command)
		status = cli_parse_options(cli, command, before, PERUN_PARSE_STOP_AT_POSITIONAL,
					   &options, &used);
	else
		status = perun_options_parse(cli->ctx, &global, 1, before,
					     PERUN_PARSE_STOP_AT_POSITIONAL, &options, &used);
	perun_ctx_clear(cli->ctx);
	/* An argument that other options could have replaced. */
	if (!status && command && command->instead && !command->instead(options) &&
	    !perun_option_given(options, command->options->name))
		status = PERUN_USAGE;
	perun_options_free(options);
	perun_free(before);
	return status ? SIZE_MAX : used;
}

/* Words of a module's options, or its sub-commands. `line`: all words of the command. */
static void complete_module(struct cli *cli, const struct cli_command *command,
			    const char *const *line, const char *const *words, size_t word_count)
{
	const struct perun_plugin *plugin;
	struct perun_option_table tables[2];
	size_t tables_count = 1;

	if (perun_registry_load(cli->ctx, (enum perun_kind)(command->module - 1), words[0],
				&plugin))
		return;
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		if (word_count == 2)
			offer(sub->name, sub->summary, words[1]);
		else if (strcmp(words[1], sub->name) == 0)
			tables[tables_count++] =
				(struct perun_option_table){sub->options, sub->option_size};
		if (tables_count == 2)
			break;
	}
	offer_options(cli, command->name, tables, tables_count, line, words + 1);
}

static void complete_subcommand(struct cli *cli, const struct cli_command *command,
				const char *const *words, size_t word_count)
{
	struct perun_option_table tables[2] = {{NULL, 0}, {command->options, 0}};
	const struct cli_command *sub = cli_find_command(command->subcommands, words[0]);
	char *name;

	(void)word_count;
	if (!sub)
		return;
	tables[0].options = sub->options;
	name = perun_format("%s %s", command->name, sub->name);
	offer_options(cli, name, tables, sub->plugin ? 1 : 2, words + 1, words + 1);
	perun_free(name);
}

static void complete_command(struct cli *cli, const struct cli_command *command,
			     const char *const *words, size_t word_count)
{
	struct perun_option_table tables[1] = {{command->options, 0}};
	size_t used = skip_options(cli, command, words, word_count);

	/* Further profiles are between the first one and the view. */
	while (command->module && used != SIZE_MAX && used + 1 < word_count &&
	       strcmp(command->name, "show") == 0 &&
	       !cli_module_exists(cli, (enum perun_kind)(command->module - 1), words[used]))
		used++;
	if (used == SIZE_MAX || (!command->subcommands && !command->module)) {
		offer_options(cli, command->name, tables, 1, words, words);
	} else if (command->subcommands && used + 1 == word_count) {
		if (words[used][0] == '-' || used > 0)
			offer_options(cli, command->name, tables, 1, words, words);
		if (words[used][0] != '-')
			offer_commands(cli, command->subcommands, false, words[used]);
	} else if (command->subcommands) {
		complete_subcommand(cli, command, words + used, word_count - used);
	} else if (used + 1 == word_count) {
		offer_options(cli, command->name, tables, 1, words, words);
		if (words[used][0] != '-')
			offer_modules(cli, command->module - 1,
				      strcmp(command->name, "showdiff") == 0, words[used]);
	} else {
		complete_module(cli, command, words, words + used, word_count - used);
	}
}

/* A command that reads its words itself says what may follow them, if it can. */
static void complete_raw(struct cli *cli, const struct cli_command *command,
			 const char *const *words, size_t word_count)
{
	const char **line;
	struct cli_call call = {.command = command};

	if (!command->plugin || !(command->plugin->flags & PERUN_COMMAND_COMPLETES)) {
		puts("<file>");
		return;
	}
	line = perun_alloc_zero(word_count + 2, sizeof *line);
	line[0] = PERUN_COMMAND_COMPLETE;
	memcpy((void *)(line + 1), words, word_count * sizeof *words);
	call.rest = call.words = line;
	(void)command->run(cli, &call);
	perun_free((void *)line);
}

int cli_complete(struct cli *cli, const struct cli_call *call)
{
	const struct perun_option_table global = {cli_global_options, 0};
	const char *const empty[] = {"", NULL};
	const char *const *words = call->rest[0] ? call->rest : empty;
	const struct cli_command *command;
	struct cli_command found = {0};
	size_t count = 0, used;

	while (words[count])
		count++;
	used = skip_options(cli, NULL, words, count);
	if (used == SIZE_MAX || (used + 1 == count && words[used][0] == '-')) {
		offer_options(cli, "", &global, 1, words, words);
	} else if (used + 1 == count) {
		offer_commands(cli, cli_commands, true, words[used]);
	} else {
		command = cli_find_command(cli_commands, words[used]);
		if (!command && !cli_find_plugin_command(cli, words[used], &found) && found.name)
			command = &found;
		words += used + 1;
		count -= used + 1;
		if (command && command->flags & CLI_RAW)
			complete_raw(cli, command, words, count);
		else if (command && command->run == cli_help && words[count - 1][0] != '-')
			complete_help(cli, words, count);
		else if (command)
			complete_command(cli, command, words, count);
	}
	perun_ctx_clear(cli->ctx);
	return PERUN_OK;
}
