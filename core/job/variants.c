/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sub-command of a plugin the parameters of a configuration mean. */
#include <string.h>

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

const char *perun_variant_of(const struct perun_plugin *plugin, const char *const *arguments)
{
	const char *option = plugin->subcommands ? naming_option(plugin) : NULL, *value = NULL;

	for (; option && arguments && *arguments; arguments++)
		if (strncmp(*arguments, "--", 2) == 0 && perun_same_name(*arguments + 2, option) &&
		    arguments[1])
			value = arguments[1];
	for (size_t i = 0; value; i++) {
		const struct perun_subcommand *subcommand =
			(const void *)((const char *)plugin->subcommands +
				       i * plugin->subcommand_size);

		if (!subcommand->name)
			return value; /* which is reported as unknown */
		if (is_called(subcommand->name, value))
			return subcommand->name;
	}
	return NULL;
}
