/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files written durably, locks, and removing a directory with all that is in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "gitvcs.h"

enum { LIMIT = 16 << 20 };

static int flush_directory(struct perun_ctx *ctx, const char *path)
{
	char *copy = perun_strdup(path), *directory = dirname(copy);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = PERUN_OK;

	/* Some file systems cannot flush directories, and say EINVAL. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot flush %s", directory);
	if (fd >= 0)
		close(fd);
	perun_free(copy);
	return status;
}

/* "PATH.new-" and 16 digits, which nobody can guess. */
static char *temporary_name(const char *path)
{
	uint64_t number;

	if (getrandom(&number, sizeof number, 0) < 0)
		abort();
	return perun_format("%s.new-%016llx", path, (unsigned long long)number);
}

void gitvcs_file_sweep(const char *path)
{
	const char *name = perun_path_base_name(path);
	char *folder = perun_strndup(path, (size_t)(name - path));
	DIR *stream = opendir(folder);
	size_t length = strlen(name);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		const char *rest = entry->d_name + length;

		if (!strncmp(entry->d_name, name, length) && !strncmp(rest, ".new-", 5) &&
		    strlen(rest) == 21)
			unlinkat(dirfd(stream), entry->d_name, 0);
	}
	if (stream)
		closedir(stream);
	perun_free(folder);
}

int gitvcs_file_write(struct perun_ctx *ctx, const char *path, const char *data, size_t length)
{
	char *temporary = temporary_name(path);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int status = PERUN_OK, error = fd < 0 ? errno : perun_write_all(fd, data, length);

	if (!error && fsync(fd) < 0)
		error = errno;
	if (error)
		status = perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s", temporary);
	if (fd >= 0 && close(fd) < 0 && status == PERUN_OK)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", temporary);
	if (status == PERUN_OK && rename(temporary, path) < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	if (status == PERUN_OK)
		status = flush_directory(ctx, path);
	else if (fd >= 0)
		unlink(temporary);
	perun_free(temporary);
	return status;
}

int gitvcs_file_read(struct perun_ctx *ctx, const char *path, struct perun_buffer *content,
		     bool *found)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int status = PERUN_OK;
	ssize_t got = 0;

	perun_buffer_clear(content);
	*found = fd >= 0;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return PERUN_OK;
	do {
		char *room = perun_buffer_reserve(content, 4096);

		got = fd < 0 ? -1 : read(fd, room, 4096);
		if (got > 0)
			content->length += (size_t)got;
		else if (got < 0 && errno != EINTR)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
		if (content->length > LIMIT)
			status = perun_fail(ctx, PERUN_INPUT, "%s: more than %d bytes", path,
					    (int)LIMIT);
	} while (status == PERUN_OK && got);
	perun_buffer_add(content, "", 0);
	if (fd >= 0)
		close(fd);
	return status;
}

int gitvcs_file_remove(struct perun_ctx *ctx, const char *path)
{
	if (unlink(path) < 0) {
		if (errno == ENOENT)
			return PERUN_OK;
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s", path);
	}
	return flush_directory(ctx, path);
}

int gitvcs_lock(struct perun_ctx *ctx, const char *path, int *descriptor, bool *busy)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat opened, there;

	*busy = false;
	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

		*descriptor = -1;
		if (fd < 0)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path);
		/* Belongs to the open file, and goes with the process however that ends. */
		if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
			int error = errno;

			close(fd);
			if (error == EAGAIN || error == EACCES) {
				*busy = true;
				return PERUN_OK;
			}
			return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot lock %s", path);
		}
		/* Whoever held it may have removed it just before it was ours. */
		if (!fstat(fd, &opened) && !stat(path, &there) && opened.st_ino == there.st_ino &&
		    opened.st_dev == there.st_dev) {
			*descriptor = fd;
			return PERUN_OK;
		}
		close(fd);
	}
}

/* Open a directory to empty it, making it writable first if it is not (caches of builds). */
static int open_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;

	if (fd < 0 && errno == EACCES && !fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) &&
	    S_ISDIR(info.st_mode) && !fchmodat(parent, name, 0700, 0))
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &info) && (info.st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	return fd;
}

/* Remove what is in a directory, but for `keep`; takes `fd`. Returns an errno value. */
static int empty_directory(int fd, const char *keep)
{
	DIR *stream = fdopendir(fd);
	struct dirent *entry;
	int error = 0;

	if (!stream) {
		error = errno;
		close(fd);
		return error;
	}
	while (!error && (entry = readdir(stream))) {
		const char *name = entry->d_name;
		int child;

		if (!strcmp(name, ".") || !strcmp(name, "..") || (keep && !strcmp(name, keep)))
			continue;
		if (!unlinkat(fd, name, 0))
			continue;
		if (errno != EISDIR && errno != EPERM)
			return error = errno, closedir(stream), error;
		child = open_directory(fd, name);
		error = child < 0 ? errno : empty_directory(child, NULL);
		if (!error && unlinkat(fd, name, AT_REMOVEDIR) < 0)
			error = errno;
	}
	closedir(stream);
	return error;
}

int gitvcs_tree_remove(struct perun_ctx *ctx, const char *directory)
{
	int fd = open_directory(AT_FDCWD, directory), error;

	if (fd < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return PERUN_OK;
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", directory);
	}
	error = empty_directory(fd, ".git");
	if (!error) {
		fd = open_directory(AT_FDCWD, directory);
		error = fd < 0 ? errno : empty_directory(fd, NULL);
	}
	if (!error && rmdir(directory) < 0 && errno != ENOENT)
		error = errno;
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot remove %s", directory);
	return PERUN_OK;
}
