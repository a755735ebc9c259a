/* SPDX-License-Identifier: BSD-3-Clause */
/* Small things to do with files and names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/store/store.h"

#define COPY_SIZE ((size_t)256 << 10)

bool perun_is_checksum(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return (length == PERUN_SHA1_DIGITS || length == PERUN_CHECKSUM_SIZE - 1) &&
	       text[length] == '\0';
}

void perun_object_path(const char *checksum, const char *suffix, char path[PERUN_OBJECT_PATH_SIZE])
{
	(void)snprintf(path, PERUN_OBJECT_PATH_SIZE, "objects/%.2s/%s%s", checksum, checksum + 2,
		       suffix);
}

int perun_check_minor(struct perun_ctx *ctx, const char *minor)
{
	if (minor && perun_is_checksum(minor))
		return PERUN_OK;
	return perun_fail(
		ctx, PERUN_USAGE,
		"a minor version must have a name of 40 or 64 hexadecimal digits, not '%s'",
		minor ? minor : "");
}

static int read_rest(int fd, uint64_t limit, struct perun_buffer *out, bool *too_large)
{
	for (;;) {
		ssize_t got = read(fd, perun_buffer_reserve(out, 65536), 65536);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : 0;
		out->length += (size_t)got;
		out->data[out->length] = '\0';
		if (out->length > limit) {
			*too_large = true;
			return 0;
		}
	}
}

int perun_file_read(struct perun_ctx *ctx, const struct perun_store *store, const char *path,
		    uint64_t limit, struct perun_buffer *out, struct stat *info)
{
	int fd = perun_beneath_open(store->directory, path, O_RDONLY | O_NONBLOCK, 0);
	bool too_large = false;
	int error;

	perun_buffer_clear(out);
	memset(info, 0, sizeof *info);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return PERUN_OK;
	if (fd < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s/%s", store->path,
					path);
	error = fstat(fd, info) ? errno : 0;
	if (!error && !S_ISREG(info->st_mode)) {
		close(fd);
		return perun_fail(ctx, PERUN_INPUT, "%s/%s is not a file", store->path, path);
	}
	if (!error) {
		if ((uint64_t)info->st_size <= limit)
			perun_buffer_reserve(out, (size_t)info->st_size + 1);
		error = read_rest(fd, limit, out, &too_large);
	}
	close(fd);
	if (error)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot read %s/%s", store->path,
					path);
	if (too_large)
		return perun_fail(ctx, PERUN_INPUT, "%s/%s has more than %ju bytes", store->path,
				  path, (uintmax_t)limit);
	return PERUN_OK;
}

int perun_copy_all(int from, int to, size_t size)
{
	char *data = perun_alloc(COPY_SIZE);
	size_t at = 0;
	int error = 0;

	while (at < size && !error) {
		size_t part = size - at < COPY_SIZE ? size - at : COPY_SIZE;
		ssize_t got = pread(from, data, part, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			error = got ? errno : EIO;
		else
			error = perun_write_all(to, data, (size_t)got);
		at += got > 0 ? (size_t)got : 0;
	}
	perun_free(data);
	return error;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Turn names with NULs after each into a sorted array, one block of memory. */
static char **names_to_array(const struct perun_buffer *text, size_t count)
{
	char **names = perun_alloc((count + 1) * sizeof *names + text->length + 1);
	char *copy = (char *)(names + count + 1);

	if (text->length)
		memcpy(copy, text->data, text->length);
	for (size_t i = 0; i < count; i++) {
		names[i] = copy;
		copy += strlen(copy) + 1;
	}
	names[count] = NULL;
	qsort(names, count, sizeof *names, compare_names);
	return names;
}

int perun_list_directory(struct perun_ctx *ctx, const struct perun_store *store, const char *path,
			 char ***names, size_t *count)
{
	int fd = perun_beneath_open(store->directory, path, O_RDONLY | O_DIRECTORY, 0);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct perun_buffer text = {0};
	struct dirent *entry;
	int error = errno;

	*count = 0;
	if (directory) {
		for (errno = 0; (entry = readdir(directory)); errno = 0) {
			if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
				continue;
			perun_buffer_add(&text, entry->d_name, strlen(entry->d_name) + 1);
			++*count;
		}
		error = errno;
		closedir(directory);
	} else if (fd >= 0) {
		close(fd);
	} else if (error == ENOENT || error == ENOTDIR) {
		error = 0;
	}
	*names = names_to_array(&text, *count);
	perun_buffer_free(&text);
	if (!error)
		return PERUN_OK;
	perun_free(*names);
	*names = NULL;
	*count = 0;
	return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot list %s/%s", store->path, path);
}

/*
 * The Python program takes the modification time as a double, rounds it (halves to even), makes a
 * local time text of it and reads that back: where clocks are set back an hour is ambiguous.
 */
static uint32_t there_and_back(double rounded)
{
	time_t seconds = (time_t)rounded;
	struct tm local;

	if (!(rounded > 0))
		return 0;
	if (rounded >= (double)UINT32_MAX)
		return UINT32_MAX;
	if (localtime_r(&seconds, &local)) {
		time_t back;

		local.tm_isdst = -1;
		back = mktime(&local);
		if (back >= 0 && back <= (time_t)UINT32_MAX)
			seconds = back;
	}
	return (uint32_t)seconds;
}

uint32_t perun_entry_time(const struct timespec *time, struct perun_entry_time *last)
{
	double rounded = rint((double)time->tv_sec + 1e-9 * (double)time->tv_nsec);

	if (!last)
		return there_and_back(rounded);
	if (!last->known || last->rounded != rounded)
		*last = (struct perun_entry_time){true, rounded, there_and_back(rounded)};
	return last->time;
}

bool perun_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
	       one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}
