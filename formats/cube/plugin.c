/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options, and how files of Cube and directories of them are recognized. */
#include <fnmatch.h>
#include <string.h>

#include "cube.h"
#include "formats/common/plugin.h"
#include "formats/common/points.h"
#include "formats/common/stacks.h"

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
	STACKS_FRAME_LIMIT,
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
	chosen->frame_limit = (uint64_t)perun_option_integer(given, "frame-limit");
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

/* A tar archive of members that Score-P names. */
static bool is_file_of_cube(const struct perun_probe *probe)
{
	const char *data = probe->data;

	return fnmatch("?*.cubex", probe->name, 0) == 0 && probe->size > 262 &&
	       memcmp(data + 257, "ustar", 5) == 0;
}

static int probe_format(const struct perun_probe *probe)
{
	if (!probe->directory)
		return is_file_of_cube(probe) ? 90 : 0;
	for (size_t i = 0; i < probe->entry_count; i++) {
		if (strcmp(probe->entries[i], CUBE_PROFILE) == 0)
			return 90;
	}
	return formats_is_of_points(probe) && perun_probe_may_have(probe, ".cubex") ? 50 : 0;
}

/* One run, or a directory for each point of an experiment? */
static int is_run(struct perun_ctx *ctx, struct perun_input *input, bool *is)
{
	const char *const *names;
	size_t count = 0;
	int status = PERUN_OK;

	*is = !perun_input_is_directory(input);
	if (!*is)
		status = perun_input_list(ctx, input, &names, &count);
	for (size_t i = 0; i < count && !status; i++)
		*is |= strcmp(names[i], CUBE_PROFILE) == 0;
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	bool run;
	int status = is_run(ctx, input, &run);

	if (status)
		return status;
	return run ? cube_read_profile(instance, ctx, input, builder)
		   : cube_read_experiment(instance, ctx, input, builder);
}

static const char *const marks[] = {NULL};

FORMAT_PLUGIN(cube, "cube", "files of Cube (Score-P), and directories of them", options,
	      .open = open_format, .close = close_format, .patterns = "*.cubex", .contains = marks,
	      .reads_directories = true, .probe = probe_format, .read = read_format,
	      .write = cube_write, .writes_directory = true);
