/* SPDX-License-Identifier: BSD-3-Clause */
/* The words after a module's name: its variant and its options. */
#include <config.h>

#include <string.h>

#include <perun/lib/registry.h>

#include "cli/base/module.h"

static const struct perun_subcommand *find_variant(const struct perun_plugin *plugin,
						   const char *name)
{
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		if (cli_same_name(sub->name, name))
			return sub;
	}
	return NULL;
}

/* The option with that short name, or NULL. */
static const struct perun_option *named(const struct perun_option *options, size_t size,
					const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = (const char *)options; at && ((const struct perun_option *)at)->name;
	     at += size) {
		const struct perun_option *option = (const struct perun_option *)at;

		for (const char *alias = option->aliases; alias && *alias;) {
			size_t end = strcspn(alias, " ");

			if (end == length && strncmp(alias, word, end) == 0)
				return option;
			alias += end + strspn(alias + end, " ");
		}
	}
	return NULL;
}

/*
 * A word in front of the variant: a short name that the module and the variant have is the module's there,
 * and gets its long name. NULL = it stays.
 */
static char *spelled_out(const struct cli_module *module, const char *word)
{
	const struct perun_subcommand *variant = module->subcommand;
	const struct perun_option *own =
		named(module->plugin->options, module->plugin->option_size, word);

	return own && named(variant->options, variant->option_size, word)
		       ? perun_format("--%s", own->name)
		       : NULL;
}

int cli_module_parse(struct cli *cli, enum perun_kind kind, const char *const *words,
		     struct cli_module *module)
{
	struct perun_options *options = NULL;
	size_t used = 0, count = 0;
	int status;

	*module = (struct cli_module){0};
	status = perun_registry_load(cli->ctx, kind, words[0], &module->plugin);
	if (status)
		return status;
	words++;
	while (words[count])
		count++;
	module->arguments = perun_alloc_zero(count + 1, sizeof *module->arguments);
	module->spelled = perun_alloc_zero(count + 1, sizeof *module->spelled);
	module->subcommand = module->plugin->subcommands;
	if (module->subcommand) {
		struct perun_ctx *quiet = perun_ctx_new(NULL);
		struct perun_option_table table = {module->plugin->options,
						   module->plugin->option_size};

		/* What is wrong with options before the variant is found when all are parsed. */
		if (perun_options_parse(quiet, &table, 1, words, PERUN_PARSE_STOP_AT_POSITIONAL,
					&options, &used) == PERUN_OK &&
		    words[used] && find_variant(module->plugin, words[used])) {
			module->subcommand = find_variant(module->plugin, words[used]);
			module->chosen = true;
		}
		perun_options_free(options);
		perun_ctx_free(quiet);
	}
	for (size_t i = 0; i < count; i++) {
		if (module->chosen && i == used)
			continue;
		if (module->chosen && i < used)
			module->spelled[i] = spelled_out(module, words[i]);
		module->arguments[module->argument_count++] =
			module->spelled[i] ? module->spelled[i] : words[i];
	}
	return PERUN_OK;
}

int cli_module_options(struct cli *cli, struct cli_module *module, const struct perun_option *more)
{
	struct perun_option_table tables[3];
	size_t count = 0;

	/* A short name of both is the subcommand's; in front of its word the other one has its long name. */
	if (module->subcommand)
		tables[count++] = (struct perun_option_table){module->subcommand->options,
							      module->subcommand->option_size};
	tables[count++] =
		(struct perun_option_table){module->plugin->options, module->plugin->option_size};
	if (more)
		tables[count++] = (struct perun_option_table){more, sizeof *more};
	if (perun_options_parse(cli->ctx, tables, count, module->arguments, 0, &module->options,
				NULL))
		return perun_fail(cli->ctx, PERUN_OK, "%s", module->plugin->name);
	return PERUN_OK;
}

void cli_module_free(struct cli_module *module)
{
	perun_options_free(module->options);
	for (size_t i = 0; module->spelled && i <= module->argument_count; i++)
		perun_free(module->spelled[i]);
	perun_free(module->spelled);
	perun_free((void *)module->arguments);
	*module = (struct cli_module){0};
}

int cli_module_missing(struct cli *cli, enum perun_kind kind, const char *command, const char *what)
{
	struct perun_buffer list = {0};
	size_t count;
	char **names = perun_supported_modules(cli->ctx, kind, &count);
	int status;

	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
	status = perun_fail(cli->ctx, PERUN_USAGE, "%s needs %s: %s", command, what,
			    list.length ? list.data : "none is installed");
	perun_buffer_free(&list);
	perun_free(names);
	return status;
}

bool cli_module_exists(struct cli *cli, enum perun_kind kind, const char *name)
{
	return perun_registry_find(cli->ctx, kind, name) != NULL;
}
