/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: directories of points that hold databases. */
#include "formats/common/plugin.h"
#include "formats/common/points.h"
#include "nsight.h"

static const struct perun_option options[] = {
	{.name = "piece-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e12,
	 .default_value = "4194304",
	 .help = "reading: into how many pieces the ranges of a file may cut its kernels in all"},
	{.name = "expansion-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "256M",
	 .help = "reading: how much paths of several calls, and pairs of what overlaps, may take, "
		 "besides 16 times the size of the files"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct nsight_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->piece_limit = perun_option_integer(given, "piece-limit");
	chosen->expansion_limit = perun_option_size(given, "expansion-limit");
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

static int probe_format(const struct perun_probe *probe)
{
	return formats_is_of_points(probe) && probe->inner_count &&
			       perun_probe_may_have(probe, ".sqlite")
		       ? 60
		       : 0;
}

static const char *const marks[] = {NULL};

FORMAT_PLUGIN(nsight, "nsight", "directories of databases of Nsight Systems with Extra-Prof",
	      options, .open = open_format, .close = close_format, .contains = marks,
	      .reads_directories = true, .probe = probe_format, .read = nsight_read);
