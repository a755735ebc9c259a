/* SPDX-License-Identifier: BSD-3-Clause */
/* `perun afperf check`: every violation of the specification, a line each. */
#include "command.h"

#include <inttypes.h>

/* Warnings that are printed one by one. */
#define MAX_WARNINGS 20

struct check {
	struct afperf_call *call;
	struct perun_buffer text;
	const char *path;
};

static void print_violation(void *data, const struct afperf_problem *problem)
{
	struct check *check = data;

	perun_buffer_clear(&check->text);
	afperf_problem_text(problem, &check->text);
	perun_output_printf(check->call->output, "%s: %s\n", check->path, check->text.data);
}

static void print_warning(void *data, const struct afperf_problem *problem)
{
	struct check *check = data;

	if (check->call->warnings++ >= MAX_WARNINGS)
		return;
	perun_buffer_clear(&check->text);
	afperf_problem_text(problem, &check->text);
	perun_warn(check->call->ctx, "%s: %s", check->path, check->text.data);
}

static void report_rest(const struct check *check, const struct afperf_file *file)
{
	if (check->call->warnings > MAX_WARNINGS)
		perun_warn(check->call->ctx, "%s: and %" PRIu64 " more warnings", check->path,
			   check->call->warnings - MAX_WARNINGS);
	if (file->ignored_records || file->ignored_fields)
		perun_note(check->call->ctx,
			   "%s: of later minor versions, %" PRIu64 " unknown records and %" PRIu64
			   " additional fields were ignored",
			   check->path, file->ignored_records, file->ignored_fields);
}

int afperf_run_check(struct afperf_call *call, const char *path)
{
	struct check check = {.call = call, .path = path};
	struct afperf_listener listener = {
		.data = &check, .violation = print_violation, .warning = print_warning};
	struct afperf_file file = {0};
	struct perun_input *input;
	int status = perun_input_open(call->ctx, path, &input);

	if (status)
		return status;
	status = afperf_file_read(call->ctx, &file, input, call->limit, &listener);
	perun_input_close(input);
	if (status)
		status = perun_fail(call->ctx, status, "cannot read %s", path);
	else
		report_rest(&check, &file);
	if (!status && file.violations) {
		/* The lines are the result; they are put out although the status is not a success. */
		status = perun_output_commit(call->ctx, call->output);
		if (!status)
			status = perun_fail(call->ctx, PERUN_INPUT,
					    "%s: %" PRIu64 " violation%s of the specification",
					    path, file.violations, file.violations == 1 ? "" : "s");
	}
	perun_buffer_free(&check.text);
	afperf_file_free(&file);
	return status;
}
