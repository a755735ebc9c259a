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
#include <sys/mman.h>
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

static const char magic[16] = "perun-plugins 4";

struct stamp {
	uint64_t device, inode, size, owner, mode;
	int64_t seconds, nanoseconds;
};

/*
 * The file begins with `magic`, its own size (8 bytes), a stamp of the directory and its path as a text; then a record for each
 * plugin.
 */
struct record {
	uint32_t name_length, text_length; /* with their NUL; both follow */
	uint32_t kind, brings_commands;
};

struct plugin_index {
	char *bytes; /* the file, mapped: most of it is not looked at by most starts */
	size_t size;
	size_t directory; /* where its path is */
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

/* Of what `name` is in `directory`, a descriptor; false when there is none. */
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

/*
 * A file that nobody but the user can have written; who moved it there does not matter, as it names its directory. It is
 * never changed, only replaced. Texts are cut where they are, in pages of this process.
 */
static bool map_own(const char *path, struct plugin_index *index)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat status;
	void *memory = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	    status.st_size > 0 && status.st_size <= LIMIT)
		memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
			      0);
	if (fd >= 0)
		close(fd);
	if (memory == MAP_FAILED)
		return false;
	index->bytes = memory;
	index->size = (size_t)status.st_size;
	return true;
}

static bool take(struct plugin_index *index, void *to, size_t size)
{
	if (index->size - index->at < size)
		return false;
	memcpy(to, index->bytes + index->at, size);
	index->at += size;
	return true;
}

/* The next record, whose texts are in the index's bytes; false at the end and when it is damaged. */
bool plugin_index_next(struct plugin_index *index, struct plugin_record *plugin)
{
	struct record record;
	char *bytes;
	size_t size;

	if (!take(index, &record, sizeof record))
		return false;
	size = (size_t)record.name_length + record.text_length;
	if (record.name_length < 2 || !record.text_length || record.kind >= PERUN_KINDS ||
	    index->size - index->at < size)
		return false;
	bytes = index->bytes + index->at;
	index->at += size;
	*plugin = (struct plugin_record){.kind = (enum perun_kind)record.kind,
					 .name = bytes,
					 .text = bytes + record.name_length,
					 .brings_commands = record.brings_commands};
	return !bytes[record.name_length - 1] && !bytes[size - 1];
}

/* Whether the directory is as the index has it, and all records are whole; leaves `at` at the first one. */
static bool is_current(struct plugin_index *index, const char *directory)
{
	struct stamp now, then;
	struct plugin_record record;
	char head[sizeof magic];
	uint64_t size;
	size_t length = strlen(directory) + 1, start;

	if (!take(index, head, sizeof head) || memcmp(head, magic, sizeof magic) != 0 ||
	    !take(index, &size, sizeof size) || size != index->size ||
	    !take(index, &then, sizeof then) || !stamp_at(AT_FDCWD, directory, &now) ||
	    memcmp(&now, &then, sizeof now) != 0 || index->size - index->at < length ||
	    memcmp(index->bytes + index->at, directory, length) != 0)
		return false;
	index->directory = index->at;
	start = index->at += length;
	while (index->at < index->size)
		if (!plugin_index_next(index, &record))
			return false;
	index->at = start;
	return true;
}

struct plugin_index *plugin_index_open(const char *directory)
{
	struct plugin_index *index = perun_alloc_zero(1, sizeof *index);
	char *path = index_path(directory);
	bool good = path && map_own(path, index) && is_current(index, directory);

	perun_free(path);
	if (good)
		return index;
	plugin_index_close(index);
	return NULL;
}

const char *plugin_index_directory(const struct plugin_index *index)
{
	return index->bytes + index->directory;
}

void plugin_index_close(struct plugin_index *index)
{
	if (index->bytes)
		munmap(index->bytes, index->size);
	perun_free(index);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Whether a line of the text begins with the word. */
static bool has_line(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, word, length) == 0)
			return true;
	}
	return false;
}

static void add_record(struct perun_buffer *bytes, const char *file, const char *text)
{
	enum perun_kind kind;
	struct record record;
	const char *name;
	size_t length;

	if (!plugin_file_name(file, &kind, &name, &length))
		return;
	record = (struct record){.name_length = (uint32_t)length + 1,
				 .text_length = (uint32_t)strlen(text) + 1,
				 .kind = kind,
				 .brings_commands = has_line(text, "command ")};
	perun_buffer_add(bytes, (const char *)&record, sizeof record);
	perun_buffer_add(bytes, name, length);
	perun_buffer_add_char(bytes, '\0');
	perun_buffer_add(bytes, text, record.text_length);
}

/* The record of a file, unless its text has changed since `settled`. */
static bool add_settled(struct perun_buffer *bytes, const char *directory, int fd, const char *file,
			time_t settled)
{
	char *beside = plugin_text_path(file), *path = perun_format("%s/%s", directory, beside);
	struct stamp stamp;
	bool good = stamp_at(fd, beside, &stamp) && stamp.seconds < settled;
	char *text = good ? plugin_text_read(path) : NULL;

	if (text)
		add_record(bytes, file, text);
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
	uint64_t size = 0;
	bool good = fd >= 0 && stamp_at(fd, ".", &stamp) && stamp.seconds < settled;

	if (good) {
		perun_buffer_add(&bytes, magic, sizeof magic);
		perun_buffer_add(&bytes, (const char *)&size, sizeof size);
		perun_buffer_add(&bytes, (const char *)&stamp, sizeof stamp);
		perun_buffer_add(&bytes, directory, strlen(directory) + 1);
	}
	for (size_t i = 0; good && i < count; i++)
		good = add_settled(&bytes, directory, fd, names[i], settled);
	if (good) {
		size = bytes.length;
		memcpy(bytes.data + sizeof magic, &size, sizeof size);
	}
	/* Without a word where that cannot be: then the next start is as slow. */
	if (good && perun_path_ensure_parents(path, 0700) == 0)
		(void)perun_path_replace(path, bytes.data, bytes.length, 0600);
	if (fd >= 0)
		close(fd);
	perun_buffer_free(&bytes);
	perun_free(path);
}
