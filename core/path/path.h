/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files by whole paths: below a component ".perun" no link is followed, and it is none itself; the rest of
 * a path is the user's own, where links are followed as by any program. For what has a path and no
 * descriptor; like the system calls, -1 and errno on failure.
 */
#ifndef PERUN_CORE_PATH_PATH_H
#define PERUN_CORE_PATH_PATH_H

#include "core/path/beneath.h"

/*
 * The descriptor that `*rest` is relative to: of the ".perun" in the path, or AT_FDCWD when there is none.
 * To be given to perun_path_leave(). -1 and errno when it cannot be opened.
 */
PERUN_EXPORT int perun_path_root(const char *path, const char **rest);
PERUN_EXPORT void perun_path_leave(int root);

PERUN_EXPORT int perun_path_open(const char *path, int flags, mode_t mode);
PERUN_EXPORT int perun_path_open_own(const char *path, int flags);
/*
 * The same, and lock it (`operation` as for flock(), without waiting): the file that has the name then, not
 * one that was removed before. EWOULDBLOCK when another process holds it; where the file system has no
 * locks it is open without one.
 */
PERUN_EXPORT int perun_path_open_locked(const char *path, int flags, int operation);
/* Below .perun a link is not followed: that of the link is given. */
PERUN_EXPORT int perun_path_stat(const char *path, struct stat *info);
PERUN_EXPORT int perun_path_make_directory(const char *path, mode_t mode);
PERUN_EXPORT int perun_path_ensure_directory(const char *path, mode_t mode);
PERUN_EXPORT int perun_path_unlink(const char *path);
/* Both below the same root. */
PERUN_EXPORT int perun_path_rename(const char *from, const char *to);
PERUN_EXPORT int perun_path_remove_tree(const char *path);

/*
 * PERUN_INPUT when an output that the user names lies in a project, which may have come from elsewhere, and
 * a link in the project leads out of it. A project is a directory with .git or .perun in it.
 */
PERUN_EXPORT int perun_path_check_output(struct perun_ctx *ctx, const char *path);

#endif
