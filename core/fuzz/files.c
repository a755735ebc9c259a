/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs as files. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/format.h>
#include <perun/lib/fuzz-runtime.h>
#include <perun/lib/path.h>

#include "core/fuzz/files.h"
#include "core/path/read.h"

int fuzz_read_file(struct perun_ctx *ctx, const char *path, struct perun_buffer *text)
{
	return path_read(ctx, path, PERUN_FUZZ_MAX_INPUT, text);
}

int fuzz_write_file(struct perun_ctx *ctx, const char *directory, const char *name,
		    const char *bytes, size_t size)
{
	char *path = perun_format("%s/%s", directory, name);
	struct perun_output *output;
	int status = perun_output_open(ctx, path, &output);

	if (!status) {
		perun_output_write(output, bytes, size);
		status = perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	perun_free(path);
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
