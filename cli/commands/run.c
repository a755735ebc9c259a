/* SPDX-License-Identifier: BSD-3-Clause */
/* perun run: measure several programs, workloads and collectors. */
#include <config.h>

#include "cli/base/host.h"
#include "cli/commands/commands.h"
#include "cli/print/measure.h"
#include "commands/common/runs.h"

const struct perun_option cli_run_options[] = {CLI_MEASURE_OPTIONS("-c -cp"), RUNS_OPTIONS, {0}};

const struct perun_option cli_run_job_options[] = {
	{.name = "cmd",
	 .aliases = "-b",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED,
	 .help = "a program that is measured"},
	CLI_PROGRAM_OPTIONS,
	RUNS_MODULE_OPTIONS,
	{0}};

const struct perun_option cli_run_matrix_options[] = {
	{.name = "without-vcs-history", .aliases = "-q", .flags = PERUN_OPTION_HIDDEN}, {0}};

/* In cells where that is asked for, else here and now. */
static int measure(struct cli *cli, const struct cli_call *call, struct perun_plan *plan)
{
	const struct perun_run_options options = cli_run_options_of(call, plan);
	const struct runs_words words = {call->options, call->before};
	struct cli_host host;
	bool cells;
	int status = runs_in_cells(cli->ctx, &words, plan, &cells);

	if (status || !cells)
		return status ? status : cli_measure(cli, call, plan, &options);
	cli_host_begin(cli, "run", call->options, NULL, &host);
	return cli_host_end(&host, runs_start(cli->ctx, &host.call, &words, plan, &options));
}

int cli_run_job(struct cli *cli, const struct cli_call *call)
{
	struct perun_plan *plan = perun_plan_new();
	int status = cli_open_store(cli);

	if (!status)
		status = cli_add_workloads(cli, call->options, plan);
	if (!status)
		status = runs_plan_job(cli->ctx, call->options, plan);
	if (!status)
		status = measure(cli, call, plan);
	perun_plan_free(plan);
	return status;
}

int cli_run_matrix(struct cli *cli, const struct cli_call *call)
{
	struct perun_plan *plan = perun_plan_new();
	int status = cli_open_store(cli);

	if (!status)
		status = perun_plan_matrix(cli->ctx, cli->store, plan);
	if (!status)
		status = measure(cli, call, plan);
	perun_plan_free(plan);
	return status;
}

/* Without a sub-command: one task of a run in cells. */
int cli_run(struct cli *cli, const struct cli_call *call)
{
	struct cli_host host;

	cli_host_begin(cli, "run", call->options, NULL, &host);
	return cli_host_end(&host, runs_task(cli->ctx, &host.call));
}
