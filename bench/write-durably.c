/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The baseline of add-many.sh: write-durably FROM TO [SOURCES] copies the files of FROM and of the
 * directories in it: reads all of them first; then, and only that is timed, writes each under a
 * temporary name, renames it, flushes files and directories once at the end, and removes the files in
 * SOURCES. Prints microseconds.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct file {
	char path[300]; /* relative */
	char *data;
	size_t size;
};

static struct file *files;
static size_t count, capacity;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void read_file(int at, const char *path, size_t size)
{
	int fd = openat(at, path, O_RDONLY);

	if (count == capacity)
		files = realloc(files, (capacity = capacity ? 2 * capacity : 1024) * sizeof *files);
	if (fd < 0 || !files)
		fail(path);
	snprintf(files[count].path, sizeof files[count].path, "%s", path);
	files[count].data = malloc(size + 1);
	files[count].size = size;
	if (!files[count].data || read(fd, files[count].data, size) != (ssize_t)size)
		fail(path);
	count++;
	close(fd);
}

static void read_directory(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory)
		fail(path);
	while ((entry = readdir(directory))) {
		char inner[300];
		struct stat info;

		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >=
			    (int)sizeof inner ||
		    fstatat(at, inner, &info, 0) != 0)
			fail(entry->d_name);
		if (S_ISDIR(info.st_mode))
			read_directory(at, inner);
		else
			read_file(at, inner, (size_t)info.st_size);
	}
	closedir(directory);
}

static void write_file(int at, const struct file *file, size_t number)
{
	const char *slash = strrchr(file->path, '/');
	char temporary[340], directory[300];
	int fd;

	snprintf(directory, sizeof directory, "%.*s", (int)(slash - file->path), file->path);
	snprintf(temporary, sizeof temporary, "%s/.tmp-%zu", directory, number);
	fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0 && mkdirat(at, directory, 0777) == 0)
		fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0 || write(fd, file->data, file->size) != (ssize_t)file->size || close(fd) != 0 ||
	    renameat(at, temporary, at, file->path) != 0)
		fail(file->path);
}

static void remove_files(DIR *directory)
{
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] != '.' && unlinkat(dirfd(directory), entry->d_name, 0) != 0)
			fail(entry->d_name);
	}
}

int main(int argc, char **argv)
{
	DIR *sources = argc == 4 ? opendir(argv[3]) : NULL;
	struct timespec start, end;
	int from, to;

	if (argc < 3 || argc > 4 || (argc == 4 && !sources) ||
	    (from = open(argv[1], O_RDONLY | O_DIRECTORY)) < 0)
		return 2;
	read_directory(from, ".");
	mkdir(argv[2], 0777);
	to = open(argv[2], O_RDONLY | O_DIRECTORY);
	if (to < 0)
		fail(argv[2]);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (size_t i = 0; i < count; i++)
		write_file(to, &files[i], i);
	if (syncfs(to) != 0)
		fail(argv[2]);
	remove_files(sources);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%jd\n", (intmax_t)(end.tv_sec - start.tv_sec) * 1000000 +
				(end.tv_nsec - start.tv_nsec) / 1000);
	return 0;
}
