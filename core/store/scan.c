/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of all files below objects/ and what they are. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/store/scan.h"

/*
 * Indexes and objects have the same kind of name; an index says what it is. What cannot be read may be one: gc must
 * not take what it names for unused.
 */
static bool may_be_index(const struct perun_store *store, const char *path)
{
	int fd = perun_beneath_open(store->directory, path, O_RDONLY | O_NONBLOCK, 0);
	char magic[4];
	size_t size = 0;
	ssize_t got = 1;
	bool unreadable;

	if (fd < 0)
		return errno != ENOENT && errno != ELOOP && errno != EXDEV;
	while (size < sizeof magic && got != 0) {
		got = read(fd, magic + size, sizeof magic - size);
		if (got < 0 && errno != EINTR)
			break;
		size += got > 0 ? (size_t)got : 0;
	}
	unreadable = got < 0 && errno != EISDIR;
	close(fd);
	return unreadable || (size == sizeof magic && memcmp(magic, "pidx", 4) == 0);
}

static enum perun_scan_kind kind_of(const struct perun_store *store, const char *directory,
				    const char *name, const char *path, char *checksum)
{
	enum perun_scan_kind kind;
	size_t digits = strspn(name, "0123456789abcdef");

	checksum[0] = '\0';
	if (perun_is_temporary(name) || perun_is_temporary(directory))
		return PERUN_SCAN_LEFTOVER;
	if (strlen(directory) != 2 || digits > PERUN_CHECKSUM_SIZE - 3)
		return PERUN_SCAN_STRAY;
	if (!name[digits])
		kind = PERUN_SCAN_OBJECT;
	else if (strcmp(name + digits, ".changes") == 0)
		kind = PERUN_SCAN_CHANGES;
	else if (strcmp(name + digits, ".sum") == 0)
		kind = PERUN_SCAN_SUMS;
	else
		return PERUN_SCAN_STRAY;
	memcpy(checksum, directory, 2);
	memcpy(checksum + 2, name, digits);
	checksum[2 + digits] = '\0';
	if (!perun_is_checksum(checksum)) {
		checksum[0] = '\0';
		return PERUN_SCAN_STRAY;
	}
	if (kind == PERUN_SCAN_OBJECT && may_be_index(store, path))
		kind = PERUN_SCAN_INDEX;
	return kind;
}

static void append(struct perun_scan *scan, const struct perun_store *store, const char *directory,
		   const char *name)
{
	struct perun_scan_item *item;

	PERUN_GROW(scan->items, scan->count, scan->capacity);
	item = &scan->items[scan->count++];
	item->path = perun_format("objects/%s%s%s", directory, directory[0] ? "/" : "", name);
	item->kind = kind_of(store, directory, name, item->path, item->checksum);
}

static int scan_directory(struct perun_ctx *ctx, struct perun_store *store, const char *directory,
			  struct perun_scan *scan)
{
	char *path = perun_format("objects/%s", directory), **names;
	size_t count;
	int status = perun_list_directory(ctx, store, path, &names, &count);

	perun_free(path);
	for (size_t i = 0; i < count && !status; i++)
		append(scan, store, directory, names[i]);
	perun_free(names);
	return status;
}

static int is_directory(struct perun_ctx *ctx, const struct perun_store *store, const char *name,
			bool *found)
{
	char *path = perun_format("objects/%s", name);
	struct stat info = {0};
	int status = PERUN_OK;

	if (perun_beneath_stat(store->directory, path, &info) != 0 && errno != ENOENT &&
	    errno != ELOOP && errno != EXDEV)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot look at %s/%s",
					  store->path, path);
	*found = S_ISDIR(info.st_mode);
	perun_free(path);
	return status;
}

int perun_scan(struct perun_ctx *ctx, struct perun_store *store, struct perun_scan *scan)
{
	char **names;
	size_t count;
	int status;

	memset(scan, 0, sizeof *scan);
	status = perun_list_directory(ctx, store, "objects", &names, &count);
	for (size_t i = 0; i < count && !status; i++) {
		bool directory;

		status = is_directory(ctx, store, names[i], &directory);
		if (!status && directory)
			status = scan_directory(ctx, store, names[i], scan);
		else if (!status)
			append(scan, store, "", names[i]);
	}
	perun_free(names);
	if (status)
		perun_scan_free(scan);
	return status;
}

void perun_scan_free(struct perun_scan *scan)
{
	for (size_t i = 0; i < scan->count; i++)
		perun_free(scan->items[i].path);
	perun_free(scan->items);
	memset(scan, 0, sizeof *scan);
}
