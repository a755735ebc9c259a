/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders for files that targets write, and a store in one. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/context.h>

#include "tests/fuzz/place.h"

static char *folders[8];
static size_t folder_count;

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
	(void)info, (void)kind, (void)at;
	return remove(path);
}

/* Also after a crash that calls exit handlers. */
static void remove_folders(void)
{
	while (folder_count > 0) {
		nftw(folders[--folder_count], remove_entry, 16, FTW_DEPTH | FTW_PHYS);
		free(folders[folder_count]);
	}
}

const char *fuzz_folder(void)
{
	const char *base = getenv("TMPDIR");
	char *path;

	/* In memory, if it can be: most of the time of a round is that of making files. */
	if (!base || !*base)
		base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	MUST(folder_count < sizeof folders / sizeof *folders);
	MUST(asprintf(&path, "%s/perun-fuzz-XXXXXX", base) > 0 && mkdtemp(path) != NULL);
	if (folder_count == 0)
		atexit(remove_folders);
	folders[folder_count++] = path;
	return path;
}

void fuzz_write(const char *folder, const char *name, const void *data, size_t size)
{
	char *hidden = perun_format("%s/.new", folder), *path = perun_format("%s/%s", folder, name);
	int file = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	MUST(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
	MUST(rename(hidden, path) == 0);
	perun_free(hidden);
	perun_free(path);
}

void fuzz_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

struct perun_store *fuzz_store(void)
{
	static struct perun_store *store;
	const char *path;

	if (store)
		return store;
	path = fuzz_folder();
	setenv("PERUN_CONFIG_DIR", path, 1);
	MUST(perun_store_init(NULL, path, "vcs:\n  type: git\n", &store) == PERUN_OK);
	return store;
}

void fuzz_store_write(const char *checksum, const char *suffix, const void *data, size_t size)
{
	struct perun_store *store = fuzz_store();
	char path[PERUN_OBJECT_PATH_SIZE], directory[sizeof "objects/XX"] = {0};
	int file;

	perun_object_path(checksum, suffix, path);
	memcpy(directory, path, sizeof directory - 1);
	mkdirat(store->directory, directory, 0777);
	file = openat(store->directory, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	MUST(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
}
