/* SPDX-License-Identifier: BSD-3-Clause */
/* perun help, --help texts, and the lists of options for manual pages. */
#include <config.h>

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/lib/registry.h>

#include "cli/base/cli.h"
#include "commands/common/option-json.h"
#include "commands/common/output.h"
#include "commands/common/wrapped.h"

const struct perun_option cli_help_options[] = {
	{.name = "command",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the command, and a sub-command or module of it"},
	{.name = "text", .help = "print the short help text and do not open the manual page"},
	{.name = "json", .help = "print commands and options as JSON"},
	{.name = "mdoc",
	 .flags = PERUN_OPTION_HIDDEN,
	 .help = "print the lists of options as a manual page has them"},
	{0}};

/* ---- lists ----------------------------------------------------------------------------------- */

/* Where summaries begin: of commands, and where options are listed as well. */
enum { COMMANDS_COLUMN = 17, COLUMN = 28 };

/* "  NAME   SUMMARY", on as many lines as the screen needs. */
static void add_item(const struct cli *cli, const char *name, const char *summary, unsigned column,
		     struct perun_buffer *text)
{
	const struct commands_screen screen = {.width = cli->width};
	const size_t start = text->length, length = strlen(name);

	if (length + 3 > column) {
		perun_buffer_printf(text, "  %s  %s\n", name, summary);
		return;
	}
	commands_add_wrapped(&screen, summary, column, column, text);
	memcpy(text->data + start + 2, name, length);
}

/* A usage line, broken between options and arguments where it is wider than the screen. */
static void add_usage(const struct cli *cli, const char *usage, size_t indent,
		      struct perun_buffer *text)
{
	size_t column = 0;

	while (*usage) {
		size_t length = 0, depth = 0;

		for (; usage[length] && (usage[length] != ' ' || depth); length++)
			depth += (usage[length] == '[') - (usage[length] == ']');
		if (column && column + 1 + length > cli->width) {
			perun_buffer_printf(text, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column) {
			perun_buffer_add_char(text, ' ');
			column++;
		}
		perun_buffer_printf(text, "%.*s", (int)length, usage);
		column += length;
		usage += length + strspn(usage + length, " ");
	}
	perun_buffer_add_char(text, '\n');
}

/* ---- overview -------------------------------------------------------------------------------- */

static void add_plugin_commands(struct cli *cli, struct perun_buffer *text)
{
	const struct perun_plugin_info *plugin;
	bool any = false;

	perun_registry_describe(cli->ctx);
	for (size_t at = 0; (plugin = perun_registry_next_with_commands(cli->ctx, &at));) {
		for (const char *const *command = plugin->commands; command[0]; command += 2) {
			if (!any)
				perun_buffer_add_text(text, "\nCommands of plugins:\n");
			any = true;
			add_item(cli, command[0], command[1] ? command[1] : "", COMMANDS_COLUMN,
				 text);
		}
	}
}

void cli_print_overview(struct cli *cli, FILE *file)
{
	const struct perun_option_table table = {cli_global_options, 0};
	struct perun_buffer text = {0};

	fputs("Usage: perun [OPTION...] COMMAND [ARGUMENT...]\n\n"
	      "Keeps performance profiles with the versions of a project, and says which\n"
	      "version made it slower.\n\nCommands:\n",
	      file);
	for (const struct cli_command *command = cli_commands; command->name; command++) {
		if (!(command->flags & CLI_HIDDEN))
			add_item(cli, command->name, command->summary, COMMANDS_COLUMN, &text);
	}
	add_plugin_commands(cli, &text);
	perun_options_help(&table, 1, cli->width, &text);
	fwrite(text.data, 1, text.length, file);
	fputs("\nperun help COMMAND says more about a command. Begin with perun init.\n", file);
	perun_buffer_free(&text);
}

/* ---- one command ----------------------------------------------------------------------------- */

static void add_module_list(struct cli *cli, unsigned module, struct perun_buffer *text)
{
	size_t count;
	const struct perun_plugin_info *plugins;
	bool any = false;

	perun_registry_describe(cli->ctx);
	plugins = perun_registry_list(cli->ctx, &count);
	for (size_t i = 0; i < count; i++) {
		if ((unsigned)plugins[i].kind + 1 != module || plugins[i].problem)
			continue;
		if (!any)
			perun_buffer_add_text(text, "\nInstalled:\n");
		any = true;
		add_item(cli, plugins[i].name, plugins[i].summary, COLUMN, text);
	}
}

static int add_module_help(struct cli *cli, unsigned kind, const char *name,
			   struct perun_buffer *text)
{
	const struct perun_plugin *plugin;
	struct perun_option_table tables[2];
	int status = perun_registry_load(cli->ctx, (enum perun_kind)kind, name, &plugin);

	if (status)
		return status;
	perun_buffer_printf(text, "%s: %s%s\n", plugin->name, plugin->summary,
			    commands_full_stop(plugin->summary));
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	perun_options_help(tables, 1, cli->width, text);
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		perun_buffer_printf(text, "\n%s %s: %s.\n", plugin->name, sub->name, sub->summary);
		tables[0] = (struct perun_option_table){sub->options, sub->option_size};
		perun_options_help(tables, 1, cli->width, text);
	}
	return PERUN_OK;
}

static void add_command_help(struct cli *cli, const struct cli_command *parent,
			     const struct cli_command *command, struct perun_buffer *text)
{
	struct perun_option_table tables[2] = {{command->options, 0},
					       {parent ? parent->options : NULL, 0}};
	struct perun_buffer usage = {0};
	size_t indent;

	perun_buffer_printf(&usage, "Usage: perun %s%s%s", parent ? parent->name : "",
			    parent ? " " : "", command->name);
	indent = usage.length + 1;
	perun_options_usage(tables, 2, &usage);
	if (command->subcommands)
		perun_buffer_add_text(&usage, " SUBCOMMAND ...");
	if (command->usage)
		perun_buffer_printf(&usage, " %s", command->usage);
	add_usage(cli, usage.data, indent, text);
	perun_buffer_free(&usage);
	perun_buffer_printf(text, "\n%c%s%s\n", toupper((unsigned char)command->summary[0]),
			    command->summary + 1, commands_full_stop(command->summary));
	if (command->subcommands)
		perun_buffer_add_text(text, "\nSub-commands:\n");
	for (const struct cli_command *sub = command->subcommands; sub && sub->name; sub++)
		add_item(cli, sub->name, sub->summary, COLUMN, text);
	perun_options_help(tables, 2, cli->width, text);
	if (command->module)
		add_module_list(cli, command->module, text);
}

int cli_print_help(struct cli *cli, const struct cli_command *parent,
		   const struct cli_command *command, const char *module)
{
	struct perun_buffer text = {0};
	int status = PERUN_OK;

	if (module)
		status = add_module_help(cli, command->module - 1, module, &text);
	else
		add_command_help(cli, parent, command, &text);
	if (!status)
		fwrite(text.data, 1, text.length, stdout);
	perun_buffer_free(&text);
	return status;
}

/* ---- perun help ------------------------------------------------------------------------------ */

/* A command of the program or of a plugin, for which there is `room`; NULL when there is none. */
static int find_command(struct cli *cli, const char *name, struct cli_command *room,
			const struct cli_command **command)
{
	int status;

	*command = cli_find_command(cli_commands, name);
	if (*command)
		return PERUN_OK;
	status = cli_find_plugin_command(cli, name, room);
	*command = !status && room->name ? room : NULL;
	return status;
}

/* The lists of options for the manual page of a command; "perun" is the program itself. */
static int print_mdoc(struct cli *cli, const char *name)
{
	struct perun_option_table table = {cli_global_options, 0};
	const struct cli_command *command = NULL;
	struct cli_command found;
	struct perun_buffer text = {0};
	int status;

	if (strcmp(name, "perun") != 0) {
		status = find_command(cli, name, &found, &command);
		if (status)
			return status;
		if (!command)
			return cli_unknown_command(cli, NULL, cli_commands, name);
		table.options = command->options;
	}
	perun_options_manual(&table, 1, &text);
	for (const struct cli_command *sub = command ? command->subcommands : NULL;
	     sub && sub->name; sub++) {
		perun_buffer_printf(&text, ".Ss perun %s %s\n%c%s.\n", name, sub->name,
				    toupper((unsigned char)sub->summary[0]), sub->summary + 1);
		table.options = sub->options;
		perun_options_manual(&table, 1, &text);
	}
	if (text.length)
		fwrite(text.data, 1, text.length, stdout);
	perun_buffer_free(&text);
	return PERUN_OK;
}

static struct perun_json *command_json(const struct cli_command *command, const char *plugin)
{
	struct perun_json *fact = perun_json_object(), *subs = perun_json_array();

	perun_json_set(fact, "name", perun_json_text(command->name));
	perun_json_set(fact, "summary", perun_json_text(command->summary));
	perun_json_set(fact, "plugin", plugin ? perun_json_text(plugin) : perun_json_null());
	perun_json_set(fact, "options", commands_json_options(command->options));
	for (const struct cli_command *sub = command->subcommands; sub && sub->name; sub++)
		perun_json_append(subs, command_json(sub, plugin));
	perun_json_set(fact, "subcommands", subs);
	perun_json_set(fact, "modules",
		       command->module ? perun_json_text(perun_kind_name(
						 (enum perun_kind)(command->module - 1)))
				       : perun_json_null());
	return fact;
}

/* All commands, or the one of a name, with their options. */
static int print_json(struct cli *cli, const char *name)
{
	struct perun_json *document = perun_json_object(), *list = perun_json_array();
	struct perun_buffer text = {0};
	const struct perun_plugin_info *info;
	int status = PERUN_OK;

	perun_registry_describe(cli->ctx);
	for (const struct cli_command *command = cli_commands; command->name; command++) {
		if (!(command->flags & CLI_HIDDEN) && (!name || strcmp(name, command->name) == 0))
			perun_json_append(list, command_json(command, NULL));
	}
	for (size_t i = 0; !status && (info = perun_registry_next_with_commands(cli->ctx, &i));) {
		for (const char *const *at = info->commands; !status && *at; at += 2) {
			struct cli_command found;

			if (name && strcmp(name, *at) != 0)
				continue;
			status = cli_find_plugin_command(cli, *at, &found);
			if (!status)
				perun_json_append(list, command_json(&found, info->name));
		}
	}
	if (!status && perun_json_count(list) == 0)
		status = cli_unknown_command(cli, NULL, cli_commands, name);
	perun_json_set(document, "options", commands_json_options(cli_global_options));
	perun_json_set(document, "commands", list);
	perun_json_print(document, &text, PERUN_JSON_INDENTED, 2);
	if (!status)
		puts(text.data);
	perun_buffer_free(&text);
	perun_json_free(document);
	return status;
}

/* Where man looks: for the pages of this program, installed or not, then for those of the user's own plugins. */
static char *manual_path(void)
{
	const char *manuals = getenv("PERUN_MANUALS"), *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	return perun_format("%s:%s%s/man:", manuals && *manuals ? manuals : PERUN_MAN_DIR,
			    data && *data ? data
			    : home        ? home
					  : "",
			    data && *data ? "" : "/.local/share");
}

/* Let man show a page, of this section if one is named; false when it does not know the page. */
static bool run_man(const char *section, const char *page, bool only_look)
{
	const char *words[] = {"man", only_look ? "-w" : page, only_look ? page : NULL, NULL};
	const char *sectioned[] = {"man", only_look ? "-w" : section, only_look ? section : page,
				   only_look ? page : NULL, NULL};
	pid_t child;
	int code;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		int null = only_look ? open("/dev/null", O_WRONLY) : -1;
		char *path = manual_path();

		setenv("MANPATH", path, 1);
		if (null >= 0) {
			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
		}
		execvp("man", (char *const *)(section ? sectioned : words));
		_exit(127);
	}
	return child > 0 && waitpid(child, &code, 0) == child && WIFEXITED(code) &&
	       WEXITSTATUS(code) == 0;
}

/* Shows the page for these words: "collect time", "check", "config 5" or "json". False when there is none. */
static bool open_page(const char *name, const char *part)
{
	const char *section = part && isdigit((unsigned char)*part) ? part : NULL;
	char *page = strcmp(name, "perun") == 0 ? perun_strdup(name)
		     : part && !section         ? perun_format("perun-%s-%s", name, part)
						: perun_format("perun-%s", name);
	bool opened = run_man(section, page, true) && run_man(section, page, false);

	perun_free(page);
	return opened;
}

/* Help about words[1], a sub-command or a module of the command; false when it is neither. */
static bool help_part(struct cli *cli, const struct cli_command *command, const char *word,
		      int *status)
{
	const struct cli_command *sub =
		command->subcommands ? cli_find_command(command->subcommands, word) : NULL;

	if (sub)
		*status = cli_print_help(cli, command, sub, NULL);
	else if (command->module)
		*status = cli_print_help(cli, NULL, command, word);
	return sub || command->module;
}

/* `kind`: of this kind only; NULL = of any. */
static const struct perun_plugin_info *find_plugin(struct cli *cli, const char *kind,
						   const char *name)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(cli->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		if (cli_same_name(infos[i].name, name) && !infos[i].problem &&
		    (!kind || strcmp(perun_kind_name(infos[i].kind), kind) == 0))
			return &infos[i];
	}
	return NULL;
}

/* The command that lists the plugin among its modules; NULL for formats and others that are not called by name. */
static const struct cli_command *command_of_plugin(const struct perun_plugin_info *info)
{
	const struct cli_command *command = cli_commands;

	while (command->name && command->module != (unsigned)info->kind + 1)
		command++;
	return command->name ? command : NULL;
}

/* "perun help format": which plugins of the kind there are. False when `name` is not a kind. */
static bool print_kind(struct cli *cli, const char *name)
{
	const enum perun_kind kind = perun_kind_from_name(name);
	struct perun_buffer text = {0};
	bool is;

	if (kind != PERUN_KINDS && kind != PERUN_KIND_COMMAND)
		add_module_list(cli, (unsigned)kind + 1, &text);
	is = text.length > 0;
	if (is)
		fputs(text.data + strspn(text.data, "\n"), stdout);
	perun_buffer_free(&text);
	return is;
}

int cli_help(struct cli *cli, const struct cli_call *call)
{
	const char *name = perun_option_string_at(call->options, "command", 0);
	const char *part = perun_option_string_at(call->options, "command", 1);
	bool text = perun_option_flag(call->options, "text");
	const struct perun_plugin_info *plugin;
	const struct cli_command *command, *owner;
	const char *kind = NULL;
	struct cli_command found;
	int status;

	if (perun_option_flag(call->options, "json"))
		return print_json(cli, name);
	if (perun_option_flag(call->options, "mdoc"))
		return print_mdoc(cli, name ? name : "perun");
	if (name && !text && open_page(name, part))
		return PERUN_OK;
	if (!name || strcmp(name, "perun") == 0) {
		cli_print_overview(cli, stdout);
		return PERUN_OK;
	}
	status = find_command(cli, name, &found, &command);
	if (status)
		return status;
	if (!command && part && perun_kind_from_name(name) != PERUN_KINDS) {
		kind = name;
		name = part;
		part = NULL;
	}
	plugin = command ? NULL : find_plugin(cli, kind, name);
	owner = plugin ? command_of_plugin(plugin) : NULL;
	if (plugin && !text && !part && open_page(perun_kind_name(plugin->kind), plugin->name))
		return PERUN_OK;
	if (owner)
		return cli_print_help(cli, NULL, owner, plugin->name);
	if (command && part && help_part(cli, command, part, &status))
		return status;
	if (command && !part && !(command->flags & CLI_RAW))
		return cli_print_help(cli, NULL, command, NULL);
	if (kind && !plugin)
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "no %s is called %s; perun help %s lists them", kind, name, kind);
	if (!command && !part && print_kind(cli, name))
		return PERUN_OK;
	if (command && part)
		return cli_unknown_command(
			cli, name, command->subcommands ? command->subcommands : cli_commands,
			part);
	return command || plugin
		       ? perun_fail(cli->ctx, PERUN_MISSING,
				    "no manual page of perun %s; try %s %s", name,
				    command ? "--help after perun" : "perun plugin show", name)
		       : cli_unknown_command(cli, NULL, cli_commands, name);
}
