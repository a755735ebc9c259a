/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options and operations. */
#include "formats/common/plugin.h"
#include "pprof.h"

static const struct perun_option options[] = {
	{.name = "limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "16G",
	 .help = "the largest size to read, when decompressed"},
	{.name = "zero-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e15,
	 .default_value = "33554432",
	 .help = "writing: how many zeros samples may get for metrics that they do not have"},
	{.name = "plain", .type = PERUN_OPTION_FLAG, .help = "write without gzip"},
	{.name = "paths",
	 .type = PERUN_OPTION_FLAG,
	 .help = "stacks as paths of their callers, which take less room and only Perun reads, by "
		 "this option"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct pprof_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->limit = perun_option_size(given, "limit");
	chosen->zero_limit = (uint64_t)perun_option_integer(given, "zero-limit");
	chosen->plain = perun_option_flag(given, "plain");
	chosen->paths = perun_option_flag(given, "paths");
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
	return pprof_read(ctx, instance, input, builder);
}

static int write_format(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
			struct perun_output *output)
{
	return pprof_write(ctx, instance, profile, output);
}

FORMAT_PLUGIN(pprof, "pprof", "profile.proto, the profiles of pprof", options, .open = open_format,
	      .close = close_format, .patterns = "*.pb.gz *.pprof *.prof *.pb",
	      .probe = pprof_probe, .read = read_format, .write = write_format);
