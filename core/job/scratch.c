/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary directories that are distinguished from those that killed processes left. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>
#include <perun/lib/program.h>

/* One that is being made is not locked at once. */
#define YOUNG_SECONDS 60

/* A file system in memory with less room is left alone: containers have 64 MiB. */
#define QUICK_BYTES ((uint64_t)1 << 30)

static void forget_record(struct perun_scratch *scratch)
{
	if (scratch->record)
		unlink(scratch->record);
	if (scratch->lock >= 0)
		close(scratch->lock);
	perun_free(scratch->record);
	scratch->record = NULL;
	scratch->lock = -1;
}

/*
 * Each has a record, a file in the user's own directory, that is there first and goes last: it holds the
 * path, and is locked as long as its process lives. What has no record was not made here, whatever it is
 * called. A process id would be of no use: the processes of a container are not seen from outside.
 */
static char *record_path(void)
{
	char *directory = perun_state_directory("scratch"), *path = NULL;
	char digits[PERUN_RANDOM_SIZE];

	if (directory) {
		perun_random_digits(digits);
		path = perun_format("%s/%s", directory, digits);
	}
	perun_free(directory);
	return path;
}

/* Without a home, or on a full disk, there is none. */
static void make_record(struct perun_scratch *scratch)
{
	size_t length = strlen(scratch->path);

	scratch->record = record_path();
	if (!scratch->record)
		return;
	scratch->lock = perun_path_open_locked(scratch->record, O_CREAT | O_EXCL, LOCK_EX);
	if (scratch->lock >= 0 && (write(scratch->lock, scratch->path, length) != (ssize_t)length ||
				   write(scratch->lock, "\n", 1) != 1))
		forget_record(scratch);
}

/* What the record of a killed process names. False: it is not known whether there is something. */
static bool remove_recorded(int record, bool *removed)
{
	char path[PATH_MAX + 1];
	ssize_t length = pread(record, path, sizeof path - 1, 0);
	struct stat info;

	*removed = false;
	if (length == 0) { /* not written yet, or never to be */
		return fstat(record, &info) == 0 && info.st_mtime < time(NULL) - YOUNG_SECONDS;
	}
	if (length < 2 || path[0] != '/' || path[length - 1] != '\n')
		return true;
	path[length - 1] = '\0';
	if (lstat(path, &info) != 0)
		return errno == ENOENT;
	if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid())
		return true;
	*removed = perun_path_remove_tree(path) == 0;
	return *removed;
}

size_t perun_scratch_clear(void)
{
	char *folder = perun_state_directory("scratch");
	DIR *stream = folder ? opendir(folder) : NULL;
	struct dirent *entry;
	size_t count = 0;

	while (stream && (entry = readdir(stream))) {
		char *path = perun_format("%s/%s", folder, entry->d_name);
		int record =
			entry->d_name[0] == '.' ? -1 : perun_path_open_locked(path, 0, LOCK_EX);
		bool removed = false;

		if (record >= 0 && remove_recorded(record, &removed))
			unlink(path);
		if (record >= 0)
			close(record);
		count += removed;
		perun_free(path);
	}
	if (stream)
		closedir(stream);
	perun_free(folder);
	return count;
}

/* errno says why not. */
static bool make_in(const char *base, const char *prefix, struct perun_scratch *scratch)
{
	/* Who removes it may be in another directory. */
	char *real = *base == '/' ? NULL : realpath(base, NULL), digits[PERUN_RANDOM_SIZE];
	int error;

	perun_scratch_clear();
	perun_random_digits(digits);
	*scratch = (struct perun_scratch){
		.path = perun_format("%s/%s-%s", real ? real : base, prefix, digits), .lock = -1};
	free(real);
	make_record(scratch);
	if (mkdir(scratch->path, 0700) == 0)
		return true;
	error = errno;
	forget_record(scratch);
	errno = error;
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
	/* What could not be removed is tried again by the next run. */
	if (perun_path_remove_tree(scratch->path) != 0 && scratch->record) {
		perun_free(scratch->record);
		scratch->record = NULL;
	}
	forget_record(scratch);
	perun_free(scratch->path);
	*scratch = (struct perun_scratch){.lock = -1};
}
