/* SPDX-License-Identifier: BSD-3-Clause */
/* Removing a directory with all that is in it: relative to descriptors, so that no link is followed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

/* Each level takes a descriptor; what is deeper is moved up first. */
#define MAX_DEPTH 32

struct removal {
	dev_t device; /* what is mounted below is not ours */
	int top;
	int error; /* the first one */
	bool moved;
};

static void note(struct removal *removal)
{
	if (!removal->error && errno != ENOENT)
		removal->error = errno;
}

/* Open a directory to empty it, making it writable first if it is not (caches of builds). */
static int open_directory(int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags);
	struct stat info;

	if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(parent, name, flags);
	if (fd >= 0 && fstat(fd, &info) == 0 && (info.st_mode & 0700) != 0700 &&
	    fchmod(fd, 0700) != 0) {
		/* Whatever cannot be removed for that is reported. */
	}
	return fd;
}

/* Put a directory that lies too deep into the topmost one, where it is found again. */
static void move_up(struct removal *removal, int parent, const char *name)
{
	char digits[PERUN_RANDOM_SIZE];

	perun_random_digits(digits);
	if (renameat(parent, name, removal->top, digits) == 0)
		removal->moved = true;
	else
		note(removal);
}

static void empty(struct removal *removal, int fd, int depth);

static void remove_directory(struct removal *removal, int parent, const char *name, int depth)
{
	int fd = open_directory(parent, name);
	struct stat info;

	if (fd < 0) {
		note(removal);
		return;
	}
	if (fstat(fd, &info) != 0 || info.st_dev != removal->device) {
		errno = EBUSY;
		note(removal);
		close(fd);
		return;
	}
	if (depth < MAX_DEPTH) {
		empty(removal, fd, depth + 1);
		if (unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY)
			note(removal);
	} else {
		close(fd);
		move_up(removal, parent, name);
	}
}

/* Takes `fd`. */
static void empty(struct removal *removal, int fd, int depth)
{
	DIR *stream = fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		note(removal);
		close(fd);
		return;
	}
	while ((entry = readdir(stream))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (unlinkat(fd, name, 0) == 0)
			continue;
		if (errno == EISDIR || errno == EPERM)
			remove_directory(removal, fd, name, depth);
		else
			note(removal);
	}
	closedir(stream);
}

int perun_beneath_remove_tree(int root, const char *path)
{
	struct removal removal = {.top = -1};
	struct stat info;
	const char *name;
	int parent = perun_beneath_parent(root, path, &name), result = 0;

	if (parent < 0 && parent != root)
		return errno == ENOENT ? 0 : -1;
	if (unlinkat(parent, name, 0) != 0 && errno != ENOENT) {
		removal.top = errno == EISDIR || errno == EPERM ? open_directory(parent, name) : -1;
		if (removal.top < 0 || fstat(removal.top, &info) != 0)
			note(&removal);
		else
			removal.device = info.st_dev;
		do {
			removal.moved = false;
			if (removal.top >= 0)
				empty(&removal,
				      openat(removal.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				      0);
		} while (removal.moved && !removal.error);
		if (removal.top >= 0 && unlinkat(parent, name, AT_REMOVEDIR) != 0)
			note(&removal);
	}
	if (removal.top >= 0)
		close(removal.top);
	perun_beneath_leave(root, parent);
	if (removal.error) {
		errno = removal.error;
		result = -1;
	}
	return result;
}
