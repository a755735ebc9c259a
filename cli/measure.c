/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring: commands x workloads x collectors, then postprocessors, at one or more versions. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/postprocess.h>

#include "cli/facts.h"
#include "cli/measure.h"
#include "cli/worktree.h"
#include "core/registry/registry.h"

struct versions {
	char **checksums;
	size_t count, capacity;
};

/* A run over all jobs. */
struct measuring {
	struct cli *cli;
	const struct cli_measure *what;
	struct perun_vcs *vcs;
	const char *minor;
	const char *directory; /* where the programs run; NULL = here */
	bool only;             /* there is but one job in all */
	size_t jobs, failed;   /* of all versions */
	int worst;             /* status of the first failure */
	char **paths;          /* new pending profiles of this version */
	size_t path_count, path_capacity;
	json_t *facts; /* --json */
};

/* What one job measures. */
struct job {
	const char *cmd, *args, *workload;
	const struct cli_unit *collector;
};

/* ---- one job --------------------------------------------------------------------------------- */

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

static int save(struct measuring *run, const struct job *job, const struct perun_profile *profile)
{
	struct cli *cli = run->cli;
	char *path;
	int status = perun_store_save_pending(cli->ctx, cli->store, profile,
					      run->what->name_template, &path);

	if (status)
		return status;
	PERUN_GROW(run->paths, run->path_count, run->path_capacity);
	run->paths[run->path_count++] = path;
	if (!run->facts && !run->what->quiet) {
		printf(" - %s of %s%s%s%s%s - %s\n", job->collector->name, job->cmd,
		       *job->args ? " " : "", job->args, *job->workload ? " " : "", job->workload,
		       cli_base_name(path));
		if (cli->terminal)
			fflush(stdout);
	}
	return PERUN_OK;
}

static int run_job(struct measuring *run, const struct job *job)
{
	struct cli *cli = run->cli;
	struct perun_collect_job task = {.struct_size = sizeof task,
					 .command = job->cmd,
					 .arguments = job->args,
					 .workload = job->workload,
					 .directory = run->directory};
	struct perun_profile *profile = NULL;
	int status = perun_collect(cli->ctx, job->collector->name,
				   (const char *const *)job->collector->arguments, &task, &profile);

	for (size_t i = 0; !status && i < run->what->postprocessors.count; i++)
		status = apply_unit(cli, &run->what->postprocessors.items[i], &profile);
	if (!status)
		status = set_origin(cli, run->minor, &profile);
	if (!status)
		status = save(run, job, profile);
	perun_profile_unref(profile);
	return status;
}

/* ---- all jobs of a version ------------------------------------------------------------------- */

static const char *const one_empty[] = {"", NULL};

static const char *const *or_empty(const char *const *texts)
{
	return texts && texts[0] ? texts : one_empty;
}

static size_t count_texts(const char *const *texts)
{
	size_t count = 0;

	while (or_empty(texts)[count])
		count++;
	return count;
}

static size_t count_jobs(const struct cli_measure *what)
{
	return count_texts(what->cmds) * count_texts(what->args) * count_texts(what->workloads) *
	       what->collectors.count;
}

/*
 * One job that fails does not keep the others from being done: with several, the reason becomes a
 * warning. Interruption ends all.
 */
static int note_outcome(struct measuring *run, const struct job *job, int status)
{
	struct cli *cli = run->cli;

	run->jobs++;
	if (!status)
		return PERUN_OK;
	run->failed++;
	run->worst = run->worst ? run->worst : status;
	if (status == PERUN_CANCELLED || cli_interrupted())
		return PERUN_CANCELLED;
	if (run->only)
		return status;
	perun_warn(cli->ctx, "%s %s: %s", job->cmd, job->workload, perun_ctx_error(cli->ctx));
	perun_ctx_clear(cli->ctx);
	return PERUN_OK;
}

typedef int visit_job(struct measuring *run, const struct job *job, void *data);

/* Every combination that the version has no profile of. */
static int each_job(struct measuring *run, visit_job *visit, void *data)
{
	const struct cli_measure *what = run->what;
	size_t collectors = what->collectors.count, workloads = count_texts(what->workloads);
	size_t args = count_texts(what->args);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count_jobs(what); i++) {
		size_t row = i / collectors;
		struct job job = {or_empty(what->cmds)[row / workloads / args],
				  or_empty(what->args)[row / workloads % args],
				  or_empty(what->workloads)[row % workloads],
				  &what->collectors.items[i % collectors]};
		bool has = false;

		if (what->has_profile)
			status = what->has_profile(what->data, job.cmd, job.args, job.workload,
						   job.collector->name, &has);
		if (!status && !has)
			status = visit(run, &job, data);
	}
	return status;
}

static int do_job(struct measuring *run, const struct job *job, void *data)
{
	(void)data;
	return note_outcome(run, job, run_job(run, job));
}

static int run_jobs(struct measuring *run)
{
	return each_job(run, do_job, NULL);
}

static int note_job(struct measuring *run, const struct job *job, void *data)
{
	(void)run;
	(void)job;
	*(bool *)data = true;
	return PERUN_STOP;
}

/* Whether there is anything to measure at a version. */
static int has_work(struct measuring *run, bool *work)
{
	int status;

	*work = false;
	status = each_job(run, note_job, work);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static void add_facts(struct measuring *run, bool registered)
{
	for (size_t i = 0; i < run->path_count; i++) {
		json_t *fact = json_object();

		json_object_set_new(fact, "path", cli_fact_text(run->paths[i]));
		json_object_set_new(fact, "minor_version", cli_fact_text(run->minor));
		json_object_set_new(fact, "registered", json_boolean(registered));
		json_array_append_new(run->facts, fact);
	}
}

/* profiles.register_after_run */
static int register_profiles(struct measuring *run)
{
	struct cli *cli = run->cli;
	struct perun_add_options how = {0};
	struct perun_added *added = NULL;
	int status =
		perun_store_add(cli->ctx, cli->store, run->minor, (const char *const *)run->paths,
				run->path_count, &how, &added);

	perun_added_free(added, run->path_count);
	if (!status && !run->facts && !run->what->quiet)
		printf("Registered %zu profile(s) with %.8s\n", run->path_count, run->minor);
	return status;
}

static int finish_version(struct measuring *run, int status)
{
	bool registers = run->what->registers ||
			 cli_setting_is_true(run->cli, "profiles.register_after_run");

	if (run->path_count && registers && (!status || status != PERUN_CANCELLED)) {
		int outcome = register_profiles(run);

		status = status ? status : outcome;
	}
	if (run->facts)
		add_facts(run, registers);
	for (size_t i = 0; i < run->path_count; i++)
		perun_free(run->paths[i]);
	run->path_count = 0;
	return status;
}

/* ---- all versions ---------------------------------------------------------------------------- */

static void add_version(struct versions *versions, const char *checksum)
{
	for (size_t i = 0; i < versions->count; i++) {
		if (strcmp(versions->checksums[i], checksum) == 0)
			return;
	}
	PERUN_GROW(versions->checksums, versions->count, versions->capacity);
	versions->checksums[versions->count++] = perun_strdup(checksum);
}

static int visit_parent(void *data, const struct perun_minor_version *version)
{
	add_version(data, version->checksum);
	return PERUN_OK;
}

static int find_versions(struct measuring *run, struct versions *versions)
{
	const char *const *revision = run->what->revisions;
	int status = PERUN_OK;

	for (; !status && *revision; revision++) {
		char *checksum;

		status = cli_minor(run->cli, *revision, &checksum);
		if (!status && run->what->parents)
			status = perun_vcs_walk_minor_versions(run->cli->ctx, run->vcs, checksum,
							       visit_parent, versions);
		else if (!status)
			add_version(versions, checksum);
		perun_free(checksum);
	}
	return status;
}

static int measure_version(struct measuring *run, const char *minor)
{
	struct cli_worktree tree;
	bool work;
	int status = has_work(run, &work);

	if (!status && work)
		status = cli_worktree_open(run->cli, run->vcs, minor, &tree);
	if (status || !work)
		return status;
	run->minor = minor;
	run->directory = tree.directory;
	if (!run->facts && !run->what->quiet)
		cli_title(run->cli, "Measuring Version %s", minor);
	status = finish_version(run, run_jobs(run));
	cli_worktree_close(run->cli, &tree);
	return status;
}

static int measure_versions(struct measuring *run)
{
	struct versions versions = {0};
	int status = find_versions(run, &versions);

	run->only = run->only && versions.count == 1;
	for (size_t i = 0; !status && i < versions.count; i++) {
		status = measure_version(run, versions.checksums[i]);
		if (!status || versions.count == 1 || status == PERUN_CANCELLED ||
		    cli_interrupted())
			continue;
		/* A version that does not build must not keep the others from being measured. */
		perun_warn(run->cli->ctx, "%.8s: %s", versions.checksums[i],
			   perun_ctx_error(run->cli->ctx));
		perun_ctx_clear(run->cli->ctx);
		run->worst = run->worst ? run->worst : status;
		run->failed++;
		run->jobs++;
		status = PERUN_OK;
	}
	for (size_t i = 0; i < versions.count; i++)
		perun_free(versions.checksums[i]);
	perun_free(versions.checksums);
	return status;
}

/* The user's work tree as it is. */
static int measure_here(struct measuring *run)
{
	struct cli *cli = run->cli;
	char *head;
	bool dirty = false;
	int status = perun_vcs_get_minor_head(cli->ctx, run->vcs, &head);

	if (!status && !run->what->force_dirty)
		status = perun_vcs_is_dirty(cli->ctx, run->vcs, &dirty);
	if (!status && dirty)
		perun_warn(cli->ctx,
			   "the work tree has uncommitted changes: the profiles will count as "
			   "measured at %.8s (--minor-version HEAD measures that one itself)",
			   head);
	run->minor = head;
	if (!status)
		status = finish_version(run, run_jobs(run));
	perun_free(head);
	return status;
}

/* Load a module and try its options, so that a mistake shows before anything is measured. */
static int check_unit(struct cli *cli, enum perun_kind kind, const struct cli_unit *unit)
{
	static const char *const no_words[] = {NULL};
	const char *const *words = (const char *const *)unit->arguments;
	const struct perun_plugin *plugin;
	struct perun_option_table tables[2];
	struct perun_options *options;
	size_t count = 1;
	int status = perun_registry_load(cli->ctx, kind, unit->name, &plugin);

	if (status)
		return status;
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	if (plugin->subcommands)
		tables[count++] = (struct perun_option_table){plugin->subcommands->options,
							      plugin->subcommands->option_size};
	status = perun_options_parse(cli->ctx, tables, count, words ? words : no_words, 0, &options,
				     NULL);
	if (status)
		return perun_fail(cli->ctx, PERUN_OK, "%s", plugin->name), status;
	perun_options_free(options);
	return PERUN_OK;
}

static int check_units(struct cli *cli, enum perun_kind kind, const struct cli_units *units)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < units->count; i++)
		status = check_unit(cli, kind, &units->items[i]);
	return status;
}

static int check_plan(struct cli *cli, const struct cli_measure *what)
{
	int status;

	if (what->collectors.count == 0)
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "no collector is given, and none is configured (collectors in "
				  ".perun/local.yml)");
	status = check_units(cli, PERUN_KIND_COLLECT, &what->collectors);
	return status ? status : check_units(cli, PERUN_KIND_POSTPROCESS, &what->postprocessors);
}

int cli_measure(struct cli *cli, const struct cli_measure *measure)
{
	struct measuring run = {.cli = cli,
				.what = measure,
				.only = count_jobs(measure) == 1,
				.facts = measure->json ? json_array() : NULL};
	int status = cli_open_vcs(cli, &run.vcs);

	if (!status)
		status = check_plan(cli, measure);
	if (!status)
		status = measure->revisions && measure->revisions[0] ? measure_versions(&run)
								     : measure_here(&run);
	if (!status && run.failed)
		status = perun_fail(cli->ctx, run.worst, "%zu of %zu measurements failed",
				    run.failed, run.jobs);
	if (run.facts && (!status || run.jobs > run.failed)) {
		json_t *document = json_object();

		json_object_set(document, "profiles", run.facts);
		cli_print_facts(document);
	} else if (!status && cli->terminal && !measure->quiet &&
		   !cli_setting_is_true(cli, "profiles.register_after_run")) {
		puts("perun status lists the pending profiles, perun add 0@p keeps the newest.");
	}
	json_decref(run.facts);
	perun_free(run.paths);
	return status;
}
