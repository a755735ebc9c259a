/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole paths, of which the part below .perun is resolved without following links. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <perun/lib/path.h>

#define NAME   ".perun"
#define LENGTH (sizeof NAME - 1)

/* The first component of this name that something follows, or NULL. */
static const char *find_store(const char *path)
{
	for (const char *at = path; (at = strstr(at, NAME "/")); at += LENGTH) {
		if (at == path || at[-1] == '/')
			return at;
	}
	return NULL;
}

const char *perun_path_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int perun_path_root(const char *path, const char **rest)
{
	const char *store = find_store(path);
	int above = AT_FDCWD, fd;

	*rest = path;
	if (!store)
		return AT_FDCWD;
	*rest = store + LENGTH + strspn(store + LENGTH, "/");
	if (!**rest)
		*rest = ".";
	if (store > path) {
		char *place = perun_strndup(path, (size_t)(store - path));

		above = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
		perun_free(place);
		if (above < 0)
			return -1;
	}
	/* A name alone, so that the walk does. */
	fd = perun_beneath_walk(above, NAME, O_PATH | O_DIRECTORY, 0);
	perun_beneath_leave(AT_FDCWD, above);
	return fd;
}

void perun_path_leave(int root)
{
	perun_beneath_leave(AT_FDCWD, root);
}

int perun_path_open(const char *path, int flags, mode_t mode)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int fd = root == -1 ? -1 : perun_beneath_open(root, rest, flags, mode);

	perun_path_leave(root);
	return fd;
}

int perun_path_open_own(const char *path, int flags)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int fd = root == -1 ? -1 : perun_beneath_open_own(root, rest, flags);

	perun_path_leave(root);
	return fd;
}

int perun_path_open_locked(const char *path, int flags, int operation)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int fd =
		root == -1 ? -1 : perun_beneath_open_locked(root, rest, flags, operation | LOCK_NB);

	perun_path_leave(root);
	return fd;
}

int perun_path_stat(const char *path, struct stat *info)
{
	const char *rest;
	int root = perun_path_root(path, &rest), result = -1;

	if (root == AT_FDCWD)
		result = stat(path, info);
	else if (root != -1)
		result = perun_beneath_stat(root, rest, info);
	perun_path_leave(root);
	return result;
}

int perun_path_make_directory(const char *path, mode_t mode)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int result = root == -1 ? -1 : perun_beneath_make_directory(root, rest, mode);

	perun_path_leave(root);
	return result;
}

int perun_path_ensure_directory(const char *path, mode_t mode)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int result = root == -1 ? -1 : perun_beneath_ensure_directory(root, rest, mode);

	perun_path_leave(root);
	return result;
}

int perun_path_unlink(const char *path)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int result = root == -1 ? -1 : perun_beneath_unlink(root, rest, 0);

	perun_path_leave(root);
	return result;
}

int perun_path_rename(const char *from, const char *to)
{
	const char *rest, *other;
	int root = perun_path_root(from, &rest), second = perun_path_root(to, &other);
	int result = -1;

	if (root == AT_FDCWD && second == AT_FDCWD)
		result = rename(from, to);
	else if (root >= 0 && second >= 0 && rest - from == other - to &&
		 strncmp(from, to, (size_t)(rest - from)) == 0)
		result = perun_beneath_rename(root, rest, other, 0);
	else if (root != -1 && second != -1)
		errno = EXDEV;
	perun_path_leave(second);
	perun_path_leave(root);
	return result;
}

int perun_path_remove_tree(const char *path)
{
	const char *rest;
	int root = perun_path_root(path, &rest);
	int result =
		root == -1 ? (errno == ENOENT ? 0 : -1) : perun_beneath_remove_tree(root, rest);

	perun_path_leave(root);
	return result;
}
