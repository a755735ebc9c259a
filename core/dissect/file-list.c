/* SPDX-License-Identifier: BSD-3-Clause */
/* The files below a directory. */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/path.h>

#include "core/dissect/file-list.h"

static void list_below(const char *root, const char *inside, unsigned depth,
		       struct perun_words *names, struct perun_words *directories)
{
	char *path = perun_format("%s%s%s", root, *inside ? "/" : "", inside);
	int fd = perun_path_open(path, O_RDONLY | O_DIRECTORY, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *found;

	while (stream && (found = readdir(stream))) {
		const char *name = found->d_name;
		struct stat facts;
		char *below;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0)
			continue;
		below = perun_format("%s%s%s", inside, *inside ? "/" : "", name);
		if (fstatat(dirfd(stream), name, &facts, AT_SYMLINK_NOFOLLOW) < 0)
			facts.st_mode = 0;
		if (S_ISDIR(facts.st_mode) && directories)
			perun_words_add(directories, below, strlen(below));
		if (S_ISDIR(facts.st_mode) && depth < 64)
			list_below(root, below, depth + 1, names, directories);
		else if (S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode))
			perun_words_add(names, below, strlen(below));
		perun_free(below);
	}
	if (stream)
		closedir(stream);
	perun_free(path);
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

void tree_list(const char *root, struct perun_words *names, struct perun_words *directories)
{
	list_below(root, "", 0, names, directories);
	if (names->count)
		qsort(names->items, names->count, sizeof *names->items, compare_names);
}
