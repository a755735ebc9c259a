/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands, and parsing and running one. */
#include <string.h>

#include <perun/lib/options.h>
#include <perun/lib/registry.h>

#include "cli/cli.h"

#define MODULE(kind) ((unsigned)(kind) + 1)

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

static const struct cli_command check_commands[] = {
	{.name = "head",
	 .summary = "compare a version with the nearest measured ones before it",
	 .options = cli_check_head_options,
	 .run = cli_check_head},
	{.name = "all",
	 .summary = "compare every version of a history",
	 .options = cli_check_head_options,
	 .run = cli_check_all},
	{.name = "profiles",
	 .summary = "compare two profiles",
	 .options = cli_check_profiles_options,
	 .run = cli_check_profiles},
	{.name = "series",
	 .summary = "find the changes in a series of measurements",
	 .options = cli_check_series_options,
	 .run = cli_check_series},
	{0}};

static const struct cli_command changes_commands[] = {
	{.name = "ack",
	 .summary = "acknowledge a change, so that it is no news any more",
	 .options = cli_changes_ack_options,
	 .run = cli_changes_ack},
	{.name = "list",
	 .summary = "list what was acknowledged",
	 .options = cli_changes_list_options,
	 .run = cli_changes_list},
	{0}};

static const struct cli_command config_commands[] = {
	{.name = "list",
	 .summary = "print all settings",
	 .options = cli_config_list_options,
	 .run = cli_config_list},
	{.name = "get",
	 .summary = "print a setting",
	 .options = cli_config_get_options,
	 .run = cli_config_get},
	{.name = "set",
	 .summary = "change a setting",
	 .options = cli_config_set_options,
	 .run = cli_config_set},
	{.name = "add",
	 .summary = "add a value to a setting that is a list",
	 .options = cli_config_set_options,
	 .run = cli_config_add},
	{.name = "edit", .summary = "open the configuration in an editor", .run = cli_config_edit},
	{.name = "reset",
	 .summary = "put a fresh configuration in its place",
	 .options = cli_config_reset_options,
	 .run = cli_config_reset},
	{0}};

static const struct cli_command run_commands[] = {
	{.name = "job",
	 .summary = "collect and postprocess what the options say",
	 .options = cli_run_job_options,
	 .run = cli_run_job},
	{.name = "matrix",
	 .summary = "collect and postprocess what the configuration says",
	 .options = cli_run_matrix_options,
	 .run = cli_run_matrix},
	{0}};

static const struct cli_command plugin_commands[] = {
	{.name = "list",
	 .summary = "list the installed plugins",
	 .options = cli_plugin_list_options,
	 .run = cli_plugin_list},
	{.name = "show",
	 .summary = "tell all about a plugin",
	 .options = cli_plugin_show_options,
	 .run = cli_plugin_show},
	{.name = "describe",
	 .summary = "print the text to ship beside a plugin",
	 .options = cli_plugin_describe_options,
	 .run = cli_plugin_describe},
	{.name = "check",
	 .summary = "load plugins and validate their tables",
	 .options = cli_plugin_check_options,
	 .run = cli_plugin_check},
	{0}};

const struct cli_command cli_commands[] = {
	{.name = "status",
	 .summary = "show the profiles of the current version",
	 .options = cli_status_options,
	 .run = cli_status},
	{.name = "log",
	 .summary = "show the history with its profiles",
	 .options = cli_log_options,
	 .run = cli_log},
	{.name = "collect",
	 .summary = "measure a program",
	 .options = cli_collect_options,
	 .module = MODULE(PERUN_KIND_COLLECT),
	 .flags = CLI_STOPS,
	 .usage = "COLLECTOR [COLLECTOR-OPTION...]",
	 .run = cli_collect},
	{.name = "run",
	 .summary = "measure several programs, workloads and collectors",
	 .options = cli_run_options,
	 .subcommands = run_commands},
	{.name = "add",
	 .summary = "register profiles with a version",
	 .options = cli_add_options,
	 .run = cli_add},
	{.name = "rm",
	 .summary = "take profiles out of a version",
	 .options = cli_rm_options,
	 .run = cli_rm},
	{.name = "show",
	 .summary = "show profiles in a view",
	 .options = cli_show_options,
	 .module = MODULE(PERUN_KIND_VIEW),
	 .flags = CLI_STOPS,
	 .usage = "[PROFILE...] [VIEW [VIEW-OPTION...]]",
	 .run = cli_show},
	{.name = "showdiff",
	 .summary = "show what changed between two versions",
	 .options = cli_showdiff_options,
	 .module = MODULE(PERUN_KIND_VIEW),
	 .flags = CLI_STOPS,
	 .usage = "[VIEW [VIEW-OPTION...]]",
	 .run = cli_showdiff},
	{.name = "postprocessby",
	 .summary = "make a new profile from a profile",
	 .options = cli_postprocessby_options,
	 .module = MODULE(PERUN_KIND_POSTPROCESS),
	 .flags = CLI_STOPS,
	 .usage = "UNIT [UNIT-OPTION...]",
	 .run = cli_postprocessby},
	{.name = "check",
	 .summary = "find out what became slower",
	 .options = cli_check_options,
	 .subcommands = check_commands},
	{.name = "changes",
	 .summary = "acknowledge changes of performance",
	 .subcommands = changes_commands},
	{.name = "ci",
	 .summary = "compare a version with another, for a build",
	 .options = cli_ci_options,
	 .run = cli_ci},
	{.name = "config",
	 .summary = "read and change the configuration",
	 .options = cli_config_options,
	 .subcommands = config_commands,
	 .flags = CLI_NO_SHORT_HELP,
	 .run = cli_config},
	{.name = "trust",
	 .summary = "allow the configuration of a store to run its commands",
	 .options = cli_trust_options,
	 .run = cli_trust},
	{.name = "plugin",
	 .summary = "list, show and check plugins",
	 .subcommands = plugin_commands},
	{.name = "help",
	 .summary = "open the manual of a command",
	 .options = cli_help_options,
	 .run = cli_help},
	{.name = "version",
	 .summary = "print the version",
	 .options = cli_version_options,
	 .run = cli_version},
	{.name = "completion",
	 .summary = "print a completion script for a shell",
	 .options = cli_completion_options,
	 .run = cli_completion},
	{.name = "complete-words",
	 .summary = "completions of a command line",
	 .flags = CLI_HIDDEN | CLI_RAW,
	 .run = cli_complete},
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
	const struct perun_plugin_info *plugins;
	size_t count = 0, plugin_count = 0;

	for (; commands->name && count < MAX_NAMES; commands++) {
		if (!(commands->flags & CLI_HIDDEN))
			names[count++] = commands->name;
	}
	perun_registry_describe(cli->ctx);
	plugins = perun_registry_list(cli->ctx, &plugin_count);
	for (size_t i = 0; !parent && i < plugin_count; i++) {
		const char *const *name = plugins[i].commands;

		for (; name && name[0] && count < MAX_NAMES; name += 2)
			names[count++] = name[0];
	}
	near = perun_suggest(name, names, count);
	if (near)
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "no command called %s%s%s; did you mean %s?",
				  parent ? parent : "", parent ? " " : "", name, near);
	return perun_fail(cli->ctx, PERUN_USAGE, "no command called %s%s%s; see perun help%s%s",
			  parent ? parent : "", parent ? " " : "", name, parent ? " " : "",
			  parent ? parent : "");
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
 * Whether help is asked for. `-h` counts as first word and behind a sub-command only: modules have it
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
	if (!status && sub) {
		tables[0] = (struct perun_option_table){sub->options, 0};
		tables[1] = (struct perun_option_table){command->options, 0};
		tables[2] = (struct perun_option_table){cli_common_options, 0};
		status = perun_options_parse(cli->ctx, tables, 3, words + used + 1, 0, &options,
					     NULL);
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

int cli_run_command(struct cli *cli, const struct cli_command *command, const char *const *words)
{
	struct perun_option_table tables[2] = {{command->options, 0}, {cli_common_options, 0}};
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
	status = perun_options_parse(
		cli->ctx, tables, 2, words,
		command->flags & CLI_STOPS ? PERUN_PARSE_STOP_AT_POSITIONAL : 0, &options, &used);
	if (status)
		return status;
	apply_common(cli, options);
	call.options = options;
	call.rest = words + used;
	status = command->run(cli, &call);
	perun_options_free(options);
	return status;
}
