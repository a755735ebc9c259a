/* SPDX-License-Identifier: BSD-3-Clause */
/* perun run: measure several programs, workloads and collectors. */
#include <config.h>

#include "cli/commands/commands.h"
#include "cli/print/measure.h"

const struct perun_option cli_run_options[] = {CLI_MEASURE_OPTIONS("-c -cp"), {0}};

const struct perun_option cli_run_job_options[] = {
	{.name = "cmd",
	 .aliases = "-b",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,
	 .help = "a program that is measured"},
	CLI_PROGRAM_OPTIONS,
	{.name = "collector",
	 .aliases = "-c",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,
	 .help = "a collector"},
	{.name = "collector-params",
	 .aliases = "-cp",
	 .metavar = "NAME YAML",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "options of a collector, as a file or as text such as 'repeat: 5'"},
	{.name = "postprocessor",
	 .aliases = "-p",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a postprocessor that each profile goes through"},
	{.name = "postprocessor-params",
	 .aliases = "-pp",
	 .metavar = "NAME YAML",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "options of a postprocessor"},
	{0}};

const struct perun_option cli_run_matrix_options[] = {
	{.name = "without-vcs-history", .aliases = "-q", .flags = PERUN_OPTION_HIDDEN}, {0}};

/* The values of an option into a part of the plan. */
static void add_texts(struct perun_plan *plan, enum perun_plan_part part,
		      const struct perun_options *options, const char *name)
{
	for (size_t i = 0; i < perun_option_count(options, name); i++)
		perun_plan_add(plan, part, perun_option_string_at(options, name, i));
}

/* Modules by name, and their options from pairs of values. */
static int add_units(struct cli *cli, const struct perun_options *options, const char *names,
		     struct perun_plan *plan, enum perun_plan_part part)
{
	char *params = perun_format("%s-params", names);
	int status = PERUN_OK;

	add_texts(plan, part, options, names);
	for (size_t i = 0; !status && i + 1 < perun_option_count(options, params); i += 2) {
		status = perun_plan_options(cli->ctx, plan, part,
					    perun_option_string_at(options, params, i),
					    perun_option_string_at(options, params, i + 1));
		if (status)
			perun_fail(cli->ctx, PERUN_OK, "--%s", params);
	}
	perun_free(params);
	return status;
}

int cli_run_job(struct cli *cli, const struct cli_call *call)
{
	struct perun_plan *plan = perun_plan_new();
	const struct perun_run_options options = cli_run_options_of(call, plan);
	int status = cli_open_store(cli);

	add_texts(plan, PERUN_PLAN_COMMANDS, call->options, "cmd");
	add_texts(plan, PERUN_PLAN_ARGUMENTS, call->options, "args");
	if (!status)
		status = cli_add_workloads(cli, call->options, plan);
	if (!status)
		status = add_units(cli, call->options, "collector", plan, PERUN_PLAN_COLLECTORS);
	if (!status)
		status = add_units(cli, call->options, "postprocessor", plan,
				   PERUN_PLAN_POSTPROCESSORS);
	if (!status)
		status = cli_measure(cli, call, plan, &options);
	perun_plan_free(plan);
	return status;
}

int cli_run_matrix(struct cli *cli, const struct cli_call *call)
{
	struct perun_plan *plan = perun_plan_new();
	const struct perun_run_options options = cli_run_options_of(call, plan);
	int status = cli_open_store(cli);

	if (!status)
		status = perun_plan_matrix(cli->ctx, cli->store, plan);
	if (!status)
		status = cli_measure(cli, call, plan, &options);
	perun_plan_free(plan);
	return status;
}
