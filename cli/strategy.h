/* SPDX-License-Identifier: BSD-3-Clause */
/* Which check methods a profile is compared by. */
#ifndef PERUN_CLI_STRATEGY_H
#define PERUN_CLI_STRATEGY_H

#include <perun/json.h>
#include <perun/profile.h>

#include "cli/params.h"

struct cli_rule {
	const char *method;                  /* proper name, interned in the registry */
	const struct perun_json *conditions; /* keys that a profile must have; NULL = any */
	struct cli_unit *unit;               /* its option words */
	const char *origin; /* the file that names it; NULL = the command line, or the default */
};

struct cli_strategies {
	struct cli_rule *rules;
	size_t count, capacity;
	struct cli_units units;
	struct perun_json *lists[2]; /* what the rules point to */
	bool first;                  /* only the first rule that fits */
	struct perun_json *given;    /* options of the command line */
	bool *used;                  /* of each of these: a method has it */
};

/*
 * The methods given with --method (NULL-terminated), or else the rules of degradation.strategies in
 * all configurations. Methods of the configuration that are not installed are warned about. `params`
 * (NULL-terminated) are options as YAML, for those of the methods that have them; they come before what is
 * configured. Fails when none of the methods has one of them.
 */
int cli_strategies_load(struct cli *cli, const char *const *methods, const char *const *params,
			struct cli_strategies *strategies);
void cli_strategies_free(struct cli_strategies *strategies);
/* Whether a rule is what versions are compared by unless another method is asked for. */
bool cli_rule_is_default(const struct cli_rule *rule);
/* Whether a rule is meant for a profile. */
bool cli_rule_fits(const struct cli_rule *rule, const struct perun_profile *profile);

#endif
