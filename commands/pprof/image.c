/* SPDX-License-Identifier: BSD-3-Clause */
/* -svg, -png, -gif, -pdf, -ps: the graph of -dot, drawn by graphviz. */
#include "commands/common/code/tool.h"
#include "report.h"

static int draw(struct pprof_report *report, const struct perun_buffer *graph)
{
	const char *name = report->settings.command->name;
	char *language = perun_format("-T%s", report->settings.command->dot);
	const char *const arguments[] = {"dot", language, NULL};
	struct perun_buffer image = {0};
	int status = tool_run(report->ctx, arguments, graph, &image);

	if (status == PERUN_MISSING)
		status = perun_fail(report->ctx, status,
				    "-%s needs the program dot of graphviz (Debian: apt "
				    "install graphviz)",
				    name);
	else if (status == PERUN_INPUT)
		status = perun_fail(report->ctx, status, "-%s: cannot draw the graph", name);
	if (!status)
		perun_output_write(report->output, image.data, image.length);
	perun_buffer_free(&image);
	perun_free(language);
	return status;
}

int pprof_report_image(struct pprof_report *report)
{
	struct perun_output *output = report->output;
	struct perun_buffer graph = {0};
	int status;

	report->output = perun_output_to_buffer(&graph);
	status = pprof_report_dot(report);
	if (!status)
		status = perun_output_commit(report->ctx, report->output);
	perun_output_close(report->output);
	report->output = output;
	if (!status)
		status = draw(report, &graph);
	perun_buffer_free(&graph);
	return status;
}
