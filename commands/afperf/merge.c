/* SPDX-License-Identifier: BSD-3-Clause */
/* `perun afperf merge` and `append`: containers one after the other, checked as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "command.h"

/*
 * The parts are copied as they are, each with its header, to a temporary file; if that is valid as a
 * whole it takes the place of the result. A failure or an interruption leaves the old file as it was.
 */

static int write_merged(struct perun_ctx *ctx, int file, const char *data, size_t size)
{
	int error = perun_write_all(file, data, size);

	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write the merged file")
		     : PERUN_OK;
}

/* One part; it must begin with the header, else it would be no boundary. */
static int copy_part(struct afperf_call *call, const char *path, int file)
{
	struct perun_input *input;
	char *block;
	size_t got, total = 0;
	char last = '\n';
	int status = perun_input_open(call->ctx, path, &input);

	if (status)
		return status;
	block = perun_alloc(1 << 20);
	do {
		status = perun_input_read(call->ctx, input, block, 1 << 20, &got);
		if (!status && total == 0 &&
		    (got < AFPERF_HEADER_SIZE ||
		     memcmp(block, AFPERF_HEADER, AFPERF_HEADER_SIZE) != 0))
			status = perun_fail(call->ctx, PERUN_INPUT,
					    "%s: line 1: expected the 16 bytes \"%s\" [Record "
					    "Ordering: file format header]",
					    path, AFPERF_HEADER);
		if (!status && got) {
			last = block[got - 1];
			status = write_merged(call->ctx, file, block, got);
		}
		total += got;
	} while (!status && got > 0);
	if (!status && last != '\n')
		status = write_merged(call->ctx, file, "\n", 1);
	perun_free(block);
	perun_input_close(input);
	return status;
}

/* Each part by itself first: a quote left open in one could hide the next. */
static int check_file(struct afperf_call *call, const char *path, const char *what)
{
	struct afperf_file file = {0};
	int status = afperf_call_read(call, path, &file, NULL);

	afperf_file_free(&file);
	if (status && what)
		return perun_fail(call->ctx, status, "%s", what);
	return status;
}

static int copy_to_output(struct afperf_call *call, int file)
{
	char *block = perun_alloc(1 << 20);
	ssize_t got = 0;
	int status = lseek(file, 0, SEEK_SET) < 0 ? PERUN_INPUT : PERUN_OK;

	while (!status && (got = read(file, block, 1 << 20)) > 0)
		status = perun_output_write(call->output, block, (size_t)got);
	perun_free(block);
	return got < 0 ? PERUN_INPUT : status;
}

/* The new file has the access rights of the one it replaces, or those of any new file. */
static void set_mode(int file, const char *target)
{
	struct stat old;
	mode_t mask;

	if (stat(target, &old) == 0) {
		if (fchmod(file, old.st_mode & 0777) != 0)
			return;
	} else {
		mask = umask(0);
		umask(mask);
		if (fchmod(file, 0666 & ~mask) != 0)
			return;
	}
}

static int put_in_place(struct afperf_call *call, int file, const char *temporary,
			const char *target)
{
	if (!target)
		return copy_to_output(call, file);
	set_mode(file, target);
	if (fsync(file) != 0 || rename(temporary, target) != 0)
		return perun_fail_errno(call->ctx, PERUN_INPUT, errno, "cannot replace %s", target);
	return PERUN_OK;
}

/* `target`: NULL = standard output. */
static int merge(struct afperf_call *call, size_t first, const char *target)
{
	const char *folder = getenv("TMPDIR");
	char *temporary = target ? perun_format("%s.XXXXXX", target)
				 : perun_format("%s/perun-afperf.XXXXXX",
						folder && *folder ? folder : "/tmp");
	size_t files = perun_option_count(call->options, "file");
	int file = mkostemp(temporary, O_CLOEXEC), status = PERUN_OK;

	if (file < 0) {
		status = perun_fail_errno(call->ctx, PERUN_INPUT, errno, "cannot create %s",
					  temporary);
		perun_free(temporary);
		return status;
	}
	for (size_t i = first; i < files && !status; i++) {
		const char *path = perun_option_string_at(call->options, "file", i);

		status = check_file(call, path, NULL);
		if (!status)
			status = copy_part(call, path, file);
	}
	if (!status)
		status = check_file(call, temporary,
				    "the files do not fit together; nothing was written");
	if (!status)
		status = put_in_place(call, file, temporary, target);
	if (status || !target)
		unlink(temporary);
	close(file);
	perun_free(temporary);
	return status;
}

int afperf_run_merge(struct afperf_call *call)
{
	const char *target = perun_option_string(call->options, "output");

	return merge(call, 0, target && strcmp(target, "-") != 0 ? target : NULL);
}

int afperf_run_append(struct afperf_call *call)
{
	if (perun_option_count(call->options, "file") < 2)
		return perun_fail(call->ctx, PERUN_USAGE,
				  "perun afperf append needs a container and the files to append");
	return merge(call, 0, perun_option_string_at(call->options, "file", 0));
}
