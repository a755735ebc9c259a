/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs that are directories: they appear with all their files, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/format/output.h"

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *where)
{
	(void)info;
	(void)where;
	if (flag == FTW_DP)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

void perun_output_remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* mkdtemp() wants the Xs at the end. */
static char *make_temporary(const char *path)
{
	char *name = perun_output_temporary_name(path);
	mode_t mask = umask(0);

	umask(mask);
	*strrchr(name, '.') = '\0';
	if (!mkdtemp(name)) {
		perun_free(name);
		return NULL;
	}
	chmod(name, 0777 & ~mask);
	return name;
}

int perun_output_open_directory(struct perun_ctx *ctx, const char *path,
				struct perun_output **output)
{
	char *trimmed = perun_strdup(path), *temporary;
	size_t length = strlen(trimmed);
	struct stat old;
	int status = PERUN_OK;

	*output = NULL;
	while (length > 1 && trimmed[length - 1] == '/')
		trimmed[--length] = '\0';
	temporary = NULL;
	if (lstat(trimmed, &old) == 0 && !S_ISDIR(old.st_mode))
		status = perun_fail(ctx, PERUN_INPUT, "%s exists and is not a directory", path);
	else if (!(temporary = make_temporary(trimmed)))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot create %s", path);
	if (status) {
		perun_free(trimmed);
		return status;
	}
	*output = perun_output_new(PERUN_OUTPUT_DIRECTORY, trimmed);
	(*output)->path = trimmed;
	(*output)->temporary = temporary;
	return PERUN_OK;
}

int perun_output_child(struct perun_ctx *ctx, struct perun_output *output, const char *name,
		       bool directory, struct perun_output **child)
{
	char *path, *full;
	int fd = -1;

	*child = NULL;
	if (!perun_output_is_directory(output))
		return perun_fail(ctx, PERUN_INPUT, "%s is a file, expected a directory",
				  output->name);
	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return perun_fail(ctx, PERUN_INPUT, "\"%s\" cannot be the name of a file", name);
	path = perun_format("%s/%s", output->temporary, name);
	if (directory ? mkdir(path, 0777) != 0
		      : (fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0) {
		int status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot create %s in %s",
					      name, output->name);

		perun_free(path);
		return status;
	}
	full = perun_format("%s/%s", output->name, name);
	*child = perun_output_new(directory ? PERUN_OUTPUT_SUBDIRECTORY : PERUN_OUTPUT_CHILD, full);
	perun_free(full);
	(*child)->temporary = path;
	(*child)->fd = fd;
	(*child)->close_fd = fd >= 0;
	PERUN_GROW(output->children, output->child_count, output->child_capacity);
	output->children[output->child_count++] = *child;
	return PERUN_OK;
}

void perun_output_end_children(struct perun_output *output)
{
	for (size_t i = 0; i < output->child_count; i++) {
		struct perun_output *child = output->children[i];

		perun_output_end_children(child);
		perun_output_end_file(child, true);
		if (child->status && !output->status) {
			output->status = child->status;
			output->error = child->error;
			output->problem = perun_strdup(child->problem);
		}
	}
}
