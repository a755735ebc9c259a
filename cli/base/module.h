/* SPDX-License-Identifier: BSD-3-Clause */
/* The words after a module's name: its variant and its options. */
#ifndef PERUN_CLI_BASE_MODULE_H
#define PERUN_CLI_BASE_MODULE_H

#include <perun/plugin.h>

#include "cli/base/cli.h"

struct cli_module {
	const struct perun_plugin *plugin;
	const struct perun_subcommand *subcommand; /* NULL when the plugin has none */
	bool chosen;            /* the words name the variant; else it is the default */
	const char **arguments; /* the option words, NULL-terminated */
	size_t argument_count;
	char **spelled;                /* those of the words that were replaced */
	struct perun_options *options; /* after cli_module_options() */
};

/* `words[0]` is the module's name. Free with cli_module_free() also after a failure. */
int cli_module_parse(struct cli *cli, enum perun_kind kind, const char *const *words,
		     struct cli_module *module);
/* Parse them; `more` are options that the command offers after the module's name, or NULL. */
int cli_module_options(struct cli *cli, struct cli_module *module, const struct perun_option *more);
void cli_module_free(struct cli_module *module);

/* "perun show needs a view: raw, tableof": a status. */
int cli_module_missing(struct cli *cli, enum perun_kind kind, const char *command,
		       const char *what);
/* Whether a plugin of this kind and name is installed. */
bool cli_module_exists(struct cli *cli, enum perun_kind kind, const char *name);

#endif
