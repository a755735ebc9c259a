/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements of different classes of machines are not compared unless the user wants it. */
#include <config.h>

#include <perun/machine.h>

#include "cli/machines.h"

void cli_machines_free(struct cli_machines *machines)
{
	perun_free(machines->difference);
	*machines = (struct cli_machines){0};
}

void cli_machines_forget(struct cli_machines *machines)
{
	bool across = machines->across;

	cli_machines_free(machines);
	machines->across = across;
}

bool cli_machines_take(struct cli_machines *machines, const struct perun_profile *one,
		       const struct perun_profile *other)
{
	char *difference = machines->across ? NULL : perun_machine_difference(one, other);

	if (!difference)
		return true;
	machines->refused++;
	if (machines->difference)
		perun_free(difference);
	else
		machines->difference = difference;
	return false;
}

int cli_machines_fail(struct cli *cli, const struct cli_machines *machines, const char *what)
{
	return perun_fail(
		cli->ctx, PERUN_NOT_COMPARED,
		"nothing was compared: %s were measured on different classes of machines (%s); "
		"--across-machines compares them all the same",
		what, machines->difference);
}
