/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sub-command of a plugin the parameters of a configuration mean. */
#include <string.h>

#include <perun/lib/advice.h>
#include <perun/lib/registry.h>
#include <perun/option.h>

#include "core/job/variants.h"

static const struct perun_option *option_at(const struct perun_plugin *plugin, size_t i)
{
	return (const void *)((const char *)plugin->options + i * plugin->option_size);
}

/* The hidden option whose value is the name of a sub-command. */
static const char *naming_option(const struct perun_plugin *plugin)
{
	for (size_t i = 0; plugin->options && option_at(plugin, i)->name; i++) {
		const struct perun_option *option = option_at(plugin, i);

		if (option->metavar && (option->flags & PERUN_OPTION_HIDDEN) &&
		    strcmp(option->metavar, "SUBCOMMAND") == 0)
			return option->name;
	}
	return NULL;
}

static bool is_called(const char *name, const char *text)
{
	size_t length = strlen(text), whole = strlen(name);

	return perun_same_name(name, text) ||
	       (whole > length &&
		((strncmp(name, text, length) == 0 && name[length] == '-') ||
		 (strcmp(name + whole - length, text) == 0 && name[whole - length - 1] == '-')));
}

/* The word that the parameters have for a sub-command; NULL = none. */
static const char *word_of(const struct perun_plugin *plugin, const char *const *arguments)
{
	const char *option = naming_option(plugin), *word = NULL;

	for (; option && arguments && *arguments; arguments++)
		if (strncmp(*arguments, "--", 2) == 0 && perun_same_name(*arguments + 2, option) &&
		    arguments[1])
			word = arguments[1];
	return word;
}

int perun_variant_choose(struct perun_ctx *ctx, const struct perun_plugin *plugin, const char *name,
			 const char *const *arguments, const struct perun_subcommand **chosen)
{
	const char *word = name ? NULL : word_of(plugin, arguments), *advice;

	/* What is loaded has the layouts of this host. */
	for (*chosen = plugin->subcommands; (*chosen)->name; ++*chosen)
		if (name   ? perun_same_name((*chosen)->name, name)
		    : word ? is_called((*chosen)->name, word)
			   : true)
			return PERUN_OK;
	advice = perun_advice(PERUN_ADVICE_HELP);
	return perun_fail(ctx, PERUN_USAGE, "%s has no variant %s%s%s", plugin->name,
			  name ? name : word, advice, *advice ? plugin->name : "");
}
