/* SPDX-License-Identifier: BSD-3-Clause */
/* -svg, -png, -gif, -pdf, -ps: the graph of -dot, drawn by graphviz. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands/common/code/tool.h"
#include "report.h"

/* A file without a name that holds the text, from its start on; -1 with errno. */
static int make_input(const struct perun_buffer *text)
{
	int file = memfd_create("graph", MFD_CLOEXEC);
	size_t done = 0;

	while (file >= 0 && done < text->length) {
		ssize_t put = write(file, text->data + done, text->length - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			close(file);
			return -1;
		}
		done += (size_t)put;
	}
	if (file >= 0)
		lseek(file, 0, SEEK_SET);
	return file;
}

static int draw(struct pprof_report *report, const struct perun_buffer *graph)
{
	const char *name = report->settings.command->name;
	char *language = perun_format("-T%s", report->settings.command->dot);
	const char *const arguments[] = {"dot", language, NULL};
	struct perun_buffer image = {0};
	int input = make_input(graph), status;

	if (input < 0) {
		status = perun_fail_errno(report->ctx, PERUN_INPUT, errno, "cannot keep the graph");
	} else {
		status = tool_run(report->ctx, arguments, input, &image);
		close(input);
	}
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
