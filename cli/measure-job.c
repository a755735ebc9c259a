/* SPDX-License-Identifier: BSD-3-Clause */
/* One measurement: a collector on a program with a workload, then the postprocessors. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/postprocess.h>

#include "cli/facts.h"
#include "cli/hooks.h"
#include "cli/measuring.h"
#include "core/job/words.h"

/* ---- the profile ----------------------------------------------------------------------------- */

static int set_origin(struct cli *cli, const char *minor, struct perun_profile **profile)
{
	struct perun_builder *builder = perun_builder_from(*profile);
	struct perun_profile *changed;
	int status;

	perun_json_set(perun_builder_document(builder), "origin", perun_json_text(minor));
	status = perun_builder_finish(cli->ctx, builder, &changed);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = changed;
	return PERUN_OK;
}

/* Apply a unit such as "moving_average" with its words, the variant's name perhaps among them. */
static int apply_unit(struct cli *cli, const struct cli_unit *unit, struct perun_profile **profile)
{
	struct perun_profile *result;
	int status = perun_postprocess(cli->ctx, *profile, unit->name, NULL,
				       (const char *const *)unit->arguments, &result);

	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = result;
	return PERUN_OK;
}

/* Collect with one workload; that of a generator is one word, whatever is in it. */
static int collect_one(const struct measuring *run, const struct measuring_job *job,
		       const struct perun_generated *workload, struct perun_profile **profile)
{
	struct perun_ctx *ctx = run->cli->ctx;
	struct perun_collect_job task = {.struct_size = sizeof task,
					 .command = job->cmd,
					 .arguments = job->args,
					 .workload = job->workload->label,
					 .directory = run->directory};
	struct perun_words words = {0};
	int status = PERUN_OK;

	if (workload) {
		status = perun_split_words(ctx, job->cmd, &words);
		if (!status)
			status = perun_split_words(ctx, job->args, &words);
		perun_words_add(&words, workload->argument, strlen(workload->argument));
		task.argv = words.items;
	}
	if (!status)
		status = perun_collect(ctx, job->collector->name,
				       (const char *const *)job->collector->arguments, &task,
				       profile);
	if (status && workload)
		perun_fail(ctx, PERUN_OK, "workload %s", workload->name);
	perun_words_free(&words);
	return status;
}

/* Collect with one of a generator's workloads, and put it to the others. */
static int collect_generated(const struct measuring *run, const struct measuring_job *job,
			     const struct perun_generated *workload, struct perun_profile **all)
{
	struct perun_profile *part = NULL;
	int status = collect_one(run, job, workload, &part);

	if (!status)
		status = perun_workload_collect(run->cli->ctx, workload, part, all);
	perun_profile_unref(part);
	return status;
}

/* One of many: what an earlier session of the run measured is taken. */
static int collect_part(const struct measuring *run, const struct measuring_job *job,
			const char *key, size_t part, struct perun_profile **all)
{
	const struct perun_generated *workload = &job->workload->sweep->items[part];
	struct perun_profile *profile = NULL;
	bool kept = false;
	int status = PERUN_OK;

	if (run->journal)
		profile = cli_journal_part(run->journal, run->minor, key, part);
	kept = profile != NULL;
	if (!kept)
		status = collect_one(run, job, workload, &profile);
	if (!status && !kept && run->journal)
		cli_journal_keep_part(run->journal, run->minor, key, part, profile);
	if (!status)
		status = perun_workload_collect(run->cli->ctx, workload, profile, all);
	perun_profile_unref(profile);
	return status;
}

/* All workloads of a generator, in one profile. */
static int collect_sweep(const struct measuring *run, const struct measuring_job *job,
			 const char *key, struct perun_profile **profile)
{
	const struct perun_workloads *sweep = job->workload->sweep;
	struct perun_profile *all = NULL;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sweep->count; i++) {
		perun_progress(run->cli->ctx, "workloads", i, sweep->count);
		status = collect_part(run, job, key, i, &all);
		if (!status && perun_cancelled(run->cli->ctx))
			status = perun_fail(run->cli->ctx, PERUN_CANCELLED, "interrupted");
	}
	perun_progress(run->cli->ctx, "workloads", sweep->count, sweep->count);
	if (status)
		perun_profile_unref(all);
	else
		*profile = all;
	return status;
}

/* ---- saving ---------------------------------------------------------------------------------- */

struct saving {
	struct measuring *run;
	const char *key;
};

static int note_saving(void *data, struct perun_ctx *ctx, const char *name, const char *text,
		       size_t length)
{
	struct saving *saving = data;

	return cli_journal_saving(saving->run->journal, ctx, saving->run->minor, saving->key, name,
				  text, length);
}

static int save(struct measuring *run, const struct measuring_job *job, const char *key,
		const struct perun_profile *profile)
{
	struct cli *cli = run->cli;
	const char *label = job->workload->label;
	struct saving saving = {run, key};
	char *path;
	int status = perun_store_save_pending_noted(
		cli->ctx, cli->store, profile, run->what->name_template,
		run->journal ? note_saving : NULL, &saving, &path);

	if (status)
		return status;
	if (run->journal) {
		cli_journal_saved(run->journal);
		if (job->workload->sweep)
			cli_journal_drop_parts(run->journal, run->minor, key,
					       job->workload->sweep->count);
	}
	PERUN_GROW(run->paths, run->path_count, run->path_capacity);
	run->paths[run->path_count++] = path;
	run->saved++;
	if (!run->facts && !run->what->quiet) {
		cli_progress_clear(cli);
		printf(" - %s of %s%s%s%s%s - %s\n", job->collector->name, job->cmd,
		       *job->args ? " " : "", job->args, *label ? " " : "", label,
		       cli_base_name(path));
		if (cli->terminal)
			fflush(stdout);
	}
	return PERUN_OK;
}

static int measure(struct measuring *run, const struct measuring_job *job, const char *key)
{
	struct cli *cli = run->cli;
	struct perun_profile *profile = NULL;
	int status;

	if (job->workload->sweep)
		status = collect_sweep(run, job, key, &profile);
	else if (job->workload->single)
		status = collect_generated(run, job, job->workload->single, &profile);
	else
		status = collect_one(run, job, NULL, &profile);
	for (size_t i = 0; !status && i < run->what->postprocessors.count; i++)
		status = apply_unit(cli, &run->what->postprocessors.items[i], &profile);
	if (!status)
		status = set_origin(cli, run->minor, &profile);
	if (!status)
		status = save(run, job, key, profile);
	perun_profile_unref(profile);
	return status;
}

/* ---- around it ------------------------------------------------------------------------------- */

static json_t *facts_of(const struct measuring *run, const struct measuring_job *job)
{
	json_t *facts = json_object();

	json_object_set_new(facts, "version", cli_fact_text(run->minor));
	json_object_set_new(facts, "directory", cli_fact_text(run->directory));
	json_object_set_new(facts, "cmd", cli_fact_text(job->cmd));
	json_object_set_new(facts, "args", cli_fact_text(job->args));
	json_object_set_new(facts, "workload", cli_fact_text(job->workload->label));
	json_object_set_new(facts, "collector", cli_fact_text(job->collector->name));
	return facts;
}

/* Measure between the hooks; post_job is told how it went, and cannot undo it. */
static int measure_hooked(struct measuring *run, const struct measuring_job *job, const char *key)
{
	struct cli *cli = run->cli;
	json_t *facts = facts_of(run, job);
	struct cli_hook hook = {"pre_job", facts, run->directory, run->log, run->log_path};
	size_t before = run->path_count;
	int status = cli_hook_run(cli, &hook);

	if (!status) {
		status = measure(run, job, key);
		hook.name = "post_job";
		json_object_set_new(facts, "status", json_integer(status));
		if (run->path_count > before)
			json_object_set_new(facts, "profile", cli_fact_text(run->paths[before]));
		if (!cli_interrupted() && !cli_hook_try(cli, &hook))
			run->hooks_failed++;
	}
	json_decref(facts);
	return status;
}

/* A line of the version's log. */
static void log_outcome(const struct measuring *run, const struct measuring_job *job,
			double seconds, int status)
{
	const char *error = status ? perun_ctx_error(run->cli->ctx) : NULL;

	if (run->log < 0)
		return;
	dprintf(run->log, "perun: %s of %s%s%s%s%s: %s (%.3f s)\n", job->collector->name, job->cmd,
		*job->args ? " " : "", job->args, *job->workload->label ? " " : "",
		job->workload->label,
		error             ? error
		: run->path_count ? cli_base_name(run->paths[run->path_count - 1])
				  : "failed",
		seconds);
}

/*
 * One job that fails does not keep the others from being done: with several, the reason becomes a
 * warning. Interruption ends all.
 */
static int note_outcome(struct measuring *run, const struct measuring_job *job, int status)
{
	struct cli *cli = run->cli;

	run->jobs++;
	if (!status)
		return PERUN_OK;
	if (status == PERUN_CANCELLED || cli_interrupted())
		return PERUN_CANCELLED;
	run->failed++;
	run->worst = run->worst ? run->worst : status;
	if (run->only)
		return status;
	perun_warn(cli->ctx, "%s %s: %s", job->cmd, job->workload->label,
		   perun_ctx_error(cli->ctx));
	perun_ctx_clear(cli->ctx);
	return PERUN_OK;
}

/* "3/12, about 2:05 left": in front of what the collector tells. */
static void tell_progress(struct measuring *run, const struct measuring_job *job)
{
	char text[64] = "";
	double left;

	if (run->total < 2 || run->what->quiet)
		return;
	snprintf(text, sizeof text, "%zu/%zu", run->begun, run->total);
	if (run->timed) {
		left = run->spent / (double)run->timed *
		       (double)(run->total >= run->begun ? run->total - run->begun + 1 : 1);
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 ", about %" PRIu64 ":%02u left", (uint64_t)left / 60,
			 (unsigned)((uint64_t)left % 60));
	}
	cli_progress_part(run->cli, text, job->collector->name, job->cmd, job->workload->label);
}

int measuring_do(struct measuring *run, const struct measuring_job *job)
{
	char *key = perun_format("%s\n%s\n%s\n%zu\n%s", job->cmd, job->args, job->workload->label,
				 job->unit, job->collector->name);
	double began = cli_now(), seconds;
	int status;

	run->begun++;
	if (run->journal && cli_journal_has(run->journal, run->minor, key)) {
		run->kept++;
		perun_free(key);
		return PERUN_OK;
	}
	tell_progress(run, job);
	status = measure_hooked(run, job, key);
	perun_free(key);
	seconds = cli_now() - began;
	run->spent += seconds;
	run->timed++;
	log_outcome(run, job, seconds, status);
	return note_outcome(run, job, status);
}
