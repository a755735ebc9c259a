/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files below a directory that others may have filled: a clone, an archive, a shared place. No symbolic
 * link is followed on the way, nor at its end, and ".." does not lead out.
 */
#ifndef PERUN_CORE_PATH_BENEATH_H
#define PERUN_CORE_PATH_BENEATH_H

#include <sys/stat.h>

#include <perun/context.h>

/*
 * All are like the system calls they are named after: -1 and errno on failure, ELOOP where a symbolic link
 * is in the way, EXDEV where the path leads out. `root` is the descriptor of a directory, and `path` is
 * relative to it. With AT_FDCWD the path is the caller's own: then links are followed as usual.
 */
PERUN_EXPORT int perun_beneath_open(int root, const char *path, int flags, mode_t mode);
/* Of the file itself, also where it is a link. */
PERUN_EXPORT int perun_beneath_stat(int root, const char *path, struct stat *info);
PERUN_EXPORT int perun_beneath_make_directory(int root, const char *path, mode_t mode);
/* The same, where a directory that is there already will do. */
PERUN_EXPORT int perun_beneath_ensure_directory(int root, const char *path, mode_t mode);
/* `flags` as for renameat2(). */
PERUN_EXPORT int perun_beneath_rename(int root, const char *from, const char *to, unsigned flags);
/* `flags` as for unlinkat(). */
PERUN_EXPORT int perun_beneath_unlink(int root, const char *path, int flags);
/*
 * Open a file that is written in place, such as a lock or a journal. Only a regular file with no other name
 * is opened: EPERM otherwise. `flags` go beside O_RDWR, such as O_CREAT (0666).
 */
PERUN_EXPORT int perun_beneath_open_own(int root, const char *path, int flags);
/*
 * The directory that holds `path`, as a descriptor for the *at() calls, and its last component. Close it
 * with perun_beneath_leave(), which keeps errno and knows when it is `root` itself.
 */
PERUN_EXPORT int perun_beneath_parent(int root, const char *path, const char **name);
PERUN_EXPORT void perun_beneath_leave(int root, int parent);

/* What perun_beneath_open() does where the kernel has no openat2(), before Linux 5.6. */
PERUN_EXPORT int perun_beneath_walk(int root, const char *path, int flags, mode_t mode);

/*
 * Remove a file or a directory with all that is in it, if it is there, also directories that nobody may
 * write. What is mounted in it stays. 0, or -1 and the errno of the first thing that could not be removed.
 */
PERUN_EXPORT int perun_beneath_remove_tree(int root, const char *path);

/* Room for 16 hexadecimal digits that nobody can guess, and a NUL. */
#define PERUN_RANDOM_SIZE 17
PERUN_EXPORT void perun_random_digits(char digits[PERUN_RANDOM_SIZE]);

#endif
