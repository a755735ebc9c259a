/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files in places that others may have filled: a clone, an archive, a shared directory.
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these.
 */
#ifndef PERUN_LIB_PATH_H
#define PERUN_LIB_PATH_H

#include <sys/stat.h>
#include <sys/types.h>

#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is after the last slash of a path, as a part of it; all of it where there is none. */
PERUN_EXPORT const char *perun_path_base_name(const char *path);

/* ---- below a directory ------------------------------------------------------------------------- */

/*
 * No symbolic link is followed on the way, nor at its end, and ".." does not lead out.
 */

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
/* The same of all directories above a path. */
PERUN_EXPORT int perun_beneath_ensure_parents(int root, const char *path, mode_t mode);
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
 * The same, and lock it (`operation` as for flock(), which waits unless LOCK_NB is in it): the file that has the name
 * then, not one that was removed before. EWOULDBLOCK when another process holds it and this one is not to wait; where
 * the file system has no locks it is open without one.
 */
PERUN_EXPORT int perun_beneath_open_locked(int root, const char *path, int flags, int operation);
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

/* ---- by whole paths ---------------------------------------------------------------------------- */

/*
 * Below a component ".perun" no link is followed, and it is not a link itself; the rest of a path is the user's
 * own, where links are followed as by any program. For what has a path and no descriptor; like the system
 * calls, -1 and errno on failure.
 */

/*
 * The descriptor that `*rest` is relative to: of the ".perun" in the path, or AT_FDCWD when there is none.
 * To be given to perun_path_leave(). -1 and errno when it cannot be opened.
 */
PERUN_EXPORT int perun_path_root(const char *path, const char **rest);
PERUN_EXPORT void perun_path_leave(int root);

PERUN_EXPORT int perun_path_open(const char *path, int flags, mode_t mode);
PERUN_EXPORT int perun_path_open_own(const char *path, int flags);
/* The same, and lock it as perun_beneath_open_locked() does, without waiting. */
PERUN_EXPORT int perun_path_open_locked(const char *path, int flags, int operation);
/* Below .perun a link is not followed: that of the link is given. */
PERUN_EXPORT int perun_path_stat(const char *path, struct stat *info);
PERUN_EXPORT int perun_path_make_directory(const char *path, mode_t mode);
PERUN_EXPORT int perun_path_ensure_directory(const char *path, mode_t mode);
PERUN_EXPORT int perun_path_ensure_parents(const char *path, mode_t mode);
/* A directory with those above it. */
PERUN_EXPORT int perun_path_ensure_directories(const char *path, mode_t mode);
PERUN_EXPORT int perun_path_unlink(const char *path);
/* Both below the same root. */
PERUN_EXPORT int perun_path_rename(const char *from, const char *to);
PERUN_EXPORT int perun_path_remove_tree(const char *path);

/*
 * PERUN_INPUT when an output that the user names lies in a project, which may have come from elsewhere, and
 * a link in the project leads out of it. A project is a directory with .git or .perun in it.
 */
PERUN_EXPORT int perun_path_check_output(struct perun_ctx *ctx, const char *path);

/* ---- what is in files -------------------------------------------------------------------------- */

/* Write everything; 0 or an errno. */
PERUN_EXPORT int perun_write_all(int fd, const void *data, size_t size);
/* Append what is left to read of an open file; a NUL, which does not count, is after it. 0 or an errno. */
PERUN_EXPORT int perun_read_all(int fd, struct perun_buffer *text);
/* The same of a whole file, opened as by perun_path_open(). */
PERUN_EXPORT int perun_path_read(const char *path, struct perun_buffer *text);
/*
 * Write a file in one step: whoever opens it finds what was there before or all of the new content. It is not
 * flushed, so this is for what can be made again. 0, or -1 and errno: then nothing has changed.
 */
PERUN_EXPORT int perun_path_replace(const char *path, const void *data, size_t size, mode_t mode);

/*
 * The path of NAME in the user's cache directory, $XDG_CACHE_HOME/perun or ~/.cache/perun; the caller frees it. NULL = there
 * is none of the user's own: what root leaves in another user's home would be in the way there.
 */
PERUN_EXPORT char *perun_user_cache(const char *name);

/* Room for 16 hexadecimal digits that nobody can guess, and a NUL. */
#define PERUN_RANDOM_SIZE 17
PERUN_EXPORT void perun_random_digits(char digits[PERUN_RANDOM_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
