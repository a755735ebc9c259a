/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in a temporary directory, for fuzz targets whose readers want files. */
#ifndef PERUN_TESTS_FUZZ_STORE_PLACE_H
#define PERUN_TESTS_FUZZ_STORE_PLACE_H

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/store.h"
#include "tests/fuzz/must.h"

#define MINOR "0123456789abcdef0123456789abcdef01234567"

static char place_path[4096];

static int place_remove(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info, (void)kind, (void)place;
	return remove(path);
}

static void place_clean(void)
{
	nftw(place_path, place_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Made at the first call; removed at the end, also after a crash that calls exit handlers. */
static struct perun_store *place_store(void)
{
	static struct perun_store *store;
	const char *base = getenv("TMPDIR");

	if (store)
		return store;
	snprintf(place_path, sizeof place_path, "%s/perun-fuzz-XXXXXX", base ? base : "/tmp");
	MUST(mkdtemp(place_path) != NULL);
	atexit(place_clean);
	setenv("PERUN_CONFIG_DIR", place_path, 1);
	MUST(perun_store_init(NULL, place_path, "vcs:\n  type: git\n", &store) == PERUN_OK);
	return store;
}

/* The file of a checksum below objects/. */
static void place_write(const char *checksum, const char *suffix, const void *data, size_t size)
{
	struct perun_store *store = place_store();
	char path[PERUN_OBJECT_PATH_SIZE], directory[sizeof "objects/XX"] = {0};
	int fd;

	perun_object_path(checksum, suffix, path);
	memcpy(directory, path, sizeof directory - 1);
	mkdirat(store->directory, directory, 0777);
	fd = openat(store->directory, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

#endif
