/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: its option, and how an experiment is recognized. */
#include <string.h>

#include "extrap-experiment.h"
#include "formats/common/plugin.h"

static const struct perun_option options[] = {
	{.name = "no-models",
	 .type = PERUN_OPTION_FLAG,
	 .help = "writing: measurements alone, without models"},
	{.name = "archive-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "256M",
	 .help = "reading: how large the members of the archive may be, decompressed"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct extrapexperiment_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->no_models = perun_option_flag(given, "no-models");
	chosen->archive_limit = perun_option_size(given, "archive-limit");
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

/* A zip archive whose first members are those of an experiment. */
static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || probe->size < 30 || memcmp(probe->data, "PK\3\4", 4) != 0)
		return 0;
	if (memmem(probe->data, probe->size, "experiment.json", strlen("experiment.json")))
		return 95;
	return memmem(probe->data, probe->size, "Extra-P VALUES", strlen("Extra-P VALUES")) ? 95
											    : 0;
}

static const char *const marks[] = {"experiment.json", "Extra-P VALUES", NULL};

FORMAT_PLUGIN(extrap_experiment, "extrap-experiment", "experiments of Extra-P 4", options,
	      .patterns = "*.extra-p", .open = open_format, .close = close_format,
	      .contains = marks, .probe = probe_format, .read = extrapexperiment_read,
	      .write = extrapexperiment_write);
