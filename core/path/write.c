/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files: written and read. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/path/write.h"

int perun_write_all(int fd, const void *data, size_t size)
{
	const char *rest = data;

	while (size > 0) {
		/* The kernel writes no more than this at once. */
		ssize_t written = write(fd, rest, size < 0x40000000 ? size : 0x40000000);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? errno : EIO;
		rest += written;
		size -= (size_t)written;
	}
	return 0;
}

int perun_read_all(int fd, struct perun_buffer *text)
{
	ssize_t got;
	int error;

	do {
		got = read(fd, perun_buffer_reserve(text, 65536), 65536);
		if (got > 0)
			text->length += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	error = got < 0 ? errno : 0;
	perun_buffer_add(text, "", 0);
	return error;
}

int perun_path_read(const char *path, struct perun_buffer *text)
{
	int file = perun_path_open(path, O_RDONLY, 0), error;

	if (file < 0)
		return errno;
	error = perun_read_all(file, text);
	close(file);
	return error;
}

int perun_path_replace(const char *path, const void *data, size_t size, mode_t mode)
{
	char *aside = perun_format("%s.%ld.tmp", path, (long)getpid());
	int file = perun_path_open(aside, O_WRONLY | O_CREAT | O_EXCL, mode);
	int error = file < 0 ? errno : perun_write_all(file, data, size);

	if (file >= 0 && close(file) != 0 && !error)
		error = errno;
	if (!error && perun_path_rename(aside, path) != 0)
		error = errno;
	if (file >= 0 && error)
		perun_path_unlink(aside);
	perun_free(aside);
	errno = error;
	return error ? -1 : 0;
}

int path_make_directories(struct perun_ctx *ctx, const char *path)
{
	return perun_path_ensure_directories(path, 0777) == 0
		       ? PERUN_OK
		       : perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
}
