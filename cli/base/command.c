/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing and running a command. */
#include <string.h>
#include <unistd.h>

#include <perun/lib/options.h>
#include <perun/lib/registry.h>

#include "cli/base/cli.h"

const struct perun_option cli_global_options[] = {
	{.name = "directory",
	 .aliases = "-C",
	 .metavar = "DIR",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "run as if started in this directory"},
	{.name = "config",
	 .aliases = "-c",
	 .metavar = "KEY=VALUE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a setting of the configuration for this run"},
	{.name = "no-pager", .help = "do not send long output through a pager"},
	{.name = "no-color", .aliases = "-nc", .help = "do not use colours"},
	{.name = "say-yes", .aliases = "-y --yes", .help = "answer every question with yes"},
	{.name = "verbose",
	 .aliases = "-v",
	 .flags = PERUN_OPTION_COUNTED,
	 .help = "say more of what is done"},
	{.name = "version", .help = "print the version"},
	{.name = "help", .aliases = "-h", .help = "print help"},
	{.name = "dev-mode", .aliases = "-d", .flags = PERUN_OPTION_HIDDEN},
	{.name = "metrics",
	 .aliases = "-m",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_HIDDEN},
	{0}};

const struct perun_option cli_common_options[] = {
	{.name = "no-pager", .flags = PERUN_OPTION_HIDDEN},
	{.name = "no-color", .aliases = "-nc", .flags = PERUN_OPTION_HIDDEN},
	{.name = "say-yes", .aliases = "-y --yes", .flags = PERUN_OPTION_HIDDEN},
	{0}};

const struct cli_command *cli_find_command(const struct cli_command *commands, const char *name)
{
	for (; commands->name; commands++) {
		if (strcmp(commands->name, name) == 0)
			return commands;
	}
	return NULL;
}

int cli_unknown_command(struct cli *cli, const char *parent, const struct cli_command *commands,
			const char *name)
{
	enum { MAX_NAMES = 128 };
	const char *names[MAX_NAMES], *near;
	const struct perun_plugin_info *plugin;
	size_t count = 0, at = 0;

	for (; commands->name && count < MAX_NAMES; commands++) {
		if (!(commands->flags & CLI_HIDDEN))
			names[count++] = commands->name;
	}
	perun_registry_describe(cli->ctx);
	while (!parent && (plugin = perun_registry_next_with_commands(cli->ctx, &at))) {
		const char *const *brought = plugin->commands;

		for (; brought[0] && count < MAX_NAMES; brought += 2)
			names[count++] = brought[0];
	}
	if (parent && strcmp(parent, "check") == 0 && access(name, F_OK) == 0)
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "%s is a file; did you mean perun check profiles %s ...?", name,
				  name);
	if (!parent && perun_registry_packaged(cli->ctx, PERUN_KIND_COMMAND, name))
		return PERUN_MISSING;
	near = perun_suggest(name, names, count);
	if (near)
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "no command called %s%s%s; did you mean %s?",
				  parent ? parent : "", parent ? " " : "", name, near);
	return perun_fail(cli->ctx, PERUN_USAGE, "no command called %s%s%s; see perun help%s%s",
			  parent ? parent : "", parent ? " " : "", *name ? name : "''",
			  parent ? " " : "", parent ? parent : "");
}

bool cli_flag(const struct cli_call *call, const char *name)
{
	return perun_option_flag(call->options, name) ||
	       (call->before && perun_option_flag(call->before, name));
}

const char *cli_string(const struct cli_call *call, const char *name)
{
	if (call->before && !perun_option_given(call->options, name))
		return perun_option_string(call->before, name);
	return perun_option_string(call->options, name);
}

const char **cli_strings(const struct perun_options *options, const char *name)
{
	size_t count = perun_option_count(options, name);
	const char **texts = perun_alloc_zero(count + 1, sizeof *texts);

	for (size_t i = 0; i < count; i++)
		texts[i] = perun_option_string_at(options, name, i);
	return texts;
}

/* ---- parsing and running --------------------------------------------------------------------- */

static void apply_common(struct cli *cli, const struct perun_options *options)
{
	cli->no_pager |= perun_option_flag(options, "no-pager");
	cli->yes |= perun_option_flag(options, "say-yes");
	if (perun_option_flag(options, "no-color"))
		cli->no_color = true, cli->color = false;
}

/*
 * Whether help is asked for. `-h` counts as first word and after a sub-command only: modules have it
 * for other things.
 */
static bool asks_for_help(const struct cli_command *command, const char *const *words)
{
	if (command->flags & CLI_RAW)
		return false;
	if (!(command->flags & CLI_NO_SHORT_HELP)) {
		size_t at = words[0] && command->subcommands && words[0][0] != '-' ? 1 : 0;

		if (words[at] && strcmp(words[at], "-h") == 0)
			return true;
	}
	for (; *words && strcmp(*words, "--") != 0; words++) {
		if (strcmp(*words, "--help") == 0)
			return true;
	}
	return false;
}

/* Help about the sub-command or module that the words name, else about the command. */
static int help_for_words(struct cli *cli, const struct cli_command *command,
			  const char *const *words)
{
	for (; *words; words++) {
		const struct cli_command *sub = NULL;

		if (command->subcommands)
			sub = cli_find_command(command->subcommands, *words);
		if (sub)
			return cli_print_help(cli, command, sub, NULL);
		if (command->module && **words != '-') {
			size_t count;
			char **names = perun_supported_modules(
				cli->ctx, (enum perun_kind)(command->module - 1), &count);
			bool found = false;

			for (size_t i = 0; i < count; i++)
				found |= strcmp(names[i], *words) == 0;
			perun_free(names);
			if (found)
				return cli_print_help(cli, NULL, command, *words);
		}
	}
	return cli_print_help(cli, NULL, command, NULL);
}

static int missing_subcommand(struct cli *cli, const struct cli_command *command)
{
	struct perun_buffer names = {0};
	int status;

	for (const struct cli_command *sub = command->subcommands; sub->name; sub++)
		perun_buffer_printf(&names, "%s%s", names.length ? ", " : "", sub->name);
	status = perun_fail(cli->ctx, PERUN_USAGE, "%s needs a sub-command: %s", command->name,
			    names.data);
	perun_buffer_free(&names);
	return status;
}

static int run_subcommand(struct cli *cli, const struct cli_command *command,
			  const char *const *words)
{
	struct perun_option_table tables[3] = {{command->options, 0}, {cli_common_options, 0}};
	struct perun_options *before, *options;
	const struct cli_command *sub;
	struct cli_call call = {0};
	size_t used;
	int status = perun_options_parse(cli->ctx, tables, 2, words, PERUN_PARSE_STOP_AT_POSITIONAL,
					 &before, &used);

	if (status)
		return status;
	apply_common(cli, before);
	sub = words[used] ? cli_find_command(command->subcommands, words[used]) : NULL;
	call = (struct cli_call){.command = command, .options = before};
	if (!words[used] && command->run)
		status = command->run(cli, &call);
	else if (!words[used])
		status = missing_subcommand(cli, command);
	else if (!sub)
		status = cli_unknown_command(cli, command->name, command->subcommands, words[used]);
	/* Sub-commands of plugins are not given the options of the command: no option is ignored in silence. */
	if (!status && sub && sub->plugin) {
		perun_options_free(before);
		status = perun_options_parse(cli->ctx, tables + 1, 1, words,
					     PERUN_PARSE_STOP_AT_POSITIONAL, &before, &used);
	}
	if (!status && sub) {
		tables[0] = (struct perun_option_table){sub->options, 0};
		tables[1] = (struct perun_option_table){cli_common_options, 0};
		tables[2] = (struct perun_option_table){command->options, 0};
		status = perun_options_parse(cli->ctx, tables, sub->plugin ? 2 : 3,
					     words + used + 1, 0, &options, NULL);
	}
	if (!status && sub) {
		apply_common(cli, options);
		call = (struct cli_call){.command = sub, .options = options, .before = before};
		status = sub->run(cli, &call);
		perun_options_free(options);
	}
	perun_options_free(before);
	return status;
}

/* Whether a word that a module did not understand is an option of the command, whose options are before the module's name. */
static bool is_own_option(const struct perun_option_table *table, const char *word,
			  const char *error)
{
	const char *words[] = {word, "x", "x", NULL}, *at = strstr(error, word);
	bool named = at && at > error && at[-1] == ' ', known;
	struct perun_options *options = NULL;
	struct perun_ctx *quiet;

	/* Of "-m full --minor y" it is what the error names; -c cmd may be an error of another kind. */
	if (word[0] != '-' || !word[1] ||
	    !(named || (word[1] != '-' && !strstr(error, "unknown option"))))
		return false;
	quiet = perun_ctx_new(NULL);
	known = perun_options_parse(quiet, table, 1, words, PERUN_PARSE_STOP_AT_POSITIONAL,
				    &options, NULL) == PERUN_OK;
	perun_options_free(options);
	perun_ctx_free(quiet);
	return known;
}

static void hint_at_order(struct cli *cli, const struct cli_call *call)
{
	const struct perun_option_table table = {call->command->options, 0};
	const char *error = perun_ctx_error(cli->ctx);

	if (!error || !strstr(error, "option -") || !call->rest[0])
		return;
	for (const char *const *word = call->rest + 1; *word; word++) {
		if (is_own_option(&table, *word, error)) {
			perun_fail(cli->ctx, PERUN_OK,
				   "%s is an option of perun %s: write it before %s", *word,
				   call->command->name, call->rest[0]);
			return;
		}
	}
}

int cli_parse_options(struct cli *cli, const struct cli_command *command, const char *const *words,
		      unsigned flags, struct perun_options **options, size_t *used)
{
	struct perun_option_table tables[2] = {{command->options, 0}, {cli_common_options, 0}};

	if (command->instead) {
		tables[0].options++;
		if (!perun_options_parse(cli->ctx, tables, 2, words, flags, options, used) &&
		    command->instead(*options))
			return PERUN_OK;
		perun_options_free(*options);
		perun_ctx_clear(cli->ctx);
		tables[0].options--;
	}
	return perun_options_parse(cli->ctx, tables, 2, words, flags, options, used);
}

int cli_run_command(struct cli *cli, const struct cli_command *command, const char *const *words)
{
	struct cli_call call = {.command = command, .rest = words, .words = words};
	struct perun_options *options;
	size_t used;
	int status;

	if (asks_for_help(command, words))
		return help_for_words(cli, command, words);
	if (command->flags & CLI_RAW)
		return command->run(cli, &call);
	if (command->subcommands)
		return run_subcommand(cli, command, words);
	status = cli_parse_options(cli, command, words,
				   command->flags & CLI_STOPS ? PERUN_PARSE_STOP_AT_POSITIONAL : 0,
				   &options, &used);
	if (status)
		return status;
	apply_common(cli, options);
	call.options = options;
	call.rest = words + used;
	status = command->run(cli, &call);
	if (status == PERUN_USAGE && command->flags & CLI_STOPS)
		hint_at_order(cli, &call);
	perun_options_free(options);
	return status;
}
