/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of all files below objects/ and what they are. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/path/beneath.h"
#include "core/store/scan.h"

/* Indexes and objects have the same kind of name; an index says what it is. */
static bool is_index(const struct perun_store *store, const char *path)
{
	int fd = perun_beneath_open(store->directory, path, O_RDONLY | O_NONBLOCK, 0);
	char magic[4];
	bool found;

	if (fd < 0)
		return false;
	found = read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "pidx", 4) == 0;
	close(fd);
	return found;
}

static enum perun_scan_kind kind_of(const struct perun_store *store, const char *directory,
				    const char *name, const char *path, char *checksum)
{
	enum perun_scan_kind kind;
	size_t length = strlen(name);

	checksum[0] = '\0';
	if (perun_is_temporary(name) || perun_is_temporary(directory))
		return PERUN_SCAN_LEFTOVER;
	if (length < 38 || strlen(directory) != 2)
		return PERUN_SCAN_STRAY;
	if (length == 38)
		kind = PERUN_SCAN_OBJECT;
	else if (strcmp(name + 38, ".changes") == 0)
		kind = PERUN_SCAN_CHANGES;
	else if (strcmp(name + 38, ".sum") == 0)
		kind = PERUN_SCAN_SUMS;
	else
		return PERUN_SCAN_STRAY;
	memcpy(checksum, directory, 2);
	memcpy(checksum + 2, name, 38);
	checksum[40] = '\0';
	if (!perun_is_checksum(checksum)) {
		checksum[0] = '\0';
		return PERUN_SCAN_STRAY;
	}
	if (kind == PERUN_SCAN_OBJECT && is_index(store, path))
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

static bool is_directory(const struct perun_store *store, const char *name)
{
	char *path = perun_format("objects/%s", name);
	struct stat info;
	bool found =
		perun_beneath_stat(store->directory, path, &info) == 0 && S_ISDIR(info.st_mode);

	perun_free(path);
	return found;
}

int perun_scan(struct perun_ctx *ctx, struct perun_store *store, struct perun_scan *scan)
{
	char **names;
	size_t count;
	int status;

	memset(scan, 0, sizeof *scan);
	status = perun_list_directory(ctx, store, "objects", &names, &count);
	for (size_t i = 0; i < count && !status; i++) {
		if (is_directory(store, names[i]))
			status = scan_directory(ctx, store, names[i], scan);
		else
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
