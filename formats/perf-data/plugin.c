/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: recordings of perf, and perf itself for what is not understood of them. */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/program.h>

#include "formats/common/perf-script.h"
#include "read.h"

static int probe_format(const struct perun_probe *probe)
{
	return probe_starts(probe, "PERFILE2") || probe_starts(probe, "2ELIFREP") ? 100 : 0;
}

static const struct perun_magic magic[] = {{"PERFILE2", 8, 0}, {"2ELIFREP", 8, 0}, {NULL, 0, 0}};

/* Let perf print the recording into a file. */
static int print(struct perun_ctx *ctx, const char *recording, const char *text)
{
	char *from = perun_format("PERUN_RECORDING=%s", recording);
	const char *const environment[] = {from, NULL};
	int file = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), code = 0;
	const struct perun_shell shell = {
		.command = "exec perf script --header -i \"$PERUN_RECORDING\" 2>/dev/null",
		.directory = "/",
		.log = file,
		.environment = environment};
	int status;

	if (file < 0)
		status = perun_fail(ctx, PERUN_INPUT, "cannot write %s", text);
	else
		status = perun_shell_run(ctx, &shell, &code);
	if (file >= 0)
		close(file);
	if (!status && code)
		status = perun_fail(ctx, PERUN_INPUT,
				    code == 127 ? "perf has to read it, which is not installed"
						: "perf script failed (exit status %d)",
				    code);
	perun_free(from);
	return status;
}

static int read_by_perf(struct perun_ctx *ctx, struct perun_input *input, const char *beyond,
			struct perun_builder *builder)
{
	struct perun_scratch scratch = {0};
	struct perun_input *printed = NULL;
	const char *path;
	char *absolute = NULL, *text = NULL;
	int status = perun_input_local_path(ctx, input, &path);

	if (!status)
		status = perun_scratch_make(ctx, "perun-perf", &scratch);
	if (!status) {
		absolute = realpath(path, NULL);
		text = perun_format("%s/script", scratch.path);
		status = print(ctx, absolute ? absolute : path, text);
	}
	if (!status)
		status = perun_input_open(ctx, text, &printed);
	if (!status)
		status = perfscript_read(NULL, ctx, printed, builder);
	if (status)
		perun_fail(ctx, PERUN_OK, "it has %s", beyond);
	perun_input_close(printed);
	perun_scratch_remove(&scratch);
	perun_free(text);
	free(absolute);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct perfdata file;
	int status = perfdata_open(ctx, input, &file);

	(void)instance;
	if (!status && file.beyond)
		status = read_by_perf(ctx, input, file.beyond, builder);
	else if (!status)
		status = perfdata_read(ctx, &file, builder);
	perfdata_close(&file);
	return status;
}

FORMAT_PLUGIN(perf_data, "perf-data", "recordings of Linux perf: perf.data", NULL,
	      .patterns = "perf.data *.perf.data", .magic = magic, .probe = probe_format,
	      .read = read_format, .kept_as = "pprof");
