/* SPDX-License-Identifier: BSD-3-Clause */
/* perun config: read and change the configuration. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>

#include "cli/cli.h"
#include "cli/facts.h"
#include "core/config/trust.h"

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
		status = perun_fail(cli->ctx, PERUN_INPUT,
				    "the setting %s is not in the configuration; "
				    "perun config set %s VALUE sets it",
				    key, key);
	if (!status && perun_option_flag(call->options, "json")) {
		json_t *facts = json_object();

		json_object_set_new(facts, "key", cli_fact_text(key));
		json_object_set_new(facts, "value", cli_fact_document(document));
		cli_print_facts(facts);
	} else if (!status) {
		print_setting(key, document);
	}
	perun_json_free(document);
	return status;
}

int cli_config_set(struct cli *cli, const struct cli_call *call)
{
	const char *key = perun_option_string(call->options, "key");
	const char *value = perun_option_string(call->options, "value");
	enum perun_config_scope scope;
	int status = check_key(cli, key);

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
		status = choose_scope(cli, call, true, &scope);
	if (!status)
		status = perun_config_inspect(cli->ctx, cli->store, scope, key, &before);
	if (!status) {
		list = longer_list(before, value);
		status = perun_config_set(cli->ctx, cli->store, scope, key, list);
	}
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
			"config needs one --add KEY VALUE or a sub-command: get, set, add, "
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
		status = cli_edit_file(cli, path);
	perun_free(path);
	if (status)
		return status;
	/* Read what was written, so that a slip is told at once and not by the next command. */
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

/* The vcs of the configuration that is replaced stays. */
static int reset_local(struct cli *cli, const char *template, const char *path)
{
	char *type = cli_setting(cli, "vcs.type"), *url = cli_setting(cli, "vcs.url");
	const bool trusted = perun_trust_may_follow(cli->store);
	char *text = NULL;
	int status = perun_config_template(cli->ctx, template, type ? type : "git",
					   url ? url : "..", &text);

	if (!status)
		status = write_file(cli->ctx, path, text);
	if (!status)
		perun_trust_follow(cli->ctx, cli->store, trusted);
	perun_free(text);
	perun_free(type);
	perun_free(url);
	return status;
}

/* The shared file is made anew with defaults when it is missing. */
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
	if (!status && cli_interactive() && !cli_confirm(cli, "Replace all settings in %s?", path))
		status = perun_fail(cli->ctx, PERUN_USAGE, "%s stays as it is", path);
	if (!status && scope == PERUN_CONFIG_SHARED)
		status = reset_shared(cli, &path);
	else if (!status)
		status = reset_local(cli, template, path);
	if (!status)
		printf("Reset %s\n", path);
	perun_free(path);
	return status;
}
