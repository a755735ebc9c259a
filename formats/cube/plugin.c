/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options, and how a directory of Cube measurements is recognized. */
#include <string.h>

#include "cube.h"
#include "formats/common/plugin.h"
#include "formats/common/points.h"

static const struct perun_option options[] = {
	{.name = "scaling",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "weak weak_threaded strong",
	 .default_value = "weak",
	 .help = "take the values of all locations as such, without those of idle threads, or "
		 "their sum"},
	{.name = "inclusive", .type = PERUN_OPTION_FLAG, .help = "values with those of callees"},
	{.name = "all-metrics",
	 .type = PERUN_OPTION_FLAG,
	 .help = "also metrics below others, not only those at the top of the tree"},
	{.name = "archive-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "4G",
	 .help = "reading: how large a file may be when all in it is decompressed"},
	{.name = "expansion-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "256M",
	 .help = "reading: how much memory the names of call paths and the values of all call "
		 "paths at all points may take, besides 16 times the size of the files"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct cube_options *chosen = perun_alloc_zero(1, sizeof *chosen);
	const char *scaling = perun_option_string(given, "scaling");

	(void)ctx;
	(void)subcommand;
	chosen->scaling = strcmp(scaling, "strong") == 0 ? CUBE_STRONG
			  : strcmp(scaling, "weak") == 0 ? CUBE_WEAK
							 : CUBE_WEAK_THREADED;
	chosen->inclusive = perun_option_flag(given, "inclusive");
	chosen->all_metrics = perun_option_flag(given, "all-metrics");
	chosen->archive_limit = perun_option_size(given, "archive-limit");
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
	return formats_is_of_points(probe) && perun_probe_may_have(probe, ".cubex") ? 50 : 0;
}

static const char *const marks[] = {NULL};

FORMAT_PLUGIN(cube, "cube", "directories of Cube files (Score-P)", options, .open = open_format,
	      .close = close_format, .contains = marks, .reads_directories = true,
	      .probe = probe_format, .read = cube_read, .write = cube_write,
	      .writes_directory = true);
