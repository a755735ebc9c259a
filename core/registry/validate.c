/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong in a plugin's tables: for plugin authors. */
#include <ctype.h>
#include <string.h>

#include <perun/check.h>
#include <perun/collect.h>
#include <perun/executor.h>
#include <perun/command.h>
#include <perun/format.h>
#include <perun/lib/options.h>
#include <perun/postprocess.h>
#include <perun/vcs.h>
#include <perun/view.h>

#include "core/registry/registry-private.h"

/* Lower case, digits and dashes. */
static bool is_name(const char *name)
{
	if (!name || !islower((unsigned char)*name))
		return false;
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static bool is_line(const char *text)
{
	return text && *text && !strchr(text, '\n');
}

static int check_option(struct perun_ctx *ctx, const struct perun_option *option)
{
	const char *aliases = option->aliases;

	if (!is_name(option->name))
		return perun_fail(ctx, PERUN_INPUT,
				  "option name '%s': only lower case, digits and dashes",
				  option->name);
	if (!is_line(option->help))
		return perun_fail(ctx, PERUN_INPUT, "option %s has no line of help", option->name);
	if (option->type == PERUN_OPTION_CHOICE && !is_line(option->choices))
		return perun_fail(ctx, PERUN_INPUT, "option %s is a choice of nothing",
				  option->name);
	if (option->ranged && !(option->minimum <= option->maximum))
		return perun_fail(ctx, PERUN_INPUT, "option %s: its range is empty", option->name);
	if ((option->flags & (PERUN_OPTION_NEGATABLE | PERUN_OPTION_COUNTED)) &&
	    option->type != PERUN_OPTION_FLAG)
		return perun_fail(ctx, PERUN_INPUT,
				  "option %s: only flags can be negatable or counted",
				  option->name);
	if ((option->flags & PERUN_OPTION_POSITIONAL) && option->type == PERUN_OPTION_FLAG)
		return perun_fail(ctx, PERUN_INPUT, "option %s: a flag cannot be positional",
				  option->name);
	while (aliases && *(aliases += strspn(aliases, " "))) {
		size_t length = strcspn(aliases, " ");

		if (aliases[0] != '-' || length < 2)
			return perun_fail(ctx, PERUN_INPUT,
					  "option %s: alias '%.*s' has no dash before it",
					  option->name, (int)length, aliases);
		aliases += length;
	}
	return PERUN_OK;
}

static bool share_spelling(const struct perun_option *one, const struct perun_option *other)
{
	const char *aliases = one->aliases;

	if (strcmp(one->name, other->name) == 0)
		return true;
	while (aliases && *(aliases += strspn(aliases, " "))) {
		size_t length = strcspn(aliases, " ");
		const char *theirs = other->aliases;

		while (theirs && *(theirs += strspn(theirs, " "))) {
			size_t their_length = strcspn(theirs, " ");

			if (length == their_length && strncmp(aliases, theirs, length) == 0)
				return true;
			theirs += their_length;
		}
		aliases += length;
	}
	return false;
}

/* The defaults must be values that the option takes: parse no words at all. */
static int check_defaults(struct perun_ctx *ctx, const struct perun_option *option)
{
	struct perun_option alone[] = {*option, {0}};
	struct perun_option_table table = {alone, sizeof *alone};
	const char *const words[] = {NULL};
	struct perun_options *options;
	int status;

	alone[0].flags &= ~(unsigned)PERUN_OPTION_REQUIRED;
	status = perun_options_parse(ctx, &table, 1, words, 0, &options, NULL);
	perun_options_free(options);
	return status == PERUN_OK ? PERUN_OK
				  : perun_fail(ctx, PERUN_INPUT, "the default does not fit");
}

static int check_options(struct perun_ctx *ctx, const struct perun_option *options)
{
	for (const struct perun_option *option = options; option && option->name; option++) {
		int status = check_option(ctx, option);

		if (status == PERUN_OK)
			status = check_defaults(ctx, option);
		if (status != PERUN_OK)
			return status;
		for (const struct perun_option *other = options; other < option; other++) {
			if (share_spelling(option, other))
				return perun_fail(ctx, PERUN_INPUT,
						  "options %s and %s share a spelling", other->name,
						  option->name);
		}
	}
	return PERUN_OK;
}

static int check_tables(struct perun_ctx *ctx, const struct perun_plugin *plugin)
{
	int status = check_options(ctx, plugin->options);

	for (const struct perun_subcommand *sub = plugin->subcommands;
	     status == PERUN_OK && sub && sub->name; sub++) {
		if (!is_line(sub->summary))
			return perun_fail(ctx, PERUN_INPUT, "sub-command %s has no summary",
					  sub->name);
		status = check_options(ctx, sub->options);
		if (status != PERUN_OK)
			perun_fail(ctx, PERUN_OK, "sub-command %s", sub->name);
	}
	for (const struct perun_command *command = plugin->commands;
	     status == PERUN_OK && command && command->name; command++) {
		if (!is_name(command->name) || !is_line(command->summary) || !command->run)
			return perun_fail(ctx, PERUN_INPUT,
					  "command %s lacks its summary or its function, or has a "
					  "name of other characters",
					  command->name);
		status = check_options(ctx, command->options);
		if (status != PERUN_OK)
			perun_fail(ctx, PERUN_OK, "command %s", command->name);
	}
	return status;
}

/* ---- operations ------------------------------------------------------------------------------ */

static int lacks(struct perun_ctx *ctx, const char *what)
{
	return perun_fail(ctx, PERUN_INPUT, "the operation %s is missing", what);
}

#define NEED(ops, operation)                           \
	do {                                           \
		if (!(ops).operation)                  \
			return lacks(ctx, #operation); \
	} while (0)

static int check_vcs(struct perun_ctx *ctx, const struct perun_plugin *plugin)
{
	struct perun_vcs_ops ops;

	perun_plugin_ops(plugin, &ops, sizeof ops);
	NEED(ops, attach);
	NEED(ops, init);
	NEED(ops, walk_minor_versions);
	NEED(ops, walk_major_versions);
	NEED(ops, get_minor_head);
	NEED(ops, get_head_major_version);
	NEED(ops, get_minor_version_info);
	NEED(ops, check_minor_version_validity);
	NEED(ops, massage_parameter);
	NEED(ops, is_dirty);
	NEED(ops, save_state);
	NEED(ops, restore_state);
	NEED(ops, checkout);
	return PERUN_OK;
}

static int check_format(struct perun_ctx *ctx, const struct perun_plugin *plugin)
{
	struct perun_format_ops ops;

	perun_plugin_ops(plugin, &ops, sizeof ops);
	if (!ops.read && !ops.write)
		return lacks(ctx, "read or write");
	if (ops.read)
		NEED(ops, probe);
	for (const struct perun_magic *magic = ops.magic; magic && magic->size; magic++) {
		if (magic->size > 256 || magic->offset > 65536 - 256)
			return perun_fail(ctx, PERUN_INPUT,
					  "magic bytes beyond the first 64 KiB of a file");
	}
	for (const char *const *text = ops.contains; text && *text; text++) {
		if (!**text || strlen(*text) > 256)
			return perun_fail(ctx, PERUN_INPUT,
					  "a text of `contains` has no or more than 256 bytes");
	}
	return PERUN_OK;
}

static int check_ops(struct perun_ctx *ctx, const struct perun_plugin *plugin)
{
	struct perun_collect_ops collect;
	struct perun_postprocess_ops postprocess;
	struct perun_view_ops view;
	struct perun_check_ops check;
	struct perun_executor_ops executor;

	if (!plugin->ops && plugin->kind != PERUN_KIND_COMMAND)
		return perun_fail(ctx, PERUN_INPUT, "it has no operations");
	switch (plugin->kind) {
	case PERUN_KIND_VCS:
		return check_vcs(ctx, plugin);
	case PERUN_KIND_FORMAT:
		return check_format(ctx, plugin);
	case PERUN_KIND_COLLECT:
		perun_plugin_ops(plugin, &collect, sizeof collect);
		NEED(collect, collect);
		break;
	case PERUN_KIND_POSTPROCESS:
		perun_plugin_ops(plugin, &postprocess, sizeof postprocess);
		NEED(postprocess, run);
		break;
	case PERUN_KIND_VIEW:
		perun_plugin_ops(plugin, &view, sizeof view);
		NEED(view, show);
		NEED(view, forms);
		break;
	case PERUN_KIND_CHECK:
		perun_plugin_ops(plugin, &check, sizeof check);
		if (!check.compare && !check.series)
			return lacks(ctx, "compare or series");
		break;
	case PERUN_KIND_COMMAND:
		if (!plugin->commands || !plugin->commands->name)
			return perun_fail(ctx, PERUN_INPUT, "it brings no command");
		break;
	case PERUN_KIND_EXECUTOR:
		perun_plugin_ops(plugin, &executor, sizeof executor);
		NEED(executor, submit);
		NEED(executor, poll);
		break;
	case PERUN_KINDS:
		break;
	}
	return PERUN_OK;
}

int perun_plugin_validate(struct perun_ctx *ctx, const struct perun_plugin *plugin)
{
	int status = PERUN_OK;

	if (!is_name(plugin->name))
		status = perun_fail(ctx, PERUN_INPUT,
				    "a name has only lower case, digits and dashes");
	else if (!is_line(plugin->summary))
		status = perun_fail(ctx, PERUN_INPUT, "it has no summary of one line");
	if (status == PERUN_OK)
		status = check_tables(ctx, plugin);
	if (status == PERUN_OK)
		status = check_ops(ctx, plugin);
	if (status != PERUN_OK)
		perun_fail(ctx, PERUN_OK, "plugin %s %s", perun_kind_name(plugin->kind),
			   plugin->name ? plugin->name : "?");
	return status;
}
