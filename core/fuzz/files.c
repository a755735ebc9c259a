/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs as files. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/fuzz-runtime.h>
#include <perun/lib/path.h>

#include "core/fuzz/files.h"

int fuzz_read_file(struct perun_ctx *ctx, const char *path, struct perun_buffer *text)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	ssize_t got = 1;

	if (file < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	if (fstat(file, &info) || !S_ISREG(info.st_mode)) {
		close(file);
		return perun_fail(ctx, PERUN_INPUT, "%s is not a file", path);
	}
	while (got > 0 && text->length <= PERUN_FUZZ_MAX_INPUT) {
		got = read(file, perun_buffer_reserve(text, 1 << 16), 1 << 16);
		if (got > 0)
			text->length += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	close(file);
	if (got < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	return text->length > PERUN_FUZZ_MAX_INPUT
		       ? perun_fail(ctx, PERUN_INPUT, "%s has more than %d MiB", path,
				    PERUN_FUZZ_MAX_INPUT >> 20)
		       : PERUN_OK;
}

int fuzz_write_file(struct perun_ctx *ctx, const char *directory, const char *name,
		    const char *bytes, size_t size)
{
	char *path = perun_format("%s/%s", directory, name);
	char *temporary = perun_format("%s/.%s.new", directory, name);
	int file = perun_path_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool failed = file < 0;
	int status = PERUN_OK;

	for (ssize_t put; !failed && size; bytes += put, size -= (size_t)put) {
		put = write(file, bytes, size);
		if (put < 0 && errno == EINTR)
			put = 0;
		failed = put < 0;
		if (failed)
			break;
	}
	if (file >= 0 && close(file))
		failed = true;
	if (!failed && perun_path_rename(temporary, path))
		failed = true;
	if (failed) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
		perun_path_unlink(temporary);
	}
	perun_free(path);
	perun_free(temporary);
	return status;
}

int fuzz_list_files(struct perun_ctx *ctx, const char *path, struct perun_words *files)
{
	struct dirent **entries;
	struct stat info;
	int count, status = PERUN_OK;

	if (stat(path, &info))
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	if (!S_ISDIR(info.st_mode)) {
		perun_words_add(files, path, strlen(path));
		return PERUN_OK;
	}
	count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	for (int i = 0; i < count; i++) {
		char *below = perun_format("%s/%s", path, entries[i]->d_name);

		if (!status && entries[i]->d_name[0] != '.' && !lstat(below, &info) &&
		    (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)))
			status = fuzz_list_files(ctx, below, files);
		perun_free(below);
		free(entries[i]);
	}
	free(entries);
	return status;
}

int fuzz_make_directory(struct perun_ctx *ctx, const char *path)
{
	return perun_path_ensure_directory(path, 0777)
		       ? perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path)
		       : PERUN_OK;
}
