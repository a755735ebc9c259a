/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: which of the kinds of profiles a file is. */
#include "formats/common/plugin.h"
#include "legacy.h"

static const struct perun_option options[] = {
	{.name = "expansion-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "64M",
	 .help = "reading: how much the lines of a memory map may take once variables are "
		 "replaced"},
	{.name = NULL},
};

struct settings {
	uint64_t expansion_limit;
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct settings *settings = perun_alloc_zero(1, sizeof *settings);

	(void)ctx;
	(void)subcommand;
	settings->expansion_limit = perun_option_size(given, "expansion-limit");
	*instance = settings;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

typedef int reader(struct legacy_profile *profile, struct legacy_lines *lines);

/* The reader for a text, and `lines` on the line that says so; NULL when it is not one of ours. */
static reader *find_reader(struct legacy_lines *lines)
{
	if (!legacy_next_line(lines))
		return NULL;
	if (legacy_is_heap(lines->line))
		return legacy_read_heap;
	if (legacy_is_java(*lines))
		return legacy_read_java;
	if (legacy_is_contention(lines->line))
		return legacy_read_contention;
	if (legacy_is_empty(lines->line) && !legacy_skip_empty(lines))
		return NULL;
	if (legacy_is_count(lines->line))
		return legacy_read_count;
	if (legacy_is_threads(lines->line))
		return legacy_read_threads;
	return NULL;
}

static int probe_format(const struct perun_probe *probe)
{
	const char *data = probe->data;
	struct legacy_lines lines = {.rest = {data, data + probe->size}};

	if (probe->directory || !probe->size)
		return 0;
	return legacy_is_cpu(data, probe->size) || find_reader(&lines) ? 85 : 0;
}

static int read_data(struct legacy_profile *profile, struct perun_input *input, const char *data,
		     size_t size)
{
	struct legacy_lines lines = {
		.ctx = profile->ctx, .input = input, .rest = {data, data + size}};
	reader *read;

	if (!size)
		return perun_fail(profile->ctx, PERUN_INPUT, "the file is empty");
	if (legacy_is_cpu(data, size))
		return legacy_read_cpu(profile, data, size);
	read = find_reader(&lines);
	if (read)
		return read(profile, &lines);
	return perun_fail(profile->ctx, PERUN_INPUT,
			  "expected the header of a CPU profile (the words 0 3 0|1 PERIOD 0), or a "
			  "line \"heap profile: ... @ ...\", \"TYPE profile: total N\", "
			  "\"--- threadz 1 ---\", \"--- contentionz 1 ---\", \"--- mutex:\", "
			  "\"--- contention:\" or \"--- heapz 1 ---\" at its start");
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	const struct settings *settings = instance;
	struct legacy_profile profile = {.ctx = ctx,
					 .input = input,
					 .builder = builder,
					 .expansion_left = settings->expansion_limit};
	const void *data;
	size_t size;
	int status = perun_input_map(ctx, input, 0, &data, &size);

	if (status)
		return status;
	status = read_data(&profile, input, data, size);
	if (!status)
		status = legacy_emit(&profile);
	legacy_free(&profile);
	return status;
}

FORMAT_PLUGIN(pprof_legacy, "pprof-legacy",
	      "older profiles that pprof reads: heap, CPU, threads, contention", options,
	      .open = open_format, .close = close_format, .probe = probe_format,
	      .read = read_format);
