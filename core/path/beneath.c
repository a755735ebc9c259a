/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening, making, renaming and removing below a directory, without following links. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perun/lib/path.h>

/* openat2() wants to be asked again when something above was renamed meanwhile. */
#define ATTEMPTS 16

/* Close without losing the errno that is to be reported. */
static void close_quietly(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

void perun_random_digits(char digits[PERUN_RANDOM_SIZE])
{
	uint64_t number;

	/* Up to 256 bytes come whole and without waiting once the machine has booted. */
	while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
		if (errno != EINTR)
			abort();
	}
	snprintf(digits, PERUN_RANDOM_SIZE, "%016llx", (unsigned long long)number);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* One step. The kernel reports a link as ENOTDIR where a directory is wanted. */
static int step(int at, const char *name, int flags, mode_t mode)
{
	int fd = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	struct stat info;

	if (fd < 0 && errno == ENOTDIR) {
		bool link =
			fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);

		errno = link ? ELOOP : ENOTDIR;
	} else if (fd >= 0 && (flags & O_PATH) && fstat(fd, &info) == 0 && S_ISLNK(info.st_mode)) {
		close(fd); /* O_PATH opens links themselves */
		errno = ELOOP;
		return -1;
	}
	return fd;
}

int perun_beneath_walk(int root, const char *path, int flags, mode_t mode)
{
	char *copy = perun_strdup(path), *name = copy;
	int at = root, next = -1;

	errno = *path == '/' ? EXDEV : ENOENT;
	for (char *rest; *path != '/' && *name; name = rest) {
		bool last;

		rest = strchrnul(name, '/');
		last = rest[strspn(rest, "/")] == '\0';
		if (*rest)
			*rest++ = '\0';
		rest += strspn(rest, "/");
		if (strcmp(name, "..") == 0) {
			errno = EXDEV;
			next = -1;
		} else {
			next = last ? step(at, name, flags, mode)
				    : step(at, name, O_PATH | O_DIRECTORY, 0);
		}
		if (at != root)
			close_quietly(at);
		at = next;
		if (next < 0)
			break;
	}
	perun_free(copy);
	return next;
}

/* Whether a component is "..": the walk refuses it, so that both ways refuse the same. */
static bool goes_up(const char *path)
{
	for (const char *at = path; (at = strstr(at, "..")); at += 2) {
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	}
	return false;
}

int perun_beneath_open(int root, const char *path, int flags, mode_t mode)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC),
			       .mode = flags & O_CREAT ? mode & 07777 : 0,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	long fd = -1;

	if (root == AT_FDCWD)
		return openat(root, path, flags | O_CLOEXEC, mode);
	if (goes_up(path)) {
		errno = EXDEV;
		return -1;
	}
	/* A FIFO in the place of a file keeps nobody waiting; of files this changes nothing. */
	if (!(flags & O_PATH)) {
		flags |= O_NONBLOCK;
		how.flags |= O_NONBLOCK;
	}
	for (int i = 0; i < ATTEMPTS; i++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof how);
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	/* Sandboxes that do not know the call say EPERM; the walk finds out whether that was meant. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return perun_beneath_walk(root, path, flags, mode);
	return (int)fd;
}

/* ---- what has no such call: first the directory, then the name in it -------------------------- */

int perun_beneath_parent(int root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *directory;
	int fd;

	*name = slash && root != AT_FDCWD ? slash + 1 : path;
	if (root != AT_FDCWD && (**name == '\0' || strcmp(*name, "..") == 0)) {
		errno = EXDEV;
		return -1;
	}
	if (*name == path)
		return root;
	directory = perun_strndup(path, (size_t)(slash - path));
	fd = perun_beneath_open(root, directory, O_PATH | O_DIRECTORY, 0);
	perun_free(directory);
	return fd;
}

void perun_beneath_leave(int root, int parent)
{
	if (parent != root && parent >= 0)
		close_quietly(parent);
}

/* AT_FDCWD is negative, too. */
static bool failed(int root, int parent)
{
	return parent < 0 && parent != root;
}

int perun_beneath_stat(int root, const char *path, struct stat *info)
{
	const char *name;
	int parent = perun_beneath_parent(root, path, &name), result = -1;

	if (!failed(root, parent))
		result = fstatat(parent, name, info, AT_SYMLINK_NOFOLLOW);
	perun_beneath_leave(root, parent);
	return result;
}

int perun_beneath_make_directory(int root, const char *path, mode_t mode)
{
	const char *name;
	int parent = perun_beneath_parent(root, path, &name), result = -1;

	if (!failed(root, parent))
		result = mkdirat(parent, name, mode);
	perun_beneath_leave(root, parent);
	return result;
}

int perun_beneath_ensure_directory(int root, const char *path, mode_t mode)
{
	int fd;

	if (perun_beneath_make_directory(root, path, mode) == 0)
		return 0;
	if (errno != EEXIST)
		return -1;
	fd = perun_beneath_open(root, path, O_PATH | O_DIRECTORY, 0);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* Call a function for each directory on the way to a path, from the top. */
static int ensure_parents(int root, const char *path, mode_t mode,
			  int (*ensure)(int root, const char *path, mode_t mode))
{
	char *copy = perun_strdup(path);
	int failed = 0;

	for (char *slash = strchr(copy, '/'); slash && !failed; slash = strchr(slash + 1, '/')) {
		if (slash == copy || slash[-1] == '/')
			continue;
		*slash = '\0';
		failed = ensure(root, copy, mode);
		*slash = '/';
	}
	perun_free(copy);
	return failed;
}

int perun_beneath_ensure_parents(int root, const char *path, mode_t mode)
{
	return ensure_parents(root, path, mode, perun_beneath_ensure_directory);
}

static int ensure_path(int root, const char *path, mode_t mode)
{
	(void)root;
	return perun_path_ensure_directory(path, mode);
}

int perun_path_ensure_parents(const char *path, mode_t mode)
{
	return ensure_parents(AT_FDCWD, path, mode, ensure_path);
}

int perun_path_ensure_directories(const char *path, mode_t mode)
{
	int failed = perun_path_ensure_parents(path, mode);

	return failed ? failed : perun_path_ensure_directory(path, mode);
}

/* Whether both lie in one directory, by their texts. */
static bool same_directory(const char *one, const char *other)
{
	const char *slash = strrchr(one, '/');
	size_t length = slash ? (size_t)(slash - one) + 1 : 0;

	return strncmp(one, other, length) == 0 && !strchr(other + length, '/');
}

int perun_beneath_rename(int root, const char *from, const char *to, unsigned flags)
{
	const char *old, *new;
	int source = perun_beneath_parent(root, from, &old), target = -1, result = -1;

	if (failed(root, source))
		return -1;
	if (root != AT_FDCWD && same_directory(from, to)) {
		target = source;
		new = to + (old - from);
	} else {
		target = perun_beneath_parent(root, to, &new);
	}
	/* Without flags the older call, which all file systems know. */
	if (!failed(root, target))
		result = flags ? renameat2(source, old, target, new, flags)
			       : renameat(source, old, target, new);
	if (target != source)
		perun_beneath_leave(root, target);
	perun_beneath_leave(root, source);
	return result;
}

int perun_beneath_unlink(int root, const char *path, int flags)
{
	const char *name;
	int parent = perun_beneath_parent(root, path, &name), result = -1;

	if (!failed(root, parent))
		result = unlinkat(parent, name, flags);
	perun_beneath_leave(root, parent);
	return result;
}

int perun_beneath_open_own(int root, const char *path, int flags)
{
	int fd = perun_beneath_open(root, path, O_RDWR | O_NONBLOCK | flags, 0666);
	struct stat info;

	/* Another name would be a file of somebody's, linked here so that it is overwritten. */
	if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink > 1)) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	return fd;
}

int perun_beneath_open_locked(int root, const char *path, int flags, int operation)
{
	for (;;) {
		int fd = perun_beneath_open_own(root, path, flags), failed;
		struct stat opened, there;

		if (fd < 0)
			return -1;
		do
			failed = flock(fd, operation);
		while (failed && errno == EINTR);
		if (failed && errno == EWOULDBLOCK) {
			close(fd);
			errno = EWOULDBLOCK;
			return -1;
		}
		/* Whoever held it may have removed it before it was ours. */
		if (fstat(fd, &opened) == 0 &&
		    (root == AT_FDCWD ? stat(path, &there)
				      : perun_beneath_stat(root, path, &there)) == 0 &&
		    opened.st_ino == there.st_ino && opened.st_dev == there.st_dev)
			return fd;
		close(fd);
	}
}
