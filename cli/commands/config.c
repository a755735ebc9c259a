/* SPDX-License-Identifier: BSD-3-Clause */
/* perun config: read and change the configuration. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/registry.h>
#include <perun/lib/settings.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"
#include "commands/common/edit.h"
#include <perun/lib/trust.h>

#define OLD_LIMIT ((uint64_t)16 << 20)

const struct perun_option cli_config_options[] = {
	{.name = "local", .aliases = "-l", .help = "the configuration of the project"},
	{.name = "shared", .aliases = "-h --user", .help = "the configuration of the user"},
	{.name = "nearest",
	 .aliases = "-n",
	 .help = "the nearest one that has the setting (for set, edit and reset: the project's)"},
	{.name = "add",
	 .metavar = "KEY VALUE",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .help = "as the sub-command add"},
	{0}};
const struct perun_option cli_config_get_options[] = {
	{.name = "key",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "the setting, such as format.sort_profiles_by"},
	{.name = "json", .help = "print JSON"},
	{0}};
const struct perun_option cli_config_list_options[] = {
	{.name = "origin", .help = "print also where each value comes from"},
	{.name = "json", .help = "print JSON"},
	{0}};
const struct perun_option cli_config_set_options[] = {
	{.name = "key",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "the setting"},
	{.name = "value",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "its new value"},
	{0}};
const struct perun_option cli_config_reset_options[] = {
	{.name = "template",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "master developer user",
	 .default_value = "master",
	 .help = "what the new configuration begins with"},
	{0}};

/* The scope that is meant, and the store if it needs one. */
static int choose_scope(struct cli *cli, const struct cli_call *call, bool write,
			enum perun_config_scope *scope)
{
	bool local = cli_flag(call, "local"), shared = cli_flag(call, "shared");

	if (call->before &&
	    (perun_option_given(call->options, "add") || perun_option_given(call->before, "add")))
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "--add and sub-commands exclude each other");
	if (local && shared)
		return perun_fail(cli->ctx, PERUN_USAGE, "--local and --shared exclude each other");
	*scope = local ? PERUN_CONFIG_LOCAL : shared ? PERUN_CONFIG_SHARED : PERUN_CONFIG_NEAREST;
	if (*scope == PERUN_CONFIG_NEAREST && write)
		*scope = PERUN_CONFIG_LOCAL;
	if (*scope == PERUN_CONFIG_LOCAL)
		return cli_open_store(cli);
	return *scope == PERUN_CONFIG_SHARED ? PERUN_OK : cli_find_store(cli);
}

/* [A-Za-z0-9_]+(\.[A-Za-z0-9_]+)* */
static int check_key(struct cli *cli, const char *key)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *at = key;
	size_t length;

	for (;;) {
		length = strspn(at, letters);
		if (length == 0 || at[length] != '.')
			break;
		at += length + 1;
	}
	if (length && at[length] == '\0')
		return PERUN_OK;
	return perun_fail(cli->ctx, PERUN_USAGE,
			  "wrong key '%s': expected names of letters, digits and underscores, "
			  "separated by dots",
			  key);
}

static void print_setting(const char *key, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer buffer = {0};

	if (!text) {
		perun_json_print(value, &buffer, PERUN_JSON_PYTHON, 0);
		text = buffer.data;
	}
	printf("%s: ", key);
	cli_print_safe(text);
	putchar('\n');
	perun_buffer_free(&buffer);
}

/* Nothing is there: is there such a setting at all? */
static int fail_unset(struct cli *cli, const char *key)
{
	if (!perun_setting_find(key) && perun_setting_check(cli->ctx, key, NULL))
		return PERUN_INPUT;
	return perun_fail(cli->ctx, PERUN_INPUT,
			  "the setting %s has no value; perun config set %s VALUE sets it", key,
			  key);
}

int cli_config_get(struct cli *cli, const struct cli_call *call)
{
	const char *key = perun_option_string(call->options, "key");
	enum perun_config_scope scope;
	struct perun_json *document = NULL;
	int status = check_key(cli, key);

	if (!status)
		status = choose_scope(cli, call, false, &scope);
	if (!status)
		status = perun_config_inspect(cli->ctx, cli->store, scope, key, &document);
	if (!status && !document)
		status = fail_unset(cli, key);
	if (!status && perun_option_flag(call->options, "json")) {
		struct perun_json *facts = perun_json_object();

		perun_json_set(facts, "key", cli_json_text(key));
		perun_json_set(facts, "value", document);
		cli_print_facts(facts);
		document = NULL;
	} else if (!status) {
		print_setting(key, document);
	}
	perun_json_free(document);
	return status;
}

/* ---- the list --------------------------------------------------------------------------------- */

static const char *const origins[] = {[PERUN_ORIGIN_NOWHERE] = "",
				      [PERUN_ORIGIN_DEFAULT] = "default",
				      [PERUN_ORIGIN_SHARED] = "shared.yml",
				      [PERUN_ORIGIN_LOCAL] = "local.yml",
				      [PERUN_ORIGIN_RUN] = "command line"};

/* What the files name below `prefix` and Perun does not know. */
static void warn_unknown(struct cli *cli, const struct perun_json *document, const char *prefix,
			 const char *file)
{
	for (size_t i = 0; i < perun_json_count(document); i++) {
		const struct perun_json *value = perun_json_at(document, i);
		char *key = perun_format("%s.%s", prefix, perun_json_key_at(document, i, NULL));

		if (!perun_setting_find(key)) {
			if (perun_json_type(value) == PERUN_JSON_TYPE_OBJECT)
				warn_unknown(cli, value, key, file);
			else
				perun_warn(cli->ctx, "%s: there is no setting %s", file, key);
		}
		perun_free(key);
	}
}

static void warn_unknown_in(struct cli *cli, enum perun_config_scope scope, const char *file)
{
	const struct perun_setting *setting;
	struct perun_json *section;
	char *name, *last = perun_strdup("");

	/* The sections are what the keys of settings have before a dot; keys are sorted. */
	for (size_t i = 0; (setting = perun_setting_at(i)); i++) {
		name = perun_format("%.*s", (int)strcspn(setting->key, "."), setting->key);
		if (strcmp(name, last) != 0 && strchr(setting->key, '.') &&
		    perun_config_inspect(cli->ctx, cli->store, scope, name, &section) == PERUN_OK) {
			warn_unknown(cli, section, name, file);
			perun_json_free(section);
			perun_free(last);
			last = perun_strdup(name);
		}
		perun_free(name);
	}
	perun_free(last);
}

static void print_origin(const struct perun_setting *setting, const struct perun_json *value,
			 const char *origin)
{
	printf("%-12s  ", origin);
	print_setting(setting->key, value);
}

static struct perun_json *setting_fact(const struct perun_setting *setting,
				       const struct perun_json *value, const char *origin)
{
	struct perun_json *fact = perun_json_object();

	perun_json_set(fact, "key", cli_json_text(setting->key));
	perun_json_set(fact, "value", perun_json_clone(value));
	perun_json_set(fact, "origin", cli_json_text(*origin ? origin : NULL));
	perun_json_set(fact, "help", cli_json_text(setting->help));
	return fact;
}

int cli_config_list(struct cli *cli, const struct cli_call *call)
{
	bool json = perun_option_flag(call->options, "json");
	struct perun_json *facts = json ? perun_json_array() : NULL;
	enum perun_setting_origin origin;
	const struct perun_setting *setting;
	struct perun_json *value = NULL;
	int status = cli_find_store(cli);

	for (size_t i = 0; !status && (setting = perun_setting_at(i)); i++) {
		if (setting->has_parts && strcmp(setting->key, "degradation") == 0)
			continue;
		status = perun_setting_read(cli->ctx, cli->store, setting->key, &value, &origin);
		if (!status && json)
			perun_json_append(facts, setting_fact(setting, value, origins[origin]));
		else if (value && perun_option_flag(call->options, "origin"))
			print_origin(setting, value, origins[origin]);
		else if (value)
			print_setting(setting->key, value);
		perun_json_free(value);
	}
	if (!status && cli->store)
		warn_unknown_in(cli, PERUN_CONFIG_LOCAL, "local.yml");
	if (!status)
		warn_unknown_in(cli, PERUN_CONFIG_SHARED, "shared.yml");
	if (json && !status) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "settings", facts);
		cli_print_facts(document);
	} else {
		perun_json_free(facts);
	}
	return status;
}

/* ---- changing --------------------------------------------------------------------------------- */

static bool has_option(const struct perun_plugin *check, const char *name)
{
	const char *at = (const char *)check->options;

	for (; at && ((const struct perun_option *)at)->name; at += check->option_size) {
		if (perun_same_name(((const struct perun_option *)at)->name, name))
			return true;
	}
	return false;
}

/* degradation.NAME is an option of a method; a check that cannot be loaded may have it. */
static int check_method_option(struct cli *cli, const char *key, const char *name)
{
	const struct perun_plugin_info *info;
	const struct perun_plugin *check;
	size_t count;

	info = perun_registry_list(cli->ctx, &count);
	for (size_t i = 0; i < count; i++) {
		if (info[i].kind != PERUN_KIND_CHECK)
			continue;
		if (perun_registry_load(cli->ctx, PERUN_KIND_CHECK, info[i].name, &check) ||
		    has_option(check, name))
			return PERUN_OK;
	}
	return perun_fail(cli->ctx, PERUN_USAGE,
			  "there is no setting %s, and no check has an option %s", key, name);
}

static int check_setting(struct cli *cli, const char *key, const char *value)
{
	static const char methods[] = "degradation.";
	const struct perun_setting *setting = perun_setting_find(key);
	int status = perun_setting_check(cli->ctx, key, value);

	if (status)
		return status;
	if (strcmp(setting->key, "degradation") == 0)
		return strcmp(key, setting->key) == 0
			       ? perun_fail(cli->ctx, PERUN_USAGE,
					    "%s is a group of settings: name one of them", key)
			       : check_method_option(cli, key, key + strlen(methods));
	return PERUN_OK;
}

int cli_config_set(struct cli *cli, const struct cli_call *call)
{
	const char *key = perun_option_string(call->options, "key");
	const char *value = perun_option_string(call->options, "value");
	enum perun_config_scope scope;
	int status = check_key(cli, key);

	if (!status)
		status = check_setting(cli, key, value);
	if (!status)
		status = choose_scope(cli, call, true, &scope);
	if (!status)
		status = perun_config_set(cli->ctx, cli->store, scope, key, value);
	if (!status) {
		printf("Value '");
		cli_print_safe(value);
		printf("' set for key '%s'\n", key);
	}
	return status;
}

/* The list with one value more, as text; a value that is there already stays where it is. */
static char *longer_list(const struct perun_json *before, const char *value)
{
	struct perun_json *list = perun_json_array(), *added = perun_json_text(value);
	const bool is_list = perun_json_type(before) == PERUN_JSON_TYPE_ARRAY;
	struct perun_buffer text = {0};
	bool there = false;

	for (size_t i = 0; is_list && i < perun_json_count(before); i++)
		perun_json_append(list, perun_json_clone(perun_json_at(before, i)));
	if (before && !is_list && perun_json_type(before) != PERUN_JSON_TYPE_NULL)
		perun_json_append(list, perun_json_clone(before));
	for (size_t i = 0; !there && i < perun_json_count(list); i++)
		there = perun_json_equal(perun_json_at(list, i), added);
	if (there)
		perun_json_free(added);
	else
		perun_json_append(list, added);
	perun_json_print(list, &text, PERUN_JSON_PYTHON, 0);
	perun_json_free(list);
	return perun_buffer_take(&text);
}

static int add(struct cli *cli, const struct cli_call *call, const char *key, const char *value)
{
	enum perun_config_scope scope;
	struct perun_json *before = NULL;
	char *list = NULL;
	int status = check_key(cli, key);

	if (!status)
		status = check_setting(cli, key, NULL);
	if (!status && perun_setting_find(key)->type != PERUN_OPTION_LIST)
		status = perun_fail(cli->ctx, PERUN_USAGE,
				    "%s has one value and is not a list: perun config set %s %s",
				    key, key, value);
	if (!status)
		status = choose_scope(cli, call, true, &scope);
	if (!status)
		status = perun_config_inspect(cli->ctx, cli->store, scope, key, &before);
	if (!status) {
		list = longer_list(before, value);
		status = check_setting(cli, key, list);
	}
	if (!status)
		status = perun_config_set(cli->ctx, cli->store, scope, key, list);
	if (!status) {
		printf("Value '");
		cli_print_safe(value);
		printf("' added to key '%s'\n", key);
	}
	perun_json_free(before);
	perun_free(list);
	return status;
}

int cli_config_add(struct cli *cli, const struct cli_call *call)
{
	return add(cli, call, perun_option_string(call->options, "key"),
		   perun_option_string(call->options, "value"));
}

/* Without a sub-command, as git config has it. */
int cli_config(struct cli *cli, const struct cli_call *call)
{
	if (perun_option_count(call->options, "add") != 2)
		return perun_fail(
			cli->ctx, PERUN_USAGE,
			"config needs one --add KEY VALUE or a sub-command: list, get, set, add, "
			"edit, reset");
	return add(cli, call, perun_option_string_at(call->options, "add", 0),
		   perun_option_string_at(call->options, "add", 1));
}

int cli_config_edit(struct cli *cli, const struct cli_call *call)
{
	enum perun_config_scope scope;
	char *path = NULL, *value = NULL;
	bool trusted = false;
	int status = choose_scope(cli, call, true, &scope);

	if (!status && scope == PERUN_CONFIG_LOCAL)
		trusted = perun_trust_may_follow(cli->store);
	if (!status)
		status = perun_config_path(cli->ctx, cli->store, scope, &path);
	if (!status)
		status = commands_edit_file(cli->ctx, cli->store, path);
	perun_free(path);
	if (status)
		return status;
	/* Read what was written, so that a slip is reported at once and not by the next command. */
	perun_store_close(cli->store);
	cli->store = NULL;
	cli->store_sought = false;
	status = cli_find_store(cli);
	if (!status)
		status = perun_config_get(cli->ctx, cli->store, scope, "vcs.type", &value);
	if (!status && scope == PERUN_CONFIG_LOCAL)
		perun_trust_follow(cli->ctx, cli->store, trusted);
	perun_free(value);
	return status;
}

static int write_file(struct perun_ctx *ctx, const char *path, const char *text)
{
	struct perun_output *output;
	int status = perun_output_open(ctx, path, &output);

	if (status)
		return status;
	perun_output_text(output, text);
	status = perun_output_commit(ctx, output);
	perun_output_close(output);
	return status;
}

/* The old text, beside the file. */
static int keep_old(struct cli *cli, const char *path)
{
	char *old = perun_format("%s.old", path), *text = NULL;
	struct perun_input *input;
	const void *data;
	size_t size;
	int status = perun_input_open(cli->ctx, path, &input);

	if (!status) {
		status = perun_input_map(cli->ctx, input, OLD_LIMIT, &data, &size);
		if (!status)
			text = perun_strndup(data, size);
		perun_input_close(input);
	}
	if (!status)
		status = write_file(cli->ctx, old, text);
	perun_free(text);
	perun_free(old);
	return status;
}

/* The vcs of the configuration that is replaced stays. */
static int reset_local(struct cli *cli, const char *template, const char *path)
{
	char *type = cli_setting(cli, "vcs.type"), *url = cli_setting(cli, "vcs.url");
	const bool trusted = perun_trust_may_follow(cli->store);
	char *text = NULL;
	int status = perun_config_template(cli->ctx, template, type ? type : "git",
					   url ? url : "..", &text);

	if (!status)
		status = keep_old(cli, path);
	if (!status)
		status = write_file(cli->ctx, path, text);
	if (!status)
		perun_trust_follow(cli->ctx, cli->store, trusted);
	perun_free(text);
	perun_free(type);
	perun_free(url);
	return status;
}

/* The shared file is made again with defaults when it is missing. */
static int reset_shared(struct cli *cli, char **path)
{
	char *old = perun_format("%s.old", *path);
	int status = PERUN_OK;

	if (rename(*path, old) != 0)
		status = perun_fail(cli->ctx, PERUN_INPUT, "cannot put %s aside", *path);
	perun_free(old);
	perun_free(*path);
	*path = NULL;
	if (!status)
		status = perun_config_path(cli->ctx, cli->store, PERUN_CONFIG_SHARED, path);
	return status;
}

int cli_config_reset(struct cli *cli, const struct cli_call *call)
{
	const char *template = perun_option_string(call->options, "template");
	enum perun_config_scope scope;
	char *path = NULL;
	int status = choose_scope(cli, call, true, &scope);

	if (!status)
		status = perun_config_path(cli->ctx, cli->store, scope, &path);
	if (!status && !cli_confirm(cli, "Replace all settings in %s?", path))
		status = perun_fail(cli->ctx, PERUN_USAGE, "%s stays as it is%s", path,
				    cli_interactive() ? "" : ": --yes is needed to replace it");
	if (!status && scope == PERUN_CONFIG_SHARED)
		status = reset_shared(cli, &path);
	else if (!status)
		status = reset_local(cli, template, path);
	if (!status)
		printf("Reset %s; the old one is %s.old\n", path, path);
	perun_free(path);
	return status;
}
