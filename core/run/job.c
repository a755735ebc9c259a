/* SPDX-License-Identifier: BSD-3-Clause */
/* One measurement: a collector on a program with a workload, then the postprocessors. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>

#include <perun/collect.h>
#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/path.h>
#include <perun/postprocess.h>

#include "core/job/program.h"
#include "core/run/run.h"

/* ---- the profile ----------------------------------------------------------------------------- */

/* How the program was run, where the words of its command line do not say so. */
static void describe_run(struct perun_json *document, const struct perun_json *described)
{
	static const char *const keys[][2] = {
		{"stdin", "stdin"}, {"env", "environment"}, {"shell", "shell"}};
	struct perun_json *header = perun_json_get(document, "header");

	for (size_t i = 0; header && i < sizeof keys / sizeof *keys; i++) {
		const struct perun_json *value = perun_json_get(described, keys[i][0]);

		if (value)
			perun_json_set(header, keys[i][1], perun_json_clone(value));
	}
}

static int set_origin(struct perun_ctx *ctx, const char *minor, const struct perun_json *described,
		      struct perun_profile **profile)
{
	struct perun_builder *builder = perun_builder_from(*profile);
	struct perun_profile *changed;
	int status;

	if (*minor)
		perun_json_set(perun_builder_document(builder), "origin", perun_json_text(minor));
	describe_run(perun_builder_document(builder), described);
	status = perun_builder_finish(ctx, builder, &changed);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = changed;
	return PERUN_OK;
}

/* Apply a unit such as "moving_average" with its words, the variant's name perhaps among them. */
static int apply_unit(struct perun_ctx *ctx, const struct perun_module *unit,
		      struct perun_profile **profile)
{
	struct perun_profile *result;
	int status = perun_postprocess(ctx, *profile, unit->name, NULL,
				       (const char *const *)unit->arguments, &result);

	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = result;
	return PERUN_OK;
}

static void explain(const struct run *run, const struct perun_collect_job *task)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_words words = {0};
	bool split = task->argv || (!perun_split_words(quiet, task->command, &words) &&
				    !perun_split_words(quiet, task->arguments, &words) &&
				    !perun_split_words(quiet, task->workload, &words));

	if (split)
		perun_warn_of_missing_paths(run->ctx, task->argv ? task->argv : words.items,
					    run->directory);
	perun_words_free(&words);
	perun_ctx_free(quiet);
}

/* Collect with one workload; that of a generator is one word, whatever is in it. */
static int collect_one(struct run *run, const struct run_job *job,
		       const struct perun_generated *workload, struct perun_profile **profile)
{
	struct perun_ctx *ctx = run->ctx;
	struct perun_collect_job task = {.struct_size = sizeof task,
					 .command = job->names.command,
					 .arguments = job->names.arguments,
					 .workload = job->workload->label,
					 .directory = run->directory,
					 .built_in = run->built_in};
	const struct perun_json *described = job->workload->described;
	struct perun_words words = {0}, environment = {0};
	int status = PERUN_OK;

	if (run->launch)
		status = perun_split_words(ctx, run->launch, &words);
	if (!status && (workload || described || run->launch)) {
		status = perun_workload_words(ctx, &job->names, described,
					      workload ? workload->argument : NULL, &words);
		perun_workload_environment(described, &environment);
		task.argv = words.items;
		task.environment = (const char *const *)environment.items;
		task.input = perun_json_as_string(perun_json_get(described, "stdin"), NULL);
	}
	if (!status)
		status = perun_collect(ctx, job->collector->name,
				       (const char *const *)job->collector->arguments, &task,
				       profile);
	if ((status == PERUN_INPUT || status == PERUN_MISSING) && !run->explained) {
		explain(run, &task);
		run->explained = true;
	}
	if (status && workload)
		perun_fail(ctx, PERUN_OK, "workload %s", workload->name);
	perun_words_free(&words);
	perun_words_free(&environment);
	return status;
}

/* Collect with one of a generator's workloads, and put it to the others. */
static int collect_generated(struct run *run, const struct run_job *job,
			     const struct perun_generated *workload, struct perun_profile **all)
{
	struct perun_profile *part = NULL;
	int status = collect_one(run, job, workload, &part);

	if (!status)
		status = perun_workload_collect(run->ctx, workload, part, all);
	perun_profile_unref(part);
	return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static char *part_path(const struct run *run, size_t part)
{
	return perun_format("%s/part-%zu.perf", run->parts, part);
}

/* What an earlier attempt measured; NULL = nothing. */
static struct perun_profile *read_part(const struct run *run, size_t part)
{
	char *path = part_path(run, part);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;
	struct stat info;

	if (perun_path_stat(path, &info) != 0 || perun_read_profile_file(quiet, path, &profile))
		profile = NULL;
	perun_ctx_free(quiet);
	perun_free(path);
	return profile;
}

/* For the next attempt. A part that cannot be kept is measured again. */
static void keep_part(const struct run *run, size_t part, const struct perun_profile *profile)
{
	char *path = part_path(run, part);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_output *output = NULL;

	if (perun_output_open(quiet, path, &output) == PERUN_OK) {
		if (perun_write_profile(quiet, profile, "perun", NULL, output) == PERUN_OK)
			perun_output_commit(quiet, output);
		perun_output_close(output);
	}
	perun_ctx_free(quiet);
	perun_free(path);
}

void run_drop_parts(const struct run *run, const struct run_job *job)
{
	const struct perun_workloads *sweep = job->workload->sweep;

	for (size_t i = 0; sweep && i < sweep->count; i++) {
		char *path = part_path(run, i);

		perun_path_unlink(path);
		perun_free(path);
	}
}

/* One of many: what an earlier attempt measured is taken. */
static int collect_part(struct run *run, const struct run_job *job, size_t part,
			struct perun_profile **all)
{
	const struct perun_generated *workload = &job->workload->sweep->items[part];
	struct perun_profile *profile = read_part(run, part);
	int status = PERUN_OK;

	if (!profile) {
		status = collect_one(run, job, workload, &profile);
		if (!status)
			keep_part(run, part, profile);
	}
	if (!status)
		status = perun_workload_collect(run->ctx, workload, profile, all);
	perun_profile_unref(profile);
	return status;
}

/* All workloads of a generator, in one profile. */
static int collect_sweep(struct run *run, const struct run_job *job, struct perun_profile **profile)
{
	const struct perun_workloads *sweep = job->workload->sweep;
	struct perun_profile *all = NULL;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sweep->count; i++) {
		perun_progress(run->ctx, "workloads", i, sweep->count);
		status = collect_part(run, job, i, &all);
		if (!status && perun_cancelled(run->ctx))
			status = perun_fail(run->ctx, PERUN_CANCELLED, "interrupted");
	}
	perun_progress(run->ctx, "workloads", sweep->count, sweep->count);
	if (status)
		perun_profile_unref(all);
	else
		*profile = all;
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int run_measure(struct run *run, const struct run_job *job, struct perun_profile **profile,
		int *failed)
{
	const struct perun_modules *units = &run->plan->units[PERUN_PLAN_POSTPROCESSORS];
	int status;

	*failed = PERUN_OK;
	*profile = NULL;
	if (job->workload->sweep)
		status = collect_sweep(run, job, profile);
	else if (job->workload->single)
		status = collect_generated(run, job, job->workload->single, profile);
	else
		status = collect_one(run, job, NULL, profile);
	for (size_t i = 0; !status && !*failed && i < units->count; i++)
		*failed = apply_unit(run->ctx, &units->items[i], profile);
	if (*failed == PERUN_CANCELLED)
		status = *failed;
	if (!status)
		status = set_origin(run->ctx, run->minor, job->workload->described, profile);
	return status;
}

struct perun_json *run_job_facts(const struct run *run, const struct run_job *job)
{
	struct perun_json *facts = perun_json_object();

	perun_json_set(facts, "version", perun_json_text(run->minor));
	perun_json_set(facts, "directory", perun_json_text(run->directory));
	perun_json_set(facts, "cmd", perun_json_text(job->names.command));
	perun_json_set(facts, "args", perun_json_text(job->names.arguments));
	perun_json_set(facts, "workload", perun_json_text(job->names.workload));
	perun_json_set(facts, "collector", perun_json_text(job->names.collector));
	return facts;
}
