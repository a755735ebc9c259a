/* SPDX-License-Identifier: BSD-3-Clause */
/* perun plugin: what is installed, and the beginning of a new one. */
#include <config.h>

#include <string.h>

#include <perun/lib/registry.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"
#include "commands/common/change-line.h"
#include "commands/common/option-json.h"
#include "plugins/create/create.h"
#include "views/common/text.h"

static const char kinds[] = "vcs collect postprocess view format check command executor";

const struct perun_option cli_plugin_list_options[] = {{.name = "kind",
							.flags = PERUN_OPTION_POSITIONAL,
							.type = PERUN_OPTION_CHOICE,
							.choices = kinds,
							.help = "only plugins of this kind"},
						       {.name = "json", .help = "print JSON"},
						       {0}};
const struct perun_option cli_plugin_create_options[] = {
	{.name = "kind",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_CHOICE,
	 .choices = kinds,
	 .help = "the kind of the plugin"},
	{.name = "name",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "its name: lower-case letters, digits and dashes"},
	{.name = "dir",
	 .metavar = "DIR",
	 .type = PERUN_OPTION_PATH,
	 .help = "the folder to write, by default perun-KIND-NAME"},
	{.name = "cpp", .help = "write it in C++20 instead of C"},
	{.name = "json", .help = "print JSON"},
	{0}};
const struct perun_option cli_plugin_describe_options[] = {
	{.name = "name",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "the plugin: NAME, KIND-NAME when several kinds have one of that name, or a file "
		 "called perun-KIND-NAME.so"},
	{0}};
const struct perun_option cli_plugin_show_options[] = {
	{.name = "name",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "the plugin: NAME, or KIND-NAME when several kinds have one of that name"},
	{.name = "json", .help = "print JSON"},
	{0}};
const struct perun_option cli_plugin_check_options[] = {
	{.name = "name",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the plugins, all when none is given"},
	{.name = "json", .help = "print JSON"},
	{0}};

static struct perun_json *info_fact(const struct perun_plugin_info *info)
{
	struct perun_json *fact = perun_json_object(), *commands = perun_json_array();

	for (const char *const *name = info->commands; name && name[0]; name += 2)
		perun_json_append(commands, cli_json_text(name[0]));
	perun_json_set(fact, "kind", cli_json_text(perun_kind_name(info->kind)));
	perun_json_set(fact, "name", cli_json_text(info->name));
	perun_json_set(fact, "summary", cli_json_text(info->summary));
	perun_json_set(fact, "file", cli_json_text(info->linked_in ? NULL : info->file));
	perun_json_set(fact, "commands", commands);
	perun_json_set(fact, "problem", cli_json_text(info->problem));
	return fact;
}

/* What a plugin is for, or why it cannot be used, cut to what is left of the line after `used` columns. */
static void print_summary(struct cli *cli, const struct perun_plugin_info *info, size_t used)
{
	unsigned width = commands_line_width(cli->terminal, cli->width);
	size_t room = width ? width > used ? width - used : 1 : SIZE_MAX;
	struct perun_buffer text = {0};

	views_add_clipped(&text, info->problem ? info->problem : info->summary, room,
			  !cli_has_unicode());
	puts(text.data ? text.data : "");
	perun_buffer_free(&text);
}

int cli_plugin_list(struct cli *cli, const struct cli_call *call)
{
	const char *kind = perun_option_string(call->options, "kind");
	size_t count, longest = 0;
	const struct perun_plugin_info *plugins;
	struct perun_json *facts = perun_json_array();

	perun_registry_describe(cli->ctx);
	plugins = perun_registry_list(cli->ctx, &count);
	for (size_t i = 0; i < count; i++) {
		if (!kind || strcmp(kind, perun_kind_name(plugins[i].kind)) == 0)
			longest = strlen(plugins[i].name) > longest ? strlen(plugins[i].name)
								    : longest;
	}
	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin_info *info = &plugins[i];

		if (kind && strcmp(kind, perun_kind_name(info->kind)) != 0)
			continue;
		if (perun_option_flag(call->options, "json")) {
			perun_json_append(facts, info_fact(info));
			continue;
		}
		printf("%s%-11s%s %-*s ", cli_color(cli, CLI_CYAN), perun_kind_name(info->kind),
		       cli_color_end(cli), (int)longest, info->name);
		print_summary(cli, info, longest + 13);
	}
	if (perun_option_flag(call->options, "json")) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "plugins", facts);
		cli_print_facts(document);
		facts = NULL;
	}
	perun_json_free(facts);
	return PERUN_OK;
}

/* ---- one ------------------------------------------------------------------------------------- */

/* Whether a word names a plugin: "time", "collect-time", "collect/time". */
static bool is_named(const struct perun_plugin_info *info, const char *word)
{
	const char *kind = perun_kind_name(info->kind);
	size_t length = strlen(kind);

	if (strncmp(word, "perun-", 6) == 0)
		word += 6;
	return strcmp(word, info->name) == 0 ||
	       (strncmp(word, kind, length) == 0 && strchr("-/", word[length]) && word[length] &&
		strcmp(word + length + 1, info->name) == 0);
}

static int find_plugin(struct cli *cli, const char *word, const struct perun_plugin_info **found)
{
	size_t count, matches = 0;
	const struct perun_plugin_info *plugins = perun_registry_list(cli->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		if (!is_named(&plugins[i], word))
			continue;
		if (matches++ > 0)
			return perun_fail(cli->ctx, PERUN_USAGE,
					  "several plugins are called %s: say %s-%s or %s-%s", word,
					  perun_kind_name((*found)->kind), word,
					  perun_kind_name(plugins[i].kind), word);
		*found = &plugins[i];
	}
	if (matches)
		return PERUN_OK;
	return perun_fail(cli->ctx, PERUN_MISSING,
			  "no plugin called %s; perun plugin list shows what is installed",
			  *word ? word : "''");
}

static void print_plugin_fact(const struct perun_plugin_info *info,
			      const struct perun_plugin *plugin)
{
	struct perun_json *fact = info_fact(info), *subs = perun_json_array();
	char *abi = perun_format("%u.%u", plugin->abi_major, plugin->abi_minor);

	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		struct perun_json *item = perun_json_object();

		perun_json_set(item, "name", cli_json_text(sub->name));
		perun_json_set(item, "summary", cli_json_text(sub->summary));
		perun_json_set(item, "options", commands_json_options(sub->options));
		perun_json_append(subs, item);
	}
	perun_json_set(fact, "version", cli_json_text(plugin->version));
	perun_json_set(fact, "license", cli_json_text(plugin->license));
	perun_json_set(fact, "abi", perun_json_text(abi));
	perun_json_set(fact, "options", commands_json_options(plugin->options));
	perun_json_set(fact, "subcommands", subs);
	cli_print_facts(fact);
	perun_free(abi);
}

static void print_list(const char *what, const char *const *items, size_t step)
{
	if (!items || !items[0])
		return;
	printf("%-11s", what);
	for (; items[0]; items += step)
		printf(" %s", items[0]);
	putchar('\n');
}

static void print_plugin(struct cli *cli, const struct perun_plugin_info *info,
			 const struct perun_plugin *plugin)
{
	struct perun_option_table table = {plugin->options, plugin->option_size};
	struct perun_buffer text = {0};

	printf("%s%s %s%s: %s\n", cli_color(cli, CLI_BOLD), perun_kind_name(info->kind),
	       plugin->name, cli_color_end(cli), plugin->summary);
	printf("file:       %s\n", info->linked_in ? "linked into the program" : info->file);
	printf("version:    %s\n", plugin->version ? plugin->version : "-");
	printf("licence:    %s\n", plugin->license ? plugin->license : "-");
	printf("interface:  %u.%u (this program has %u.%u)\n", plugin->abi_major, plugin->abi_minor,
	       PERUN_ABI_MAJOR, PERUN_ABI_MINOR);
	print_list("aliases:", info->aliases, 1);
	print_list("files:", info->patterns, 1);
	print_list("commands:", info->commands, 2);
	perun_options_help(&table, 1, cli->width, &text);
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		perun_buffer_printf(&text, "\n%s: %s\n", sub->name, sub->summary);
		table = (struct perun_option_table){sub->options, sub->option_size};
		perun_options_help(&table, 1, cli->width, &text);
	}
	if (text.length)
		printf("\n%s", text.data);
	perun_buffer_free(&text);
}

int cli_plugin_show(struct cli *cli, const struct cli_call *call)
{
	const struct perun_plugin_info *info = NULL;
	const struct perun_plugin *plugin;
	int status;

	perun_registry_describe(cli->ctx);
	status = find_plugin(cli, perun_option_string(call->options, "name"), &info);

	if (!status)
		status = perun_registry_load(cli->ctx, info->kind, info->name, &plugin);
	if (status)
		return status;
	if (perun_option_flag(call->options, "json"))
		print_plugin_fact(info, plugin);
	else
		print_plugin(cli, info, plugin);
	return PERUN_OK;
}

/* ---- create ---------------------------------------------------------------------------------- */

int cli_plugin_create(struct cli *cli, const struct cli_call *call)
{
	const char *kind = perun_option_string(call->options, "kind");
	const char *name = perun_option_string(call->options, "name");
	const char *given = perun_option_string(call->options, "dir");
	char *folder = given ? perun_strdup(given) : perun_format("perun-%s-%s", kind, name);
	bool cpp = perun_option_flag(call->options, "cpp");
	int status = plugin_create(cli->ctx, perun_kind_from_name(kind), name, cpp, folder);

	if (!status && perun_option_flag(call->options, "json")) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "kind", cli_json_text(kind));
		perun_json_set(fact, "name", cli_json_text(name));
		perun_json_set(fact, "directory", cli_json_text(folder));
		cli_print_facts(fact);
	} else if (!status) {
		cli_print_safe(folder);
		printf(": next make, make check and make install in it; the code is in %s.%s\n",
		       name, cpp ? "cpp" : "c");
	}
	perun_free(folder);
	return status;
}

/* ---- describe -------------------------------------------------------------------------------- */

int cli_plugin_describe(struct cli *cli, const struct cli_call *call)
{
	const char *name = perun_option_string(call->options, "name");
	const size_t length = strlen(name);
	const struct perun_plugin_info *info = NULL;
	const struct perun_plugin *plugin;
	struct perun_buffer text = {0};
	int status;

	if (length > 3 && strcmp(name + length - 3, ".so") == 0) {
		status = perun_registry_load_file(cli->ctx, name, &plugin);
	} else {
		perun_registry_describe(cli->ctx);
		status = find_plugin(cli, name, &info);
		if (!status)
			status = perun_registry_load(cli->ctx, info->kind, info->name, &plugin);
	}
	if (status)
		return status;
	perun_plugin_describe(plugin, &text);
	fputs(text.data ? text.data : "", stdout);
	perun_buffer_free(&text);
	return PERUN_OK;
}

/* ---- check ----------------------------------------------------------------------------------- */

static struct perun_json *texts_fact(const char *const *texts)
{
	struct perun_json *fact = perun_json_array();

	for (; texts && *texts; texts++)
		perun_json_append(fact, cli_json_text(*texts));
	return fact;
}

/* Not a fault: a plugin in front of an installed one of its name is how one tries a new version. */
static void print_shadowed(const struct perun_plugin_info *info)
{
	for (const char *const *file = info->shadowed; file && *file; file++) {
		printf("%-12s %-25s ", "", "");
		cli_print_safe(*file);
		printf(" has the same name and is not used; ");
		cli_print_safe(info->file);
		puts(" is");
	}
}

/* Load and validate one; says the outcome and forgets the failure, so that all are looked at. */
static int check_plugin(struct cli *cli, const struct perun_plugin_info *info,
			struct perun_json *facts)
{
	int status =
		info->problem ? perun_fail(cli->ctx, PERUN_MISSING, "%s", info->problem) : PERUN_OK;

	if (!status)
		status = perun_registry_check(cli->ctx, info->kind, info->name);
	if (facts) {
		struct perun_json *fact = perun_json_object();

		perun_json_set(fact, "kind", cli_json_text(perun_kind_name(info->kind)));
		perun_json_set(fact, "name", cli_json_text(info->name));
		perun_json_set(fact, "problem",
			       cli_json_text(status ? perun_ctx_error(cli->ctx) : NULL));
		perun_json_set(fact, "shadowed", texts_fact(info->shadowed));
		perun_json_append(facts, fact);
	} else {
		printf("%-12s %-25s ", perun_kind_name(info->kind), info->name);
		cli_print_safe(status ? perun_ctx_error(cli->ctx) : "good");
		putchar('\n');
		print_shadowed(info);
	}
	perun_ctx_clear(cli->ctx);
	return status;
}

int cli_plugin_check(struct cli *cli, const struct cli_call *call)
{
	size_t count, names = perun_option_count(call->options, "name"), bad = 0;
	const struct perun_plugin_info *plugins;
	struct perun_json *facts =
		perun_option_flag(call->options, "json") ? perun_json_array() : NULL;
	int status = PERUN_OK, worst = PERUN_OK;

	plugins = perun_registry_list(cli->ctx, &count);
	for (size_t i = 0; !status && i < (names ? names : count); i++) {
		const struct perun_plugin_info *info = &plugins[i];
		int outcome;

		if (names)
			status = find_plugin(cli, perun_option_string_at(call->options, "name", i),
					     &info);
		if (status)
			break;
		outcome = check_plugin(cli, info, facts);
		bad += outcome != PERUN_OK;
		worst = worst ? worst : outcome;
	}
	if (facts && !status) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "plugins", facts);
		cli_print_facts(document);
		facts = NULL;
	}
	perun_json_free(facts);
	if (!status && bad)
		return perun_fail(cli->ctx, worst, "%zu of %zu plugins cannot be used", bad,
				  names ? names : count);
	return status;
}
