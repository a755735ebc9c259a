/* SPDX-License-Identifier: BSD-3-Clause */
/* Copying and removing whole directories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy.h"

static int copy_bytes(int from, int to)
{
	char block[65536];
	ssize_t got, put;

	while ((got = read(from, block, sizeof block)) > 0)
		for (ssize_t done = 0; done < got; done += put)
			if ((put = write(to, block + done, (size_t)(got - done))) < 0)
				return -1;
	return got < 0 ? -1 : 0;
}

static int copy_file(const char *source, const char *target, mode_t mode)
{
	int from = open(source, O_RDONLY | O_CLOEXEC), to = -1, result = -1;

	if (from >= 0)
		to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
	if (to >= 0)
		result = copy_bytes(from, to);
	if (from >= 0)
		close(from);
	if (to >= 0 && close(to) < 0)
		result = -1;
	return result;
}

static int copy_link(const char *source, const char *target)
{
	char text[PATH_MAX];
	ssize_t length = readlink(source, text, sizeof text - 1);

	if (length < 0)
		return -1;
	text[length] = '\0';
	return symlink(text, target);
}

static int copy_any(struct perun_ctx *ctx, const char *source, const char *target)
{
	struct stat status;

	if (lstat(source, &status) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", source);
	if (S_ISDIR(status.st_mode))
		return tagit_copy_directory(ctx, source, target);
	if (S_ISLNK(status.st_mode)
		    ? copy_link(source, target) < 0
		    : S_ISREG(status.st_mode) && copy_file(source, target, status.st_mode) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot copy %s to %s", source,
					target);
	return PERUN_OK;
}

int tagit_copy_directory(struct perun_ctx *ctx, const char *source, const char *target)
{
	DIR *directory = opendir(source);
	struct dirent *entry;
	int status = PERUN_OK;

	if (!directory)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", source);
	if (mkdir(target, 0777) < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", target);
	while (!status && (entry = readdir(directory))) {
		char *from, *to;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		from = perun_format("%s/%s", source, entry->d_name);
		to = perun_format("%s/%s", target, entry->d_name);
		status = copy_any(ctx, from, to);
		perun_free(from);
		perun_free(to);
	}
	closedir(directory);
	return status;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

int tagit_remove_directory(struct perun_ctx *ctx, const char *directory)
{
	if (nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot remove %s", directory);
	return PERUN_OK;
}
