/* SPDX-License-Identifier: BSD-3-Clause */
/* A view that writes the file SEEN as soon as it is opened. */
#include <stdio.h>
#include <stdlib.h>

#include <perun/command.h>

#include "tests/abi/view.h"

static __attribute__((constructor)) void say(void)
{
	const char *path = getenv("SEEN");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (file)
		fclose(file);
}

SHOW
{
	return perun_fail(ctx, PERUN_INPUT, "seen");
}

static int run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	(void)ctx;
	(void)call;
	return PERUN_OK;
}

static const struct perun_command commands[] = {
	{.name = "look", .summary = "look", .run = run},
	{0},
};

DEFINE_VIEW(seen, "misbehaves", NULL, PERUN_PLUGIN_COMMANDS(commands));
