/* SPDX-License-Identifier: BSD-3-Clause */
/* -svg, -png, -gif, -pdf, -ps: the graph of -dot, drawn by graphviz. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"

extern char **environ;

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

/* Start dot with its ends of the files; returns an errno. */
static int start(const char *language, int from, int to, pid_t *process)
{
	posix_spawn_file_actions_t actions;
	char *option = perun_format("-T%s", language);
	char *const arguments[] = {"dot", option, NULL};
	int error = posix_spawn_file_actions_init(&actions);

	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(process, "dot", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	perun_free(option);
	return error;
}

static int copy_output(struct pprof_report *report, int from)
{
	char block[65536];
	ssize_t got;
	int status = PERUN_OK;

	while ((got = read(from, block, sizeof block)) != 0) {
		if (got < 0 && errno != EINTR)
			return perun_fail_errno(report->ctx, PERUN_INPUT, errno,
						"cannot read what dot draws");
		if (got > 0)
			status = perun_output_write(report->output, block, (size_t)got);
		if (perun_cancelled(report->ctx))
			return PERUN_CANCELLED;
	}
	return status;
}

static int wait_for(struct perun_ctx *ctx, pid_t process)
{
	int result;

	while (waitpid(process, &result, 0) < 0) {
		if (errno != EINTR)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot wait for dot");
	}
	if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT, "dot (of graphviz) could not draw the graph");
}

static int draw(struct pprof_report *report, const struct perun_buffer *graph)
{
	const char *language = report->settings.command->dot;
	int ends[2], from = make_input(graph), error, status, ended;
	pid_t process;

	if (from < 0)
		return perun_fail_errno(report->ctx, PERUN_INPUT, errno, "cannot keep the graph");
	if (pipe2(ends, O_CLOEXEC) < 0) {
		close(from);
		return perun_fail_errno(report->ctx, PERUN_INPUT, errno, "cannot make a pipe");
	}
	error = start(language, from, ends[1], &process);
	close(from);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return perun_fail_errno(report->ctx, PERUN_MISSING, error,
					"-%s needs the program dot of graphviz (Debian: apt "
					"install graphviz)",
					report->settings.command->name);
	}
	status = copy_output(report, ends[0]);
	close(ends[0]);
	ended = wait_for(report->ctx, process);
	return status ? status : ended;
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
