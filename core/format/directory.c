/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs that are directories, on disk or in an archive: their entries. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/format/input.h"
#include "core/format/taken.h"

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

static const char *inside_of(const struct perun_input *input)
{
	return input->inside ? input->inside : "";
}

/* The names that follow the path of the directory, each once. */
static void list_archived(struct perun_input *input)
{
	const struct perun_archive *archive = input->archive;
	const char *inside = inside_of(input);
	size_t length = strlen(inside), capacity = 0, count = 0;

	for (size_t i = perun_archive_find(archive, inside);
	     i < archive->count && strncmp(archive->files[i].path, inside, length) == 0; i++) {
		const char *name = archive->files[i].path + length;
		size_t size = strcspn(name, "/");
		const char *last = count ? input->entries[count - 1] : "";

		if (strncmp(last, name, size) == 0 && !last[size])
			continue;
		PERUN_GROW(input->entries, count, capacity);
		input->entries[count++] = perun_strndup(name, size);
	}
	if (count)
		qsort(input->entries, count, sizeof *input->entries, compare_names);
	for (size_t i = 0; i < count; i++) { /* one may be a file and a directory */
		if (input->entry_count &&
		    strcmp(input->entries[input->entry_count - 1], input->entries[i]) == 0)
			perun_free(input->entries[i]);
		else
			input->entries[input->entry_count++] = input->entries[i];
	}
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
		if (input->archive)
			list_archived(input);
		else
			status = list(ctx, input);
		input->listed = !status;
	}
	if (status)
		return status;
	*names = (const char *const *)input->entries;
	*count = input->entry_count;
	return PERUN_OK;
}

/* The file of that path, or the directory of those below it. */
static int open_archived(struct perun_ctx *ctx, const struct perun_input *input, const char *name,
			 const char *inside, struct perun_input **child)
{
	const struct perun_archive *archive = input->archive;
	const struct perun_archive_file *file;
	char *folder = perun_format("%s/", inside);
	size_t at = perun_archive_find(archive, inside),
	       first = perun_archive_find(archive, folder);

	if (at < archive->count && strcmp(archive->files[at].path, inside) == 0) {
		file = &archive->files[at];
		*child = perun_input_from_memory(name, file->data, file->size);
		(*child)->modified = file->modified;
	} else if (first < archive->count &&
		   strncmp(archive->files[first].path, folder, strlen(folder)) == 0) {
		*child = perun_input_new(name, PERUN_INPUT_DIRECTORY, -1, false);
		(*child)->archive = archive;
	} else {
		perun_fail_errno(ctx, PERUN_INPUT, ENOENT, "cannot open %s", name);
	}
	perun_free(folder);
	return *child ? PERUN_OK : PERUN_INPUT;
}

/* Note what was opened, for who asked for it. */
static int take(struct perun_ctx *ctx, const struct perun_input *input, struct perun_input *child)
{
	struct perun_taken *taken = input->taken;
	struct stat info;

	child->taken = taken;
	if (!taken || child->kind != PERUN_INPUT_FILE)
		return PERUN_OK;
	if (fstat(child->raw.fd, &info) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot look at %s", child->name);
	PERUN_GROW(taken->files, taken->count, taken->room);
	taken->files[taken->count++] =
		(struct perun_taken_file){.path = perun_strdup(child->inside), .info = info};
	child->taken_at = taken->count;
	return PERUN_OK;
}

int perun_input_open_child(struct perun_ctx *ctx, struct perun_input *input, const char *name,
			   struct perun_input **child)
{
	int status = is_directory(ctx, input);
	char *path, *inside;

	*child = NULL;
	if (status)
		return status;
	/* A name may come from the input itself, and must not lead out of it. */
	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return perun_fail(ctx, PERUN_INPUT, "\"%s\" cannot be the name of a file in %s",
				  name, input->name);
	path = perun_format("%s/%s", input->name, name);
	inside = perun_format("%s%s", inside_of(input), name);
	if (input->archive)
		status = open_archived(ctx, input, path, inside, child);
	else
		status = perun_input_open_at(ctx, input->raw.fd, name, path, child);
	perun_free(path);
	if (status) {
		perun_free(inside);
		return status;
	}
	(*child)->inside = perun_input_is_directory(*child) ? perun_format("%s/", inside)
							    : perun_strdup(inside);
	perun_free(inside);
	status = take(ctx, input, *child);
	if (status) {
		perun_input_close(*child);
		*child = NULL;
	}
	return status;
}

int perun_input_open_archive(struct perun_ctx *ctx, const char *name, const void *data, size_t size,
			     struct perun_input **input)
{
	struct perun_archive *archive = perun_alloc_zero(1, sizeof *archive);
	int status = perun_archive_read(ctx, data, size, archive);

	*input = perun_input_new(name, PERUN_INPUT_DIRECTORY, -1, false);
	(*input)->own_archive = archive;
	(*input)->archive = archive;
	if (status) {
		perun_input_close(*input);
		*input = NULL;
	}
	return status;
}
