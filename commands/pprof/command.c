/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `perun pprof`. */
#include "command.h"

#include "commands/common/safe-lines.h"
#include "report.h"

static int print_help(const struct perun_command_call *call)
{
	struct perun_buffer text = {0};
	int status;

	pprof_print_help(&text);
	status = perun_output_write(call->output, text.data, text.length);
	perun_buffer_free(&text);
	return status;
}

/* The report to a file that appears when it is complete. */
static int run_to_file(struct pprof_report *report)
{
	struct perun_output *file;
	int status = perun_output_open(report->ctx, report->settings.output, &file);

	if (status)
		return status;
	report->output = file;
	report->terminal = false;
	status = report->settings.command->run(report);
	if (!status)
		status = perun_output_commit(report->ctx, file);
	perun_output_close(file);
	return status;
}

/* Names in a report could drive the terminal. */
static int run_to_terminal(struct pprof_report *report)
{
	struct perun_output *terminal = report->output;
	struct perun_buffer text = {0};
	int status;

	report->output = perun_output_to_buffer(&text);
	status = report->settings.command->run(report);
	if (!status)
		status = perun_output_commit(report->ctx, report->output);
	if (!status)
		commands_print_lines(terminal, &text);
	perun_output_close(report->output);
	perun_buffer_free(&text);
	return status;
}

static int run_report(struct perun_ctx *ctx, const struct perun_command_call *call,
		      const struct pprof_settings *settings)
{
	struct pprof_report report = {.ctx = ctx,
				      .settings = *settings,
				      .output = call->output,
				      .terminal = call->terminal};
	int status;

	if (settings->command->binary && report.terminal && !*settings->output)
		return perun_fail(ctx, PERUN_USAGE,
				  "-%s is not for terminals: give -output=FILE, or redirect it",
				  settings->command->name);
	pprof_override_settings(&report.settings);
	status = pprof_prepare(&report);
	if (!status && *settings->output)
		status = run_to_file(&report);
	else if (!status)
		status = report.terminal ? run_to_terminal(&report)
					 : settings->command->run(&report);
	pprof_report_free(&report);
	return status;
}

/* pprof exits 2 whatever is wrong; only a missing tool is reported apart. */
int pprof_run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct pprof_settings settings;
	int status;

	if (call->argc > 1 && strcmp(call->argv[0], PERUN_COMMAND_COMPLETE) == 0) {
		pprof_complete(ctx, call);
		return PERUN_OK;
	}
	status = pprof_read_arguments(ctx, call->argc, call->argv, &settings);
	if (!status)
		status = settings.help    ? print_help(call)
			 : *settings.http ? pprof_serve(ctx, &settings)
					  : run_report(ctx, call, &settings);
	pprof_settings_free(&settings);
	return status == PERUN_INPUT ? PERUN_USAGE : status;
}
