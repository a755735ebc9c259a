/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options, and how speedscope's files are recognized. */
#include <string.h>

#include "formats/common/plugin.h"
#include "speedscope.h"

static const struct perun_option options[] = {
	{.name = "profile",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "NAME",
	 .help = "reading: only the profile of that name or number (default: all)"},
	{.name = "frame-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e12,
	 .default_value = "33554432",
	 .help = "reading: how many frames the stacks between events may have in all, besides 128 "
		 "for each event"},
	{.name = "zero-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e15,
	 .default_value = "33554432",
	 .help = "reading: how many cells the metrics may have in all that samples of other "
		 "metrics "
		 "leave empty"},
	{.name = "copy-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e15,
	 .default_value = "33554432",
	 .help = "writing: how many frames samples may have in all where they are written again "
		 "for a further metric"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct speedscope_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->profile = perun_strdup(perun_option_string(given, "profile"));
	chosen->frame_limit = perun_option_integer(given, "frame-limit");
	chosen->zero_limit = (uint64_t)perun_option_integer(given, "zero-limit");
	chosen->copy_limit = perun_option_integer(given, "copy-limit");
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	struct speedscope_options *chosen = instance;

	perun_free(chosen->profile);
	perun_free(chosen);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !probe_has(probe, "{"))
		return 0;
	if (probe_has(probe, "https://www.speedscope.app/file-format-schema.json"))
		return 100;
	return probe_has(probe, "\"shared\"") && probe_has(probe, "\"frames\"") ? 60 : 0;
}

static const char *const marks[] = {"https://www.speedscope.app/file-format-schema.json",
				    "\"shared\"", NULL};

FORMAT_PLUGIN(speedscope, "speedscope", "files of speedscope", options, .open = open_format,
	      .close = close_format, .patterns = "*.speedscope.json *.speedscope",
	      .contains = marks, .probe = probe_format, .read = speedscope_read,
	      .write = speedscope_write);
