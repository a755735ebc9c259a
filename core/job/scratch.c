/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary directories that are told from those that killed processes left. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "core/job/scratch.h"
#include "core/path/path.h"

/* One that is being made is not locked at once. */
#define YOUNG_SECONDS 60

/* A file system in memory with less room is left alone: containers have 64 MiB. */
#define QUICK_BYTES ((uint64_t)1 << 30)

/* The lock of a directory; -1 when another process holds it, or there are no locks. */
static int take_lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A process id would be of no use: the processes of a container are not seen from outside. */
static void remove_if_left(const char *path)
{
	struct stat info;
	int lock;

	if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
	    info.st_mtime > time(NULL) - YOUNG_SECONDS)
		return;
	lock = take_lock(path);
	if (lock < 0)
		return;
	perun_path_remove_tree(path);
	close(lock);
}

static void remove_left(const char *base, const char *prefix)
{
	DIR *directory = opendir(base);
	size_t length = strlen(prefix);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const char *name = entry->d_name;
		char *path;

		/* mkdtemp()'s six characters, and nothing else */
		if (strncmp(name, prefix, length) != 0 || name[length] != '-' ||
		    strlen(name) != length + 7)
			continue;
		path = perun_format("%s/%s", base, name);
		remove_if_left(path);
		perun_free(path);
	}
	if (directory)
		closedir(directory);
}

/* errno tells why not. */
static bool make_in(const char *base, const char *prefix, struct perun_scratch *scratch)
{
	remove_left(base, prefix);
	*scratch = (struct perun_scratch){.path = perun_format("%s/%s-XXXXXX", base, prefix),
					  .lock = -1};
	if (mkdtemp(scratch->path)) {
		scratch->lock = take_lock(scratch->path);
		return true;
	}
	return false;
}

static void forget(struct perun_scratch *scratch)
{
	perun_free(scratch->path);
	scratch->path = NULL;
}

/* NULL when the user says nothing of it. */
static const char *temporary(void)
{
	const char *base = getenv("TMPDIR");

	return base && *base ? base : NULL;
}

int perun_scratch_make(struct perun_ctx *ctx, const char *prefix, struct perun_scratch *scratch)
{
	const char *base = temporary();
	int status = PERUN_OK;

	if (!make_in(base ? base : "/tmp", prefix, scratch)) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make the directory %s",
					  scratch->path);
		forget(scratch);
	}
	return status;
}

bool perun_scratch_make_quick(const char *prefix, struct perun_scratch *scratch)
{
	static const char base[] = "/dev/shm";
	struct statfs facts;

	*scratch = (struct perun_scratch){.lock = -1};
	if (temporary() || statfs(base, &facts) != 0 || facts.f_type != TMPFS_MAGIC ||
	    (uint64_t)facts.f_bavail * (uint64_t)facts.f_bsize < QUICK_BYTES)
		return false;
	if (make_in(base, prefix, scratch))
		return true;
	forget(scratch);
	return false;
}

void perun_scratch_remove(struct perun_scratch *scratch)
{
	if (!scratch->path)
		return;
	perun_path_remove_tree(scratch->path);
	if (scratch->lock >= 0)
		close(scratch->lock);
	perun_free(scratch->path);
	*scratch = (struct perun_scratch){.lock = -1};
}
