/* SPDX-License-Identifier: BSD-3-Clause */
/* A path on disk with the content of an input, for libraries that want one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context/context.h"
#include "core/format/input.h"
#include "core/path/write.h"

static char *temporary_name(void)
{
	const char *folder = getenv("TMPDIR");

	return perun_format("%s/perun-XXXXXX", folder && *folder ? folder : "/tmp");
}

int perun_input_local_path(struct perun_ctx *ctx, struct perun_input *input, const char **path)
{
	const void *data;
	size_t size;
	int status, fd, error;

	if (input->archive)
		return perun_fail(ctx, PERUN_INPUT, "%s is not on disk", input->name);
	*path = input->local_path ? input->local_path : input->name;
	if (input->local_path || input->kind == PERUN_INPUT_DIRECTORY)
		return PERUN_OK;
	status = perun_input_start(ctx, input);
	if (status || (input->kind == PERUN_INPUT_FILE && !input->compressed))
		return status;
	status = perun_input_map(ctx, input, 0, &data, &size);
	if (status)
		return status;
	input->local_path = temporary_name();
	fd = mkostemp(input->local_path, O_CLOEXEC);
	if (fd >= 0)
		perun_leftover_add(input->local_path);
	error = fd < 0 ? errno : perun_write_all(fd, data, size);
	if (fd >= 0 && close(fd) != 0 && !error)
		error = errno;
	if (error) {
		status = perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s",
					  input->local_path);
		if (fd >= 0) {
			unlink(input->local_path);
			perun_leftover_remove(input->local_path);
		}
		perun_free(input->local_path);
		input->local_path = NULL;
		*path = NULL;
		return status;
	}
	*path = input->local_path;
	return PERUN_OK;
}
