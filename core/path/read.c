/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files as a whole. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/path/read.h"

int path_read(struct perun_ctx *ctx, const char *path, size_t limit, struct perun_buffer *text)
{
	int file = perun_path_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), error;
	size_t start = text->length;
	struct stat facts;
	ssize_t got = 1;

	if (file < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
		close(file);
		return perun_fail(ctx, PERUN_INPUT, "%s is not a file", path);
	}
	while (got > 0 && text->length - start <= limit) {
		got = read(file, perun_buffer_reserve(text, 1 << 16), 1 << 16);
		if (got > 0)
			text->length += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	error = errno;
	close(file);
	if (got < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot read %s", path);
	if (text->length - start > limit)
		return perun_fail(ctx, PERUN_INPUT, "%s has more than %zu bytes", path, limit);
	return PERUN_OK;
}
