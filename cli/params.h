/* SPDX-License-Identifier: BSD-3-Clause */
/* Units with parameters, as files of this folder name them: see perun/lib/module.h. */
#ifndef PERUN_CLI_PARAMS_H
#define PERUN_CLI_PARAMS_H

#include <perun/lib/module.h>

#include "cli/cli.h"

#define cli_unit       perun_module
#define cli_units      perun_modules
#define cli_units_add  perun_modules_add
#define cli_units_free perun_modules_free
#define cli_unit_word  perun_module_word

static inline int cli_unit_document(struct cli *cli, struct cli_unit *unit,
				    const struct perun_json *params)
{
	return perun_module_document(cli->ctx, unit, params);
}

static inline int cli_params_yaml(struct cli *cli, const char *whose, const char *text,
				  struct perun_json **document)
{
	return perun_params_yaml(cli->ctx, whose, text, document);
}

static inline int cli_unit_yaml(struct cli *cli, struct cli_unit *unit, const char *text)
{
	return perun_module_yaml(cli->ctx, unit, text);
}

#endif
