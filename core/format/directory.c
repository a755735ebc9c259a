/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs that are directories: their entries. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/format/input.h"

/* A directory of more entries than this is not a profile. */
#define MAX_ENTRIES ((size_t)1 << 20)

void perun_input_free_entries(struct perun_input *input)
{
	for (size_t i = 0; i < input->entry_count; i++)
		perun_free(input->entries[i]);
	perun_free(input->entries);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_directory(struct perun_ctx *ctx, const struct perun_input *input)
{
	if (input->kind == PERUN_INPUT_DIRECTORY)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT, "%s is a file, expected a directory", input->name);
}

static int read_entries(struct perun_ctx *ctx, struct perun_input *input, DIR *stream)
{
	size_t capacity = 0;
	struct dirent *entry;

	for (errno = 0; (entry = readdir(stream)); errno = 0) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (input->entry_count == MAX_ENTRIES)
			return perun_fail(ctx, PERUN_INPUT, "%s has more than %zu entries",
					  input->name, MAX_ENTRIES);
		PERUN_GROW(input->entries, input->entry_count, capacity);
		input->entries[input->entry_count++] = perun_strdup(entry->d_name);
	}
	if (errno)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot list %s", input->name);
	if (input->entry_count)
		qsort(input->entries, input->entry_count, sizeof *input->entries, compare_names);
	return PERUN_OK;
}

static int list(struct perun_ctx *ctx, struct perun_input *input)
{
	int fd = openat(input->raw.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot list %s", input->name);
		if (fd >= 0)
			close(fd);
		return status;
	}
	status = read_entries(ctx, input, stream);
	closedir(stream);
	return status;
}

int perun_input_list(struct perun_ctx *ctx, struct perun_input *input, const char *const **names,
		     size_t *count)
{
	int status = is_directory(ctx, input);

	*names = NULL;
	*count = 0;
	if (!status && !input->listed) {
		status = list(ctx, input);
		input->listed = !status;
	}
	if (status)
		return status;
	*names = (const char *const *)input->entries;
	*count = input->entry_count;
	return PERUN_OK;
}

int perun_input_open_child(struct perun_ctx *ctx, struct perun_input *input, const char *name,
			   struct perun_input **child)
{
	int status = is_directory(ctx, input);
	char *path;

	*child = NULL;
	if (status)
		return status;
	/* A name may come from the input itself, and must not lead out of it. */
	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return perun_fail(ctx, PERUN_INPUT, "\"%s\" cannot be the name of a file in %s",
				  name, input->name);
	path = perun_format("%s/%s", input->name, name);
	status = perun_input_open_at(ctx, input->raw.fd, name, path, child);
	perun_free(path);
	return status;
}
