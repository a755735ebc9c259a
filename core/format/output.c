/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs: writing to files that appear when they are complete, to streams and to memory. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/context/context.h"
#include "core/format/output.h"

#define BLOCK_SIZE ((size_t)64 * 1024)
#define FIRST_SIZE ((size_t)4 * 1024)

/* ---- life ------------------------------------------------------------------------------------ */

struct perun_output *perun_output_new(enum perun_output_kind kind, const char *name)
{
	struct perun_output *output = perun_alloc_zero(1, sizeof *output);

	output->kind = kind;
	output->name = perun_strdup(name);
	output->fd = output->directory = -1;
	return output;
}

char *perun_output_temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - path) : 0;
	char digits[PERUN_RANDOM_SIZE];

	/* A name that nothing takes for a profile, and that nobody could have made before. */
	perun_random_digits(digits);
	return perun_format("%.*s.perun-%s.tmp", folder, path, digits);
}

/* As many rights as the user's mask leaves to a new file, or those of the file that is replaced. */
static void set_mode(int fd, const struct stat *old)
{
	mode_t mask;

	if (old) {
		fchmod(fd, old->st_mode & 0777);
		return;
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static int open_existing(struct perun_ctx *ctx, const char *path, struct perun_output **output)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	*output = perun_output_new(PERUN_OUTPUT_STREAM, path);
	(*output)->fd = fd;
	(*output)->close_fd = true;
	return PERUN_OK;
}

static int open_beside(struct perun_ctx *ctx, const char *path, const struct stat *old,
		       struct perun_output **output)
{
	char *temporary = perun_output_temporary_name(path);
	int fd = perun_path_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status;

	if (fd < 0) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot create %s", path);
		perun_free(temporary);
		return status;
	}
	perun_leftover_add(temporary);
	set_mode(fd, old);
	*output = perun_output_new(PERUN_OUTPUT_FILE, path);
	(*output)->path = perun_strdup(path);
	(*output)->temporary = temporary;
	(*output)->fd = fd;
	(*output)->close_fd = true;
	return PERUN_OK;
}

static bool is_link(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

int perun_output_open(struct perun_ctx *ctx, const char *path, struct perun_output **output)
{
	char target[PATH_MAX];
	struct stat old;

	*output = NULL;
	if (strcmp(path, "-") == 0) {
		*output = perun_output_new(PERUN_OUTPUT_STREAM, "standard output");
		(*output)->fd = STDOUT_FILENO;
		return PERUN_OK;
	}
	if (perun_path_check_output(ctx, path))
		return PERUN_INPUT;
	if (perun_path_stat(path, &old) != 0 || S_ISLNK(old.st_mode))
		return open_beside(ctx, path, NULL, output);
	if (S_ISDIR(old.st_mode))
		return perun_fail(ctx, PERUN_INPUT, "%s is a directory, expected a file", path);
	if (!S_ISREG(old.st_mode)) /* a device, a pipe */
		return open_existing(ctx, path, output);
	if (access(path, W_OK) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	/* The user's own link stays one: what it points to is replaced. In a store there is none. */
	return open_beside(ctx, is_link(path) && realpath(path, target) ? target : path, &old,
			   output);
}

struct perun_output *perun_output_to_buffer(struct perun_buffer *buffer)
{
	struct perun_output *output = perun_output_new(PERUN_OUTPUT_BUFFER, "memory");

	output->buffer = buffer;
	return output;
}

struct perun_output *perun_output_to_sink(int (*sink)(void *data, const void *bytes, size_t size),
					  void *data)
{
	struct perun_output *output = perun_output_new(PERUN_OUTPUT_SINK, "output");

	output->sink = sink;
	output->data = data;
	return output;
}

void perun_output_close(struct perun_output *output)
{
	/* A child belongs to its parent. */
	if (!output || output->kind == PERUN_OUTPUT_CHILD ||
	    output->kind == PERUN_OUTPUT_SUBDIRECTORY)
		return;
	if (output->close_fd)
		close(output->fd);
	if (output->directory >= 0)
		close(output->directory);
	for (size_t i = 0; i < output->child_count; i++) {
		struct perun_output *child = output->children[i];

		/* As a root it is closed for good; its place goes with ours. */
		child->kind = child->kind == PERUN_OUTPUT_CHILD ? PERUN_OUTPUT_STREAM
								: PERUN_OUTPUT_DIRECTORY;
		child->committed = true;
		perun_output_close(child);
	}
	if (!output->committed && output->kind == PERUN_OUTPUT_FILE)
		perun_path_unlink(output->temporary);
	if (output->kind == PERUN_OUTPUT_FILE)
		perun_leftover_remove(output->temporary);
	if (!output->committed && output->kind == PERUN_OUTPUT_DIRECTORY)
		perun_path_remove_tree(output->temporary);
	perun_free(output->children);
	perun_free(output->temporary);
	perun_free(output->path);
	perun_free(output->problem);
	perun_free(output->block);
	perun_free(output->name);
	perun_free(output);
}

bool perun_output_is_directory(const struct perun_output *output)
{
	return output->kind == PERUN_OUTPUT_DIRECTORY || output->kind == PERUN_OUTPUT_SUBDIRECTORY;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Remember the first failure; `error` is an errno value or 0. Returns the status that sticks. */
static int fail_write(struct perun_output *output, int error, const char *format, ...)
{
	va_list args;

	if (output->status)
		return output->status;
	output->status = PERUN_INPUT;
	output->error = error;
	va_start(args, format);
	output->problem = perun_vformat(format, args);
	va_end(args);
	return output->status;
}

static int write_descriptor(struct perun_output *output, const char *data, size_t size)
{
	if (output->suspended && !perun_output_resume(output))
		return fail_write(output, errno, "cannot write %s", output->name);
	while (size) {
		ssize_t count = write(output->fd, data, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return fail_write(output, errno, "cannot write %s", output->name);
		data += count;
		size -= (size_t)count;
	}
	return PERUN_OK;
}

/* Hand bytes to where they go. */
static int pass_on(struct perun_output *output, const void *data, size_t size)
{
	int status;

	if (size == 0)
		return PERUN_OK;
	if (output->kind == PERUN_OUTPUT_BUFFER) {
		perun_buffer_add(output->buffer, data, size);
		return PERUN_OK;
	}
	if (output->kind != PERUN_OUTPUT_SINK)
		return write_descriptor(output, data, size);
	status = output->sink(output->data, data, size);
	if (status) {
		fail_write(output, 0, "cannot write");
		output->status = status;
	}
	return status;
}

int perun_output_flush(struct perun_output *output)
{
	size_t used = output->used;

	output->used = 0;
	return output->status ? output->status : pass_on(output, output->block, used);
}

/* The block grows to its size, so that small outputs need little memory. */
static void make_room(struct perun_output *output, size_t size)
{
	size_t room = output->room ? output->room : FIRST_SIZE;

	if (size <= output->room)
		return;
	while (room < size)
		room *= 2;
	output->block = perun_realloc(output->block, room);
	output->room = room;
}

int perun_output_write(struct perun_output *output, const void *data, size_t size)
{
	if (output->status)
		return output->status;
	if (perun_output_is_directory(output))
		return fail_write(output, 0, "%s is a directory: write to files in it",
				  output->name);
	if (output->kind == PERUN_OUTPUT_BUFFER)
		return pass_on(output, data, size);
	if (size > BLOCK_SIZE - output->used && perun_output_flush(output))
		return output->status;
	if (size >= BLOCK_SIZE)
		return pass_on(output, data, size);
	make_room(output, output->used + size);
	if (size)
		memcpy(output->block + output->used, data, size);
	output->used += size;
	return PERUN_OK;
}

int perun_output_text(struct perun_output *output, const char *text)
{
	return perun_output_write(output, text, strlen(text));
}

int perun_output_printf(struct perun_output *output, const char *format, ...)
{
	va_list args;
	char *text;
	int status;

	va_start(args, format);
	text = perun_vformat(format, args);
	va_end(args);
	status = perun_output_write(output, text, strlen(text));
	perun_free(text);
	return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* A time that a file system cannot have does no harm. */
static void set_time(int fd, int64_t modified)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = (time_t)modified}};

	(void)futimens(fd, times);
}

void perun_output_end_file(struct perun_output *output, bool durable)
{
	perun_output_flush(output);
	if (!output->close_fd)
		return;
	if (output->modified)
		set_time(output->fd, output->modified);
	if (!output->status && durable && fsync(output->fd) != 0 && errno != EINVAL &&
	    errno != EROFS)
		fail_write(output, errno, "cannot write %s", output->name);
	if (close(output->fd) != 0 && errno != EINTR)
		fail_write(output, errno, "cannot write %s", output->name);
	output->close_fd = false;
	output->fd = -1;
}

/* Make many files durable at once. */
static void flush_files(struct perun_output *output)
{
	if (output->file_count > PERUN_OUTPUT_FLUSH_SINGLY && !output->status &&
	    syncfs(output->directory) != 0)
		fail_write(output, errno, "cannot write %s", output->name);
}

int perun_output_commit(struct perun_ctx *ctx, struct perun_output *output)
{
	perun_output_end_children(output);
	perun_output_end_file(output, output->kind == PERUN_OUTPUT_FILE);
	flush_files(output);
	if (!output->status && !output->committed && output->path) {
		if (perun_path_rename(output->temporary, output->path) != 0)
			fail_write(output, errno, "cannot replace %s", output->path);
		else
			output->committed = true;
	}
	if (!output->status)
		return PERUN_OK;
	if (output->error)
		return perun_fail_errno(ctx, output->status, output->error, "%s", output->problem);
	return perun_fail(ctx, output->status, "%s", output->problem);
}
