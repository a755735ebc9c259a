/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of an archive as those of a directory. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/format/archive.h"
#include "core/format/output.h"

/* From that many files on all of them are flushed at once, which takes as long as that of a few. */
#define FLUSH_TOGETHER 16

/* A directory that the last file is in: the first `length` bytes of its path. */
struct level {
	struct perun_output *output;
	size_t length;
};
struct unpacking {
	struct perun_ctx *ctx;
	struct perun_output *output;
	const char *last; /* the path of the last file; NULL = none yet */
	bool singly;      /* each file is flushed by itself */
	struct level *levels;
	size_t count, room;
};

/* Paths are in order, so that all files of a directory come one after the other: what is left is not entered again. */
static void leave(struct unpacking *unpacking, const char *path)
{
	while (unpacking->count) {
		size_t length = unpacking->levels[unpacking->count - 1].length;

		if (strncmp(path, unpacking->last, length) == 0 && path[length] == '/')
			return;
		unpacking->count--;
	}
}

/* The directory of a file, and its name there. */
static int enter(struct unpacking *unpacking, const char *path, struct perun_output **parent,
		 const char **name)
{
	size_t at = 0;
	const char *slash;
	int status = PERUN_OK;

	*parent = unpacking->output;
	leave(unpacking, path);
	if (unpacking->count) {
		*parent = unpacking->levels[unpacking->count - 1].output;
		at = unpacking->levels[unpacking->count - 1].length + 1;
	}
	while (!status && (slash = strchr(path + at, '/'))) {
		size_t length = (size_t)(slash - path);
		char *folder = perun_strndup(path + at, length - at);

		status = perun_output_child(unpacking->ctx, *parent, folder, true, parent);
		perun_free(folder);
		PERUN_GROW(unpacking->levels, unpacking->count, unpacking->room);
		unpacking->levels[unpacking->count++] = (struct level){*parent, length};
		at = length + 1;
	}
	*name = path + at;
	return status;
}

/* As if it had happened to the directory itself, so that the others are not tried. */
static void fail_output(struct perun_output *output, int status, int error, const char *problem)
{
	output->status = status;
	output->error = error;
	output->problem = perun_strdup(problem);
}

static void flush_together(struct perun_output *output)
{
	int error = syncfs(output->directory) == 0 ? 0 : errno;
	char *problem = perun_format("cannot write %s", output->name);

	if (error)
		fail_output(output, PERUN_INPUT, error, problem);
	perun_free(problem);
}

static int unpack_file(struct unpacking *unpacking, const struct perun_archive_file *file)
{
	struct perun_output *parent, *child;
	const char *name;
	int status = enter(unpacking, file->path, &parent, &name);

	if (!status)
		status = perun_output_child(unpacking->ctx, parent, name, false, &child);
	if (status)
		return status;
	unpacking->last = file->path;
	child->modified = file->modified;
	perun_output_write(child, file->data, file->size);
	perun_output_end_file(child, unpacking->singly);
	perun_free(child->block);
	child->block = NULL;
	child->room = 0;
	if (child->status)
		fail_output(unpacking->output, child->status, child->error, child->problem);
	return PERUN_OK;
}

int perun_archive_unpack(struct perun_ctx *ctx, const struct perun_archive *archive,
			 struct perun_output *output)
{
	struct unpacking unpacking = {
		.ctx = ctx, .output = output, .singly = archive->count < FLUSH_TOGETHER};
	int status = PERUN_OK;

	for (size_t i = 0; !status && !output->status && i < archive->count; i++) {
		status = unpack_file(&unpacking, &archive->files[i]);
		if (perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	}
	if (!status && !output->status && !unpacking.singly)
		flush_together(output);
	perun_free(unpacking.levels);
	return status;
}
