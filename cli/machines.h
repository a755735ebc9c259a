/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements of different classes of machines are not compared unless the user wants it. */
#ifndef PERUN_CLI_MACHINES_H
#define PERUN_CLI_MACHINES_H

#include <perun/profile.h>

#include "cli/cli.h"

/* The option of the commands that compare. */
#define CLI_MACHINES_OPTION                                                               \
	{                                                                                 \
		.name = "across-machines",                                                \
		.help = "compare also what was measured on different classes of machines" \
	}

/* The option of the commands that look at a history. */
#define CLI_MACHINE_OPTION                                                                    \
	{                                                                                     \
		.name = "machine", .metavar = "CLASS", .type = PERUN_OPTION_STRING,           \
		.help = "take the newest class of machine with this in its name; the newest " \
			"class by default"                                                    \
	}

struct cli_machines {
	bool across;      /* all may be compared */
	size_t refused;   /* how many pairs were not */
	char *difference; /* of the first of them; NULL = none */
};

void cli_machines_free(struct cli_machines *machines);
/* Forget what was refused so far. */
void cli_machines_forget(struct cli_machines *machines);
/* Whether two profiles may be compared; a refusal is kept. */
bool cli_machines_take(struct cli_machines *machines, const struct perun_profile *one,
		       const struct perun_profile *other);
/* Fail (PERUN_USAGE): `what`, such as "the profiles", were measured on different classes of machines. */
int cli_machines_fail(struct cli *cli, const struct cli_machines *machines, const char *what);

#endif
