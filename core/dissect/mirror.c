/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of files as a copy of another one. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/dissect/file-list.h"
#include "core/dissect/mirror.h"

#define PART 65536

/* The trees, as descriptors; `alike` is -1 where there is none. */
struct mirror {
	int from, to, alike;
};

static bool is_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_mode == other->st_mode && one->st_size == other->st_size &&
	       one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

static bool is_same_at(int root, const char *name, const struct stat *facts)
{
	struct stat other;

	return perun_beneath_stat(root, name, &other) == 0 && is_same_file(facts, &other);
}

static bool copy_bytes(int from, int to)
{
	char part[PART];
	ssize_t length;

	while ((length = read(from, part, sizeof part)) > 0) {
		if (perun_write_all(to, part, (size_t)length))
			return false;
	}
	return length == 0;
}

static bool copy_file(const struct mirror *mirror, const char *name, const struct stat *facts)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, facts->st_mtim};
	int from = perun_beneath_open(mirror->from, name, O_RDONLY, 0);
	int to = from < 0 ? -1
			  : perun_beneath_open(mirror->to, name, O_WRONLY | O_CREAT | O_EXCL,
					       facts->st_mode & 0700);
	bool copied = to >= 0 && copy_bytes(from, to) && fchmod(to, facts->st_mode & 0777) == 0 &&
		      futimens(to, times) == 0;

	if (from >= 0)
		close(from);
	if (to >= 0 && close(to) < 0)
		copied = false;
	return copied;
}

/* The name of a file in its directory, which is -1 on failure and left by perun_beneath_leave(). */
struct place {
	int directory;
	const char *name;
};

static struct place find_place(int root, const char *path)
{
	struct place place;

	place.directory = perun_beneath_parent(root, path, &place.name);
	return place;
}

static bool copy_link(const struct mirror *mirror, const char *name, const struct stat *facts)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, facts->st_mtim};
	struct place from = find_place(mirror->from, name), to = find_place(mirror->to, name);
	char *target = perun_alloc_zero((size_t)facts->st_size + 1, 1);
	bool copied = from.directory != -1 && to.directory != -1 &&
		      readlinkat(from.directory, from.name, target, (size_t)facts->st_size) ==
			      facts->st_size &&
		      symlinkat(target, to.directory, to.name) == 0 &&
		      utimensat(to.directory, to.name, times, AT_SYMLINK_NOFOLLOW) == 0;

	perun_beneath_leave(mirror->from, from.directory);
	perun_beneath_leave(mirror->to, to.directory);
	perun_free(target);
	return copied;
}

/* Another name of the file that is alike. */
static bool join_file(const struct mirror *mirror, const char *name)
{
	struct place from = find_place(mirror->alike, name), to = find_place(mirror->to, name);
	bool joined = from.directory != -1 && to.directory != -1 &&
		      linkat(from.directory, from.name, to.directory, to.name, 0) == 0;

	perun_beneath_leave(mirror->alike, from.directory);
	perun_beneath_leave(mirror->to, to.directory);
	return joined;
}

static bool mirror_file(const struct mirror *mirror, const char *name)
{
	struct stat facts;

	if (perun_beneath_stat(mirror->from, name, &facts) < 0)
		return false;
	if (is_same_at(mirror->to, name, &facts))
		return true;
	if (perun_beneath_remove_tree(mirror->to, name) < 0 ||
	    perun_beneath_ensure_parents(mirror->to, name, 0777) < 0)
		return false;
	if (S_ISLNK(facts.st_mode))
		return copy_link(mirror, name, &facts);
	return (mirror->alike >= 0 && is_same_at(mirror->alike, name, &facts) &&
		join_file(mirror, name)) ||
	       copy_file(mirror, name, &facts);
}

static int compare_name(const void *name, const void *entry)
{
	return strcmp(name, *(char *const *)entry);
}

static bool remove_others(const struct mirror *mirror, const struct perun_words *names,
			  const char *to)
{
	struct perun_words there = {0};
	bool removed = true;

	tree_list(to, &there, NULL);
	for (size_t i = 0; removed && i < there.count; i++) {
		if (!names->count || !bsearch(there.items[i], names->items, names->count,
					      sizeof *names->items, compare_name))
			removed = perun_beneath_unlink(mirror->to, there.items[i], 0) == 0;
	}
	perun_words_free(&there);
	return removed;
}

static bool are_fewer(const struct mirror *mirror, const struct perun_words *names, int64_t most)
{
	struct stat facts;

	for (size_t i = 0; i < names->count && most >= 0; i++) {
		if (perun_beneath_stat(mirror->from, names->items[i], &facts) == 0)
			most -= facts.st_size;
	}
	return most >= 0;
}

bool mirror_tree(const char *from, const char *to, const char *alike, int64_t most)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	struct mirror mirror = {.from = perun_path_open(from, flags, 0),
				.to = perun_path_open(to, flags, 0),
				.alike = alike ? perun_path_open(alike, flags, 0) : -1};
	struct perun_words names = {0}, directories = {0};
	bool made = mirror.from >= 0 && mirror.to >= 0;

	if (made)
		tree_list(from, &names, &directories);
	made = made && are_fewer(&mirror, &names, most) && remove_others(&mirror, &names, to);
	for (size_t i = 0; made && i < names.count; i++)
		made = mirror_file(&mirror, names.items[i]);
	/* Programs may write to one that is empty. */
	for (size_t i = 0; made && i < directories.count; i++)
		made = perun_beneath_ensure_directory(mirror.to, directories.items[i], 0777) == 0;
	perun_words_free(&names);
	perun_words_free(&directories);
	if (mirror.from >= 0)
		close(mirror.from);
	if (mirror.to >= 0)
		close(mirror.to);
	if (mirror.alike >= 0)
		close(mirror.alike);
	return made;
}
