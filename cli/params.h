/* SPDX-License-Identifier: BSD-3-Clause */
/* Units with parameters: collectors and postprocessors of a job. */
#ifndef PERUN_CLI_PARAMS_H
#define PERUN_CLI_PARAMS_H

#include <perun/json.h>

#include "cli/cli.h"

/* A collector or postprocessor and the words for its options. */
struct cli_unit {
	char *name;
	char **arguments; /* NULL-terminated */
	size_t count, capacity;
};

struct cli_units {
	struct cli_unit *items;
	size_t count, capacity;
};

struct cli_unit *cli_units_add(struct cli_units *units, const char *name);
void cli_units_free(struct cli_units *units);
/* A further word for the options of a unit. */
void cli_unit_word(struct cli_unit *unit, const char *word);
/*
 * Parameters from a document {"repeat": 5, "warmup": 1, "all": true} become "--repeat" "5" "--warmup"
 * "1" "--all"; lists repeat their option.
 */
int cli_unit_document(struct cli *cli, struct cli_unit *unit, const struct perun_json *params);
/* The document of YAML: of a file, or the text itself ("repeat: 5"). `whose` is for messages. */
int cli_params_yaml(struct cli *cli, const char *whose, const char *text,
		    struct perun_json **document);
/* The options of a unit from such YAML. */
int cli_unit_yaml(struct cli *cli, struct cli_unit *unit, const char *text);
/* Units from a setting: a list of {"name", "params"}. */
int cli_units_from_setting(struct cli *cli, const char *key, struct cli_units *units);

#endif
