/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files of runs. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/path/read.h"

static int read_file(struct perun_ctx *ctx, const char *path, size_t limit,
		     struct perun_buffer *text)
{
	struct stat facts;

	if (perun_path_stat(path, &facts) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return PERUN_MISSING;
	return path_read(ctx, path, limit, text);
}

int cells_read(struct perun_ctx *ctx, const char *path, size_t limit, struct perun_json **document)
{
	struct perun_buffer text = {0};
	int status = read_file(ctx, path, limit, &text);

	*document = NULL;
	if (!status) {
		status = perun_json_parse(ctx, text.data ? text.data : "", text.length, NULL,
					  document);
		if (!status && perun_json_type(*document) != PERUN_JSON_TYPE_OBJECT) {
			status = perun_fail(ctx, PERUN_INPUT, "it is not a JSON object");
			perun_json_free(*document);
			*document = NULL;
		}
		if (status)
			perun_fail(ctx, PERUN_OK, "%s", path);
	}
	perun_buffer_free(&text);
	return status;
}

int cells_write(struct perun_ctx *ctx, const char *path, const struct perun_json *document)
{
	struct perun_buffer text = {0};
	struct perun_output *output;
	int status = perun_output_open(ctx, path, &output);

	if (status)
		return status;
	perun_json_print(document, &text, PERUN_JSON_PYTHON, 0);
	perun_buffer_add_char(&text, '\n');
	perun_output_write(output, text.data, text.length);
	status = perun_output_commit(ctx, output);
	perun_output_close(output);
	perun_buffer_free(&text);
	return status;
}

char *cells_file(const struct perun_run_cells *cells, const char *name)
{
	return perun_format("%s/%s", cells->path, name);
}

bool cells_list_directory(const char *path, struct perun_words *names)
{
	int file = perun_path_open(path, O_RDONLY | O_DIRECTORY, 0);
	DIR *stream = file < 0 ? NULL : fdopendir(file);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (*entry->d_name != '.')
			perun_words_add(names, entry->d_name, strlen(entry->d_name));
	if (stream)
		closedir(stream);
	return stream != NULL;
}

int cells_lock(struct perun_ctx *ctx, const char *directory, const char *name, int *lock)
{
	char *path = perun_format("%s/%s", directory, name);
	const struct timespec pause = {.tv_nsec = 50000000};
	int status = PERUN_OK;

	while ((*lock = perun_path_open_locked(path, O_CREAT, LOCK_EX)) < 0 && !status) {
		if (errno != EWOULDBLOCK)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
		else if (perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		else
			nanosleep(&pause, NULL);
	}
	perun_free(path);
	return status;
}
