/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of the system: where they are, what they print. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/common/code/tool.h"

/* LOOK_AGAIN: milliseconds until it is looked whether the user wants to stop. */
enum { PIECE = 65536, MAX_OUTPUT = 256 << 20, LOOK_AGAIN = 100 };

extern char **environ;

/* A file without a name that holds the text, from its start on; -1 with errno. */
static int make_input(const struct perun_buffer *text)
{
	int file = memfd_create("input", MFD_CLOEXEC);
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

/* Start the program with its ends of the files; returns an errno. */
static int start(const char *const *arguments, int input, int output, pid_t *process)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	if (input < 0)
		error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							 O_RDONLY, 0);
	else
		error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	if (!error)
		error = posix_spawnp(process, arguments[0], &actions, NULL,
				     (char *const *)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* One piece of what it prints; `*more`: there may be others. A program that is silent can be stopped, too. */
static int read_piece(struct perun_ctx *ctx, int file, struct perun_buffer *output, bool *more)
{
	struct pollfd ready = {.fd = file, .events = POLLIN};
	ssize_t got = 0;

	if (perun_cancelled(ctx))
		return PERUN_CANCELLED;
	if (poll(&ready, 1, LOOK_AGAIN) <= 0)
		return PERUN_OK;
	got = read(file, perun_buffer_reserve(output, PIECE), PIECE);
	if (got < 0 && errno == EINTR)
		return PERUN_OK;
	if (got < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno,
					"cannot read what a program prints");
	output->length += (size_t)got;
	*more = got > 0;
	return output->length > MAX_OUTPUT
		       ? perun_fail(ctx, PERUN_INPUT, "a program prints more than %d MiB",
				    MAX_OUTPUT >> 20)
		       : PERUN_OK;
}

/* Read until the program closes its end. */
static int read_all(struct perun_ctx *ctx, int file, pid_t process, struct perun_buffer *output)
{
	bool more = true;
	int status = PERUN_OK;

	while (more && !status)
		status = read_piece(ctx, file, output, &more);
	if (status)
		kill(process, SIGKILL);
	return status;
}

static bool ended_well(pid_t process)
{
	int result;

	while (waitpid(process, &result, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

int tool_run(struct perun_ctx *ctx, const char *const *arguments, const struct perun_buffer *input,
	     struct perun_buffer *output)
{
	int ends[2], error, status, from = input ? make_input(input) : -1;
	pid_t process;

	if (input && from < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot keep the input of %s",
					arguments[0]);
	if (pipe2(ends, O_CLOEXEC) < 0) {
		error = errno;
		if (from >= 0)
			close(from);
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot make a pipe");
	}
	error = start(arguments, from, ends[1], &process);
	close(ends[1]);
	if (from >= 0)
		close(from);
	if (error) {
		close(ends[0]);
		return PERUN_MISSING;
	}
	status = read_all(ctx, ends[0], process, output);
	close(ends[0]);
	if (!ended_well(process) && !status)
		status = perun_fail(ctx, PERUN_INPUT, "%s failed", arguments[0]);
	return status;
}

static char *look_in(const char *folder, size_t length, const char *name)
{
	char *path = perun_format("%.*s/%s", (int)length, folder, name);

	if (length && access(path, X_OK) == 0)
		return path;
	perun_free(path);
	return NULL;
}

/* Folders of a list, of which one may be for a tool alone: "objdump:/opt/bin". */
static char *look_in_each(const char *list, char between, const char *name)
{
	const char ends[] = {between, '\0'};
	char *found = NULL;

	for (const char *at = list; *at && !found;) {
		size_t length = strcspn(at, ends), own = strlen(name);
		const char *folder = at;

		if (between == ',' && memchr(at, ':', length)) {
			size_t word = (size_t)((const char *)memchr(at, ':', length) - at);

			folder = word == own && strncmp(at, name, own) == 0 ? at + own + 1 : NULL;
		}
		if (folder)
			found = look_in(folder, length - (size_t)(folder - at), name);
		at += length + (at[length] == between);
	}
	return found;
}

char *tool_find(const char *places, const char *const *names)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	for (; *names && !found; names++)
		found = *places ? look_in_each(places, ',', *names)
				: look_in_each(path ? path : "/usr/bin:/bin", ':', *names);
	return found;
}

char *tool_path(const char *path)
{
	return perun_format("%s%s", *path == '-' ? "./" : "", path);
}
