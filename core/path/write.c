/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing. */
#include <config.h>

#include <errno.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/path/write.h"

int perun_write_all(int fd, const void *data, size_t size)
{
	const char *rest = data;

	while (size > 0) {
		/* The kernel writes no more than this at once. */
		ssize_t written = write(fd, rest, size < 0x40000000 ? size : 0x40000000);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? errno : EIO;
		rest += written;
		size -= (size_t)written;
	}
	return 0;
}

int path_make_directories(struct perun_ctx *ctx, const char *path)
{
	return perun_path_ensure_directories(path, 0777) == 0
		       ? PERUN_OK
		       : perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", path);
}
