/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking the programs of an engine. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/format.h>

#include "executors/common/engine.h"

#define MAX_OUTPUT ((size_t)256 << 20)
#define MAX_ERROR  400 /* bytes of an error output that are repeated */

void engine_add(struct engine_words *words, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	for (int i = 0; i < 2; i++) { /* room for the NULL as well */
		PERUN_GROW(words->items, words->count + 1, words->capacity);
	}
	words->items[words->count++] = perun_vformat(format, arguments);
	words->items[words->count] = NULL;
	va_end(arguments);
}

void engine_words_free(struct engine_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		perun_free(words->items[i]);
	perun_free(words->items);
	*words = (struct engine_words){0};
}

/* ---- running ------------------------------------------------------------------------------------- */

struct pipes {
	int output[2], error[2];
};

static void run_child(const struct engine_words *words, const struct pipes *pipes)
{
	int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (empty >= 0)
		dup2(empty, STDIN_FILENO);
	dup2(pipes->output[1], STDOUT_FILENO);
	dup2(pipes->error[1], STDERR_FILENO);
	execvp(words->items[0], words->items);
	fprintf(stderr, "%s", strerror(errno));
	_exit(127);
}

/* Some bytes; false at the end. */
static bool take(int file, struct perun_buffer *text)
{
	ssize_t got = read(file, perun_buffer_reserve(text, 65536), 65536);

	if (got > 0)
		text->length += (size_t)got;
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Until both ends are closed. */
static int read_both(struct perun_ctx *ctx, const struct pipes *pipes, pid_t child,
		     struct perun_buffer *output, struct perun_buffer *error)
{
	struct pollfd files[] = {{pipes->output[0], POLLIN, 0}, {pipes->error[0], POLLIN, 0}};
	struct perun_buffer *texts[] = {output, error};

	while (files[0].fd >= 0 || files[1].fd >= 0) {
		if (poll(files, 2, 100) < 0 && errno != EINTR)
			break;
		for (int i = 0; i < 2; i++)
			if (files[i].fd >= 0 && files[i].revents && !take(files[i].fd, texts[i]))
				files[i].fd = -1;
		if (perun_cancelled(ctx)) {
			kill(child, SIGTERM);
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		}
		if (output->length > MAX_OUTPUT) {
			kill(child, SIGKILL);
			return perun_fail(ctx, PERUN_INPUT, "it prints more than %zu MB",
					  MAX_OUTPUT >> 20);
		}
	}
	return PERUN_OK;
}

/* The last line that says something. */
static char *last_words(struct perun_buffer *error)
{
	size_t end = error->length, begin;

	while (end && strchr(" \n\r\t", error->data[end - 1]))
		end--;
	begin = end;
	while (begin && error->data[begin - 1] != '\n' && end - begin < MAX_ERROR)
		begin--;
	if (!end)
		return perun_strdup("");
	error->data[end] = '\0';
	return perun_printable(error->data + begin);
}

static int wait_for(struct perun_ctx *ctx, const char *name, pid_t child,
		    struct perun_buffer *error)
{
	int code = 0;
	char *words;

	while (waitpid(child, &code, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
		return PERUN_OK;
	words = last_words(error);
	perun_fail(ctx, PERUN_INPUT, "%s failed%s%s", name, *words ? ": " : "", words);
	perun_free(words);
	return PERUN_INPUT;
}

int engine_run(struct perun_ctx *ctx, const struct engine_words *words, struct perun_buffer *output)
{
	struct perun_buffer unused = {0}, error = {0};
	struct pipes pipes;
	pid_t child;
	int status, outcome;

	if (pipe2(pipes.output, O_CLOEXEC) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot run %s", words->items[0]);
	if (pipe2(pipes.error, O_CLOEXEC) < 0) {
		close(pipes.output[0]);
		close(pipes.output[1]);
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot run %s", words->items[0]);
	}
	fflush(NULL);
	child = fork();
	if (child == 0)
		run_child(words, &pipes);
	close(pipes.output[1]);
	close(pipes.error[1]);
	if (child < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot start a process");
	else {
		status = read_both(ctx, &pipes, child, output ? output : &unused, &error);
		outcome = wait_for(status ? NULL : ctx, words->items[0], child, &error);
		status = status ? status : outcome;
	}
	close(pipes.output[0]);
	close(pipes.error[0]);
	perun_buffer_free(&unused);
	perun_buffer_free(&error);
	return status;
}

/* ---- files --------------------------------------------------------------------------------------- */

void engine_quote(struct perun_buffer *line, const char *text)
{
	perun_buffer_add_char(line, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			perun_buffer_add_text(line, "'\\''");
		else
			perun_buffer_add_char(line, *text);
	}
	perun_buffer_add_char(line, '\'');
}

int engine_write(struct perun_ctx *ctx, const char *path, const struct perun_buffer *text)
{
	struct perun_output *output;
	int status = perun_output_open(ctx, path, &output);

	if (status)
		return status;
	perun_output_write(output, text->data, text->length);
	status = perun_output_commit(ctx, output);
	perun_output_close(output);
	return status;
}

struct perun_executor_job *engine_job(struct perun_executor_job *jobs, size_t i, size_t stride)
{
	return (struct perun_executor_job *)(void *)((char *)jobs + i * stride);
}
