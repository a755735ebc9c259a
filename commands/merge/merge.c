/* SPDX-License-Identifier: BSD-3-Clause */
/* perun merge: many files of stacks become one, here or by the cells of a run. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/command.h>
#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/cells.h>
#include <perun/lib/merge.h>
#include <perun/lib/program.h>

#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/common/runs.h"

static const struct perun_option options[] = {
	{.name = "file",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "a profile with stacks, in any format"},
	{.name = "output",
	 .aliases = "-o",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REQUIRED,
	 .help = "the pprof profile that is written"},
	{.name = "list",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "also merge the files whose names are the lines of this one"},
	RUNS_EXECUTOR_OPTIONS("merge parts as tasks of this executor, such as slurm",
			      "partition: batch"),
	{.name = "part",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "100",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6,
	 .help = "files of a task"},
	{.name = "json", .help = "print JSON"},
	{0}};

/* ---- which files ------------------------------------------------------------------------------- */

static int add_list(struct perun_ctx *ctx, const char *path, struct perun_words *files)
{
	FILE *stream = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (!stream)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", path);
	while ((length = getline(&line, &room, stream)) >= 0) {
		length -= length && line[length - 1] == '\n';
		if (length)
			perun_words_add(files, line, (size_t)length);
	}
	free(line);
	fclose(stream);
	return PERUN_OK;
}

static int find_files(struct perun_ctx *ctx, const struct perun_options *given,
		      struct perun_words *files)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < perun_option_count(given, "file"); i++) {
		const char *path = perun_option_string_at(given, "file", i);

		perun_words_add(files, path, strlen(path));
	}
	if (perun_option_given(given, "list"))
		status = add_list(ctx, perun_option_string(given, "list"), files);
	return status || files->count ? status
				      : perun_fail(ctx, PERUN_USAGE, "there are no files to merge");
}

/* ---- by an executor ---------------------------------------------------------------------------- */

/* Lists of absolute paths, and a command of the plan for each. */
static int make_parts(struct perun_ctx *ctx, const struct perun_words *files, size_t size,
		      struct perun_json *parts, struct perun_plan *plan)
{
	for (size_t i = 0; i < files->count; i++) {
		char *path = realpath(files->items[i], NULL);

		if (!path)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s",
						files->items[i]);
		if (i % size == 0) {
			char *text = perun_format("merge part %zu", i / size + 1);

			perun_plan_add(plan, PERUN_PLAN_COMMANDS, text);
			perun_json_append(parts, perun_json_array());
			perun_free(text);
		}
		perun_json_append(perun_json_at(parts, i / size), perun_json_text(path));
		free(path);
	}
	perun_plan_add(plan, PERUN_PLAN_COLLECTORS, "time");
	return PERUN_OK;
}

static int plan_run(struct perun_ctx *ctx, const struct perun_options *given,
		    struct perun_store *store, const struct perun_plan *plan,
		    const struct perun_json *parts, struct perun_run_cells **cells)
{
	const struct perun_run_cells_options how = {
		.struct_size = sizeof how,
		.executor = perun_option_string(given, "executor"),
		.machine = perun_option_string(given, "class"),
		.executor_params = perun_option_string(given, "executor-params"),
		.merging = parts};

	return perun_run_cells_plan(ctx, store, plan, &how, cells, NULL);
}

static int run_parts(struct perun_ctx *ctx, struct perun_store *store,
		     struct perun_run_cells *cells)
{
	struct perun_run_status last = {0};
	size_t submitted;
	int status = perun_run_cells_submit(ctx, store, cells, false, &submitted);

	if (!status)
		perun_note(ctx, "run %s: waiting for %zu part%s merged by %s",
			   perun_run_cells_id(cells), submitted, submitted == 1 ? "" : "s",
			   perun_run_cells_executor(cells));
	if (!status)
		status = perun_run_cells_wait(ctx, store, cells, NULL, NULL, &last);
	if (!status)
		status = runs_check_done(ctx, cells, &last, "part");
	perun_run_status_free(&last);
	return status;
}

/* The merged parts take the place of the files. */
static int merge_elsewhere(struct perun_ctx *ctx, const struct perun_command_call *call,
			   struct perun_words *files)
{
	size_t size = (size_t)perun_option_integer(call->options, "part");
	struct perun_json *parts = perun_json_array();
	struct perun_plan *plan = perun_plan_new();
	struct perun_run_cells *cells = NULL;
	struct perun_words merged = {0};
	struct perun_store *store;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = make_parts(ctx, files, size, parts, plan);
	if (!status)
		status = plan_run(ctx, call->options, store, plan, parts, &cells);
	if (!status)
		status = run_parts(ctx, store, cells);
	for (size_t i = 1; !status && i <= perun_run_cells_count(cells); i++) {
		char *path = NULL;

		status = perun_cell_merged(ctx, cells, i, &path);
		if (!status)
			perun_words_add(&merged, path, strlen(path));
		perun_free(path);
	}
	perun_words_free(files);
	*files = merged;
	perun_run_cells_free(cells);
	perun_plan_free(plan);
	perun_json_free(parts);
	return status;
}

/* ---- the command ------------------------------------------------------------------------------- */

static int write_result(struct perun_ctx *ctx, const char *path,
			const struct perun_profile *profile)
{
	struct perun_output *output = NULL;
	int status = perun_output_open(ctx, path, &output);

	if (status)
		return status;
	status = perun_write_profile(ctx, profile, "pprof", NULL, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	return status;
}

static void print(const struct perun_command_call *call, size_t files,
		  const struct perun_profile *profile)
{
	size_t samples = perun_table_rows(perun_resources(profile));
	const char *path = perun_option_string(call->options, "output");

	if (perun_option_flag(call->options, "json")) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "files", perun_json_int64((int64_t)files));
		perun_json_set(document, "samples", perun_json_int64((int64_t)samples));
		perun_json_set(document, "output", commands_text(path));
		commands_print_json(call, document);
		return;
	}
	perun_output_printf(call->output, "%zu file%s merged into ", files, files == 1 ? "" : "s");
	commands_print_safe(call, path);
	perun_output_printf(call->output, ": %zu sample%s\n", samples, samples == 1 ? "" : "s");
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_words files = {0};
	struct perun_profile *profile = NULL;
	size_t count;
	int status = find_files(ctx, call->options, &files);

	count = files.count;
	if (!status && perun_option_given(call->options, "executor"))
		status = merge_elsewhere(ctx, call, &files);
	if (!status)
		status = perun_merge_files(ctx, (const char *const *)files.items, files.count,
					   PERUN_MERGE_CANONICAL, &profile);
	if (!status)
		status = write_result(ctx, perun_option_string(call->options, "output"), profile);
	if (!status)
		print(call, count, profile);
	perun_profile_unref(profile);
	perun_words_free(&files);
	return status;
}

COMMAND_PLUGIN(merge, "merge", "many profiles with stacks become one",
	       "merge profiles with stacks into one, here or on a cluster", options, run_command);
