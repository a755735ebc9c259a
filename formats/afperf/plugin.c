/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options and operations. */
#include "formats/common/afperf/read.h"
#include "formats/common/afperf/record.h"
#include "formats/common/plugin.h"

static const struct perun_option options[] = {
	{.name = "lenient",
	 .type = PERUN_OPTION_FLAG,
	 .help = "leave out records that violate the specification"},
	{.name = "limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = AFPERF_DEFAULT_LIMIT,
	 .help = "the largest record to read"},
	{.name = "frame-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e12,
	 .default_value = "67108864",
	 .help = "how many frames the stacks of nested regions may have in all"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct afperf_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->limit = perun_option_size(given, "limit");
	chosen->frame_limit = (uint64_t)perun_option_integer(given, "frame-limit");
	chosen->lenient = perun_option_flag(given, "lenient");
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	return afperf_read(ctx, instance, input, builder);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || probe->size < AFPERF_HEADER_SIZE)
		return 0;
	return memcmp(probe->data, AFPERF_HEADER, AFPERF_HEADER_SIZE) == 0 ? 100 : 0;
}

static const struct perun_magic magic[] = {{AFPERF_HEADER, AFPERF_HEADER_SIZE, 0}, {NULL, 0, 0}};

static int write_format(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
			struct perun_output *output)
{
	(void)instance;
	return afperf_write(ctx, profile, output);
}

FORMAT_PLUGIN(afperf, "afperf", "AFPerf, measurements of simulation runs", options,
	      .open = open_format, .close = close_format, .patterns = "*.afperf", .magic = magic,
	      .probe = probe_format, .read = read_format, .write = write_format,
	      .exact_bytes = true);
