/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs that are directories: they appear with all their files, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/format/output.h"

/* Make and open it; NULL and errno on failure. */
static char *make_temporary(const char *path, int *directory)
{
	char *name = perun_output_temporary_name(path);

	*strrchr(name, '.') = '\0';
	if (perun_path_make_directory(name, 0777) == 0) {
		*directory = perun_path_open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		if (*directory >= 0)
			return name;
	}
	perun_free(name);
	return NULL;
}

int perun_output_open_directory(struct perun_ctx *ctx, const char *path,
				struct perun_output **output)
{
	char *trimmed = perun_strdup(path), *temporary;
	size_t length = strlen(trimmed);
	struct stat old;
	int status = PERUN_OK, fd = -1;

	*output = NULL;
	while (length > 1 && trimmed[length - 1] == '/')
		trimmed[--length] = '\0';
	temporary = NULL;
	status = perun_path_check_output(ctx, trimmed);
	if (!status && lstat(trimmed, &old) == 0 && !S_ISDIR(old.st_mode))
		status = perun_fail(ctx, PERUN_INPUT, "%s exists and is not a directory", path);
	else if (!status && !(temporary = make_temporary(trimmed, &fd)))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot create %s", path);
	if (status) {
		perun_free(trimmed);
		return status;
	}
	*output = perun_output_new(PERUN_OUTPUT_DIRECTORY, trimmed);
	(*output)->path = trimmed;
	(*output)->temporary = temporary;
	(*output)->directory = fd;
	return PERUN_OK;
}

static void end_child(struct perun_output *child)
{
	perun_output_end_file(child, child->top->file_count <= PERUN_OUTPUT_FLUSH_SINGLY);
}

/* Close it, until more is written. */
static void suspend(struct perun_output *child)
{
	if (!child || !child->close_fd)
		return;
	end_child(child);
	perun_free(child->block);
	child->block = NULL;
	child->room = 0;
	child->suspended = true;
}

bool perun_output_resume(struct perun_output *child)
{
	suspend(child->top->open_child);
	child->fd =
		perun_beneath_open(child->top->directory, child->temporary, O_WRONLY | O_APPEND, 0);
	child->close_fd = child->fd >= 0;
	child->suspended = !child->close_fd;
	child->top->open_child = child->close_fd ? child : NULL;
	return child->close_fd;
}

int perun_output_child(struct perun_ctx *ctx, struct perun_output *output, const char *name,
		       bool directory, struct perun_output **child)
{
	struct perun_output *top = output->top ? output->top : output;
	char *path, *full;
	int fd = -1;

	*child = NULL;
	if (!perun_output_is_directory(output))
		return perun_fail(ctx, PERUN_INPUT, "%s is a file, expected a directory",
				  output->name);
	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return perun_fail(ctx, PERUN_INPUT, "\"%s\" cannot be the name of a file", name);
	path = output->top ? perun_format("%s/%s", output->temporary, name) : perun_strdup(name);
	if (!directory)
		suspend(top->open_child);
	if (directory ? perun_beneath_make_directory(top->directory, path, 0777) != 0
		      : (fd = perun_beneath_open(top->directory, path, O_WRONLY | O_CREAT | O_EXCL,
						 0666)) < 0) {
		int status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot create %s in %s",
					      name, output->name);

		perun_free(path);
		return status;
	}
	full = perun_format("%s/%s", output->name, name);
	*child = perun_output_new(directory ? PERUN_OUTPUT_SUBDIRECTORY : PERUN_OUTPUT_CHILD, full);
	perun_free(full);
	(*child)->temporary = path;
	(*child)->top = top;
	(*child)->fd = fd;
	(*child)->close_fd = fd >= 0;
	if (!directory) {
		top->open_child = *child;
		top->file_count++;
	}
	PERUN_GROW(output->children, output->child_count, output->child_capacity);
	output->children[output->child_count++] = *child;
	return PERUN_OK;
}

void perun_output_end_children(struct perun_output *output)
{
	for (size_t i = 0; i < output->child_count; i++) {
		struct perun_output *child = output->children[i];

		perun_output_end_children(child);
		end_child(child);
		if (child->status && !output->status) {
			output->status = child->status;
			output->error = child->error;
			output->problem = perun_strdup(child->problem);
		}
	}
}
