/* SPDX-License-Identifier: BSD-3-Clause */
/* One measurement: a collector on a program with a workload, then the postprocessors. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/postprocess.h>

#include "core/context/clock.h"
#include "core/job/program.h"
#include "core/run/run.h"

/* Rows of the profiles that are in memory until they are registered. */
#define MAX_KEPT_ROWS ((size_t)1000000)

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
static int collect_one(const struct run *run, const struct run_job *job,
		       const struct perun_generated *workload, struct perun_profile **profile)
{
	struct perun_ctx *ctx = run->ctx;
	struct perun_collect_job task = {.struct_size = sizeof task,
					 .command = job->names.command,
					 .arguments = job->names.arguments,
					 .workload = job->workload->label,
					 .directory = run->directory};
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
	if ((status == PERUN_INPUT || status == PERUN_MISSING) && !run->failed)
		explain(run, &task);
	if (status && workload)
		perun_fail(ctx, PERUN_OK, "workload %s", workload->name);
	perun_words_free(&words);
	perun_words_free(&environment);
	return status;
}

/* Collect with one of a generator's workloads, and put it to the others. */
static int collect_generated(const struct run *run, const struct run_job *job,
			     const struct perun_generated *workload, struct perun_profile **all)
{
	struct perun_profile *part = NULL;
	int status = collect_one(run, job, workload, &part);

	if (!status)
		status = perun_workload_collect(run->ctx, workload, part, all);
	perun_profile_unref(part);
	return status;
}

/* One of many: what an earlier session of the run measured is taken. */
static int collect_part(const struct run *run, const struct run_job *job, const char *key,
			size_t part, struct perun_profile **all)
{
	const struct perun_generated *workload = &job->workload->sweep->items[part];
	struct perun_profile *profile = NULL;
	bool kept = false;
	int status = PERUN_OK;

	if (run->journal)
		profile = perun_journal_part(run->journal, run->minor, key, part);
	kept = profile != NULL;
	if (!kept)
		status = collect_one(run, job, workload, &profile);
	if (!status && !kept && run->journal)
		perun_journal_keep_part(run->journal, run->minor, key, part, profile);
	if (!status)
		status = perun_workload_collect(run->ctx, workload, profile, all);
	perun_profile_unref(profile);
	return status;
}

/* All workloads of a generator, in one profile. */
static int collect_sweep(const struct run *run, const struct run_job *job, const char *key,
			 struct perun_profile **profile)
{
	const struct perun_workloads *sweep = job->workload->sweep;
	struct perun_profile *all = NULL;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sweep->count; i++) {
		perun_progress(run->ctx, "workloads", i, sweep->count);
		status = collect_part(run, job, key, i, &all);
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

/* ---- saving ---------------------------------------------------------------------------------- */

struct saving {
	struct run *run;
	const char *key;
};

static int note_saving(void *data, struct perun_ctx *ctx, const char *name, const char *text,
		       size_t length)
{
	struct saving *saving = data;

	return perun_journal_saving(saving->run->journal, ctx, saving->run->minor, saving->key,
				    name, text, length);
}

static void notify(const struct run *run, const struct run_job *job, struct perun_run_event event)
{
	event.job = &job->names;
	event.version = run->minor;
	perun_run_notify(&run->options.listener, event);
}

/* What will be registered when the version is done stays in memory until then, if it is not too much. */
static void keep_profile(struct run *run, struct perun_profile *profile, struct perun_saved *saved)
{
	size_t rows = perun_table_rows(perun_resources(profile));

	if (!run->registers || rows > MAX_KEPT_ROWS - run->kept_rows)
		return;
	run->kept_rows += rows;
	saved->profile = perun_profile_ref(profile);
}

static int save(struct run *run, const struct run_job *job, const char *key,
		struct perun_profile *profile)
{
	struct saving saving = {run, key};
	struct perun_saved saved;
	int status = perun_store_save(run->ctx, run->store, profile, run->options.name_template,
				      run->journal ? note_saving : NULL, &saving, &saved);

	if (status)
		return status;
	if (run->journal) {
		perun_journal_saved(run->journal);
		if (job->workload->sweep)
			perun_journal_drop_parts(run->journal, run->minor, key,
						 job->workload->sweep->count);
	}
	keep_profile(run, profile, &saved);
	PERUN_GROW(run->pending, run->pending_count, run->pending_capacity);
	run->pending[run->pending_count++] = saved;
	run->saved++;
	notify(run, job,
	       (struct perun_run_event){
		       .kind = PERUN_RUN_SAVED, .path = saved.path, .profile = profile});
	return PERUN_OK;
}

int run_measure(const struct run *run, const struct run_job *job, const char *key,
		struct perun_profile **profile, int *failed)
{
	const struct perun_modules *units = &run->plan->units[PERUN_PLAN_POSTPROCESSORS];
	int status;

	*failed = PERUN_OK;
	*profile = NULL;
	if (job->workload->sweep)
		status = collect_sweep(run, job, key, profile);
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

/* What was measured is kept when a postprocessor fails, as it was before that one. */
static int measure(struct run *run, const struct run_job *job, const char *key)
{
	struct perun_profile *profile;
	int failed, status = run_measure(run, job, key, &profile, &failed);

	if (!status)
		status = save(run, job, key, profile);
	perun_profile_unref(profile);
	return status ? status : failed;
}

/* ---- around it ------------------------------------------------------------------------------- */

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

/* Measure between the hooks; post_job learns the outcome, and cannot undo it. */
static int measure_hooked(struct run *run, const struct run_job *job, const char *key)
{
	struct perun_json *facts = run_job_facts(run, job);
	struct perun_hook hook = {sizeof hook,          "pre_job", facts,
				  run->directory,       run->log,  run->log_path,
				  run->options.listener};
	size_t before = run->pending_count;
	int status = perun_hook_run(run->ctx, run->store, &hook);

	if (!status) {
		status = measure(run, job, key);
		hook.name = "post_job";
		perun_json_set(facts, "status", perun_json_int64(status));
		if (run->pending_count > before)
			perun_json_set(facts, "profile",
				       perun_json_text(run->pending[before].path));
		if (!perun_cancelled(run->ctx) && !perun_hook_try(run->ctx, run->store, &hook))
			run->hooks_failed++;
	}
	perun_json_free(facts);
	return status;
}

/* "time of ./prog -x in.txt" */
static char *title_of(const struct perun_run_job *job)
{
	return perun_format("%s of %s%s%s%s%s", job->collector, job->command,
			    *job->arguments ? " " : "", job->arguments, *job->workload ? " " : "",
			    job->workload);
}

/* A line of the version's log. */
static void log_outcome(const struct run *run, const struct run_job *job, double seconds,
			int status)
{
	const char *outcome = status ? perun_ctx_error(run->ctx) : NULL;
	char *title = title_of(&job->names);

	if (!outcome)
		outcome = run->pending_count
				  ? strrchr(run->pending[run->pending_count - 1].path, '/') + 1
				  : "failed";
	if (run->log >= 0)
		dprintf(run->log, "perun: %s: %s (%.3f s)\n", title, outcome, seconds);
	perun_free(title);
}

/* What fails at each of many versions for one reason is described once. */
static void warn_failure(struct run *run, const struct run_job *job)
{
	const char *arguments = job->names.arguments ? job->names.arguments : "";
	const char *workload = job->names.workload ? job->names.workload : "";
	char *line = perun_format("%s%s%s%s%s", job->names.command, *arguments ? " " : "",
				  arguments, *workload ? " " : "", workload);
	char *failure = perun_format("%s: %s", line, perun_ctx_error(run->ctx));

	if (run->last_failure && strcmp(run->last_failure, failure) == 0)
		perun_warn(run->ctx, "%s: failed at %.8s for the same reason", line, run->minor);
	else
		perun_warn(run->ctx, "%s", failure);
	perun_free(line);
	perun_free(run->last_failure);
	run->last_failure = failure;
}

/*
 * One job that fails does not keep the others from being done: with several, the reason becomes a
 * warning. Interruption ends all.
 */
static int note_outcome(struct run *run, const struct run_job *job, int status)
{
	run->jobs++;
	if (!status)
		return PERUN_OK;
	if (status == PERUN_CANCELLED || perun_cancelled(run->ctx))
		return PERUN_CANCELLED;
	run->failed++;
	run->worst = run->worst ? run->worst : status;
	if (run->only)
		return status;
	warn_failure(run, job);
	perun_ctx_clear(run->ctx);
	return PERUN_OK;
}

static void announce(struct run *run, const struct run_job *job)
{
	struct perun_run_event event = {.kind = PERUN_RUN_JOB, .seconds_left = NAN};

	if (run->total > 1) {
		event.number = run->begun;
		event.count = run->total;
	}
	if (run->timed)
		event.seconds_left =
			run->spent / (double)run->timed *
			(double)(run->total >= run->begun ? run->total - run->begun + 1 : 1);
	notify(run, job, event);
}

int run_do(struct run *run, const struct run_job *job)
{
	char *key = perun_format("%s\n%s\n%s\n%zu\n%s", job->names.command, job->names.arguments,
				 job->names.workload, job->unit, job->names.collector);
	double began = clock_now(), seconds;
	int status;

	run->begun++;
	if (run->journal && perun_journal_has(run->journal, run->minor, key)) {
		run->result->kept++;
		perun_free(key);
		return PERUN_OK;
	}
	announce(run, job);
	status = measure_hooked(run, job, key);
	perun_free(key);
	seconds = clock_now() - began;
	run->spent += seconds;
	run->timed++;
	log_outcome(run, job, seconds, status);
	return note_outcome(run, job, status);
}
