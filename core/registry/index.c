/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The texts of a directory's plugins in one file of the user's cache directory, so that starting reads one file
 * instead of two for each plugin. It counts only while the directory is as it was, by inode, size, owner, mode and time of
 * change; else all is read as if there were none, and it is written again. Whatever installs or builds a plugin changes the
 * directory. It says nothing but what the texts say, which are made from the plugins: what is loaded is checked when it is loaded.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/registry/registry-private.h"
#include <perun/lib/path.h>
#include "perun/lib/hash.h"

enum {
	LIMIT = 16 << 20,
	SETTLED = 2 /* seconds that a time of change must lie back to distinguish changes */
};

static const char magic[16] = "perun-plugins 3";

struct stamp {
	uint64_t device, inode, size, owner, mode;
	int64_t seconds, nanoseconds;
};

/* The file begins with `magic`, a stamp of the directory and its path as a text; then a record for each plugin. */
struct record {
	uint32_t name_length, text_length; /* with their NUL; both follow */
};

struct plugin_index {
	struct perun_buffer bytes;
	size_t at;
};

static struct stamp stamp_of(const struct stat *status)
{
	return (struct stamp){.device = (uint64_t)status->st_dev,
			      .inode = (uint64_t)status->st_ino,
			      .size = (uint64_t)status->st_size,
			      .owner = (uint64_t)status->st_uid << 32 | status->st_gid,
			      .mode = status->st_mode,
			      .seconds = status->st_ctim.tv_sec,
			      .nanoseconds = status->st_ctim.tv_nsec};
}

/* Of a file in `directory`; false when there is none. */
static bool stamp_at(int directory, const char *name, struct stamp *stamp)
{
	struct stat status;

	if (fstatat(directory, name, &status, 0) != 0)
		return false;
	*stamp = stamp_of(&status);
	return true;
}

/* CACHE/perun/plugins-HASH of the user; NULL when there is no place of the user's own. */
static char *index_path(const char *directory)
{
	char name[32];

	(void)snprintf(name, sizeof name, "plugins-%016jx",
		       (uintmax_t)perun_fnv1a(directory, strlen(directory), PERUN_FNV1A));
	return perun_user_cache(name);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The bytes of a file that nobody but the user can have written. */
static bool read_own(const char *path, struct perun_buffer *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat status;
	ssize_t got = -1;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	    status.st_size > 0 && status.st_size <= LIMIT) {
		got = read(fd, perun_buffer_reserve(bytes, (size_t)status.st_size),
			   (size_t)status.st_size);
		bytes->length = got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return got > 0 && got == status.st_size;
}

static bool take(struct plugin_index *index, void *to, size_t size)
{
	if (index->bytes.length - index->at < size)
		return false;
	memcpy(to, index->bytes.data + index->at, size);
	index->at += size;
	return true;
}

/* The next record with its name and text, in the index's bytes; false at the end and when it is damaged. */
static bool next_record(struct plugin_index *index, struct record *record, const char **name,
			char **text)
{
	char *bytes;

	if (!take(index, record, sizeof *record) || !record->name_length || !record->text_length ||
	    index->bytes.length - index->at < (size_t)record->name_length + record->text_length)
		return false;
	bytes = index->bytes.data + index->at;
	index->at += (size_t)record->name_length + record->text_length;
	*name = bytes;
	*text = bytes + record->name_length;
	return !bytes[record->name_length - 1] &&
	       !bytes[(size_t)record->name_length + record->text_length - 1] && strlen(bytes) >= 3;
}

/* Whether the directory is as the index has it, and all records are whole; leaves `at` at the first one. */
static bool is_current(struct plugin_index *index, const char *directory, int fd)
{
	struct stamp now, then;
	struct record record;
	const char *name;
	char *text, head[sizeof magic];
	size_t length = strlen(directory) + 1, start;

	if (!take(index, head, sizeof head) || memcmp(head, magic, sizeof magic) != 0 ||
	    !take(index, &then, sizeof then) || !stamp_at(fd, ".", &now) ||
	    memcmp(&now, &then, sizeof now) != 0 || index->bytes.length - index->at < length ||
	    memcmp(index->bytes.data + index->at, directory, length) != 0)
		return false;
	start = index->at += length;
	while (index->at < index->bytes.length)
		if (!next_record(index, &record, &name, &text))
			return false;
	index->at = start;
	return true;
}

struct plugin_index *plugin_index_open(const char *directory)
{
	struct plugin_index *index = perun_alloc_zero(1, sizeof *index);
	char *path = index_path(directory);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	int fd = -1;
	bool good = false;

	if (path && access(path, R_OK) == 0 && plugin_path_check(quiet, path) == PERUN_OK &&
	    read_own(path, &index->bytes)) {
		fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		good = fd >= 0 && is_current(index, directory, fd);
	}
	if (fd >= 0)
		close(fd);
	perun_ctx_free(quiet);
	perun_free(path);
	if (good)
		return index;
	plugin_index_close(index);
	return NULL;
}

bool plugin_index_next(struct plugin_index *index, const char **name, char **text)
{
	struct record record;

	return next_record(index, &record, name, text);
}

void plugin_index_close(struct plugin_index *index)
{
	perun_buffer_free(&index->bytes);
	perun_free(index);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool add_record(struct perun_buffer *bytes, const char *directory, int fd, const char *name,
		       time_t settled)
{
	char *beside = plugin_text_path(name), *path = perun_format("%s/%s", directory, beside),
	     *text;
	struct record record;
	struct stamp stamp;
	bool good = stamp_at(fd, beside, &stamp) && stamp.seconds < settled;

	text = good ? plugin_text_read(path) : NULL;
	if (text) {
		record.name_length = (uint32_t)strlen(name) + 1;
		record.text_length = (uint32_t)strlen(text) + 1;
		perun_buffer_add(bytes, (const char *)&record, sizeof record);
		perun_buffer_add(bytes, name, record.name_length);
		perun_buffer_add(bytes, text, record.text_length);
	}
	perun_free(text);
	perun_free(path);
	perun_free(beside);
	return text != NULL;
}

void plugin_index_write(const char *directory, const char *const *names, size_t count)
{
	char *path = index_path(directory);
	int fd = path ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	const time_t settled = time(NULL) - SETTLED;
	struct perun_buffer bytes = {0};
	struct stamp stamp;
	bool good = fd >= 0 && stamp_at(fd, ".", &stamp) && stamp.seconds < settled;

	if (good) {
		perun_buffer_add(&bytes, magic, sizeof magic);
		perun_buffer_add(&bytes, (const char *)&stamp, sizeof stamp);
		perun_buffer_add(&bytes, directory, strlen(directory) + 1);
	}
	for (size_t i = 0; good && i < count; i++)
		good = add_record(&bytes, directory, fd, names[i], settled);
	/* Without a word where that cannot be: then the next start is as slow. */
	if (good && perun_path_ensure_parents(path, 0700) == 0)
		(void)perun_path_replace(path, bytes.data, bytes.length, 0600);
	if (fd >= 0)
		close(fd);
	perun_buffer_free(&bytes);
	perun_free(path);
}
