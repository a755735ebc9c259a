/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring one cell, where there is nothing but its plan and the build. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/format.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/path/write.h"
#include "core/run/run.h"

struct attempt {
	struct perun_ctx *ctx;
	const struct perun_run_cells *cells;
	struct perun_cell cell;
	struct cells_place place;
	char *folder; /* cells/K */
	char node[256];
	struct perun_json *outcome;
	struct perun_json *facts; /* what hooks are given, once they are run */
};

static double wall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- measuring ---------------------------------------------------------------------------------- */

/* The files of the version, or the user's own. */
static int find_directory(struct attempt *attempt, char **directory)
{
	const struct perun_run_cells *cells = attempt->cells;
	struct stat facts;
	char *base, *reason, *tree;
	enum cells_build state;

	if (!cells->builds) {
		*directory = perun_strdup(cells->directory);
		return PERUN_OK;
	}
	*directory = NULL;
	state = cells_build_state(cells, attempt->place.version, &reason);
	if (state != CELLS_BUILT) {
		perun_fail(attempt->ctx, PERUN_MISSING, "version %.8s is not built%s%s",
			   attempt->cell.version, reason ? ": " : "", reason ? reason : "");
		perun_free(reason);
		return PERUN_MISSING;
	}
	base = cells_build_path(cells, attempt->place.version);
	tree = perun_format("%s/tree", base);
	*directory =
		perun_format("%s%s%s", tree, *cells->directory == '/' ? "" : "/", cells->directory);
	/* A version need not have the directory. */
	if (stat(*directory, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
		perun_free(*directory);
		*directory = tree;
		tree = NULL;
	}
	perun_free(tree);
	perun_free(base);
	return PERUN_OK;
}

/* The workload as it is run, whatever profiles say; with the values of parameters. */
static struct perun_json *describe_workload(const struct run_job *job,
					    const struct perun_json *values)
{
	struct perun_json *described = job->workload->described
					       ? perun_json_clone(job->workload->described)
					       : perun_json_object();
	const char *keys[] = {"workload", "stdin"}, *text;
	const struct perun_json *variables = perun_json_get(described, "env");
	struct perun_json *expanded = perun_json_object();
	char *value;

	if (!job->workload->described)
		perun_json_set(described, "workload", perun_json_text(job->workload->label));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		text = perun_json_as_string(perun_json_get(described, keys[i]), NULL);
		if (!text)
			continue;
		value = cells_expand(text, values);
		perun_json_set(described, keys[i], perun_json_text(value));
		perun_free(value);
	}
	for (size_t i = 0; i < perun_json_count(variables); i++) {
		const struct perun_json *variable = perun_json_at(variables, i);

		text = perun_json_as_string(variable, NULL);
		value = text ? cells_expand(text, values) : NULL;
		perun_json_set(expanded, perun_json_key_at(variables, i, NULL),
			       value ? perun_json_text(value) : perun_json_clone(variable));
		perun_free(value);
	}
	if (variables)
		perun_json_set(described, "env", expanded);
	else
		perun_json_free(expanded);
	return described;
}

/* The values of parameters as columns. */
static int add_parameters(struct attempt *attempt, struct perun_profile **profile)
{
	const struct perun_generated values = {.keys = attempt->cell.parameters};
	struct perun_profile *with = NULL;
	int status;

	if (perun_json_count(values.keys) == 0)
		return PERUN_OK;
	status = perun_workload_collect(attempt->ctx, &values, *profile, &with);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = with;
	return PERUN_OK;
}

/* What the executor knows of the machine: "partition=fast", "gres=gpu:2". */
static int add_machine(struct attempt *attempt, struct perun_profile **profile)
{
	static const char *const facts[][2] = {{"partition", "PERUN_MACHINE_PARTITION"},
					       {"gres", "PERUN_MACHINE_GRES"}};
	const size_t count = sizeof facts / sizeof *facts;
	struct perun_builder *builder = NULL;
	struct perun_profile *with;
	struct perun_json *machine;
	int status;

	for (size_t i = 0; i < count; i++) {
		const char *value = getenv(facts[i][1]);

		if (!value || !*value)
			continue;
		if (!builder)
			builder = perun_builder_from(*profile);
		machine = perun_json_get(perun_builder_document(builder), "machine");
		if (machine)
			perun_json_set(machine, facts[i][0], perun_json_text(value));
	}
	if (!builder)
		return PERUN_OK;
	status = perun_builder_finish(attempt->ctx, builder, &with);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = with;
	return PERUN_OK;
}

static int measure(struct attempt *attempt, struct run *run, struct perun_profile **profile)
{
	const struct perun_json *names = perun_json_get(attempt->cells->document, "workload_names");
	struct perun_json *described;
	struct run_workload workload;
	struct run_workloads workloads;
	struct run_job job;
	int failed = PERUN_OK, status = run_workloads_open(run, run->directory, &workloads);

	if (status)
		return status;
	if (workloads.count != perun_json_count(names)) {
		run_workloads_close(&workloads);
		return perun_fail(run->ctx, PERUN_INPUT,
				  "the generators make %zu workloads; when planned there were %zu",
				  workloads.count, perun_json_count(names));
	}
	run_job_at(run, &workloads, attempt->place.job, &job);
	described = describe_workload(&job, attempt->cell.parameters);
	workload = *job.workload;
	workload.described = described;
	workload.label = (char *)attempt->cell.workload;
	job.workload = &workload;
	job.names.command = attempt->cell.command;
	job.names.arguments = attempt->cell.arguments;
	job.names.workload = attempt->cell.workload;
	attempt->facts = run_job_facts(run, &job);
	status = cells_hook(run->ctx, attempt->cells, "pre_job", run->directory, attempt->facts);
	if (!status)
		status = run_measure(run, &job, "", profile, &failed);
	if (!status && failed) {
		perun_warn(run->ctx, "%s", perun_ctx_error(run->ctx));
		perun_ctx_clear(run->ctx);
	}
	if (!status)
		status = add_parameters(attempt, profile);
	if (!status)
		status = add_machine(attempt, profile);
	perun_json_free(described);
	run_workloads_close(&workloads);
	return status;
}

/* ---- what it leaves ----------------------------------------------------------------------------- */

static int save(struct attempt *attempt, const char *name, const struct perun_profile *profile)
{
	char *path = perun_format("%s/%s", attempt->folder, name);
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);
	char checksum[PERUN_CHECKSUM_SIZE];
	int status = perun_write_profile(attempt->ctx, profile, "perun", NULL, output);

	if (!status)
		status = perun_output_commit(attempt->ctx, output);
	perun_output_close(output);
	if (!status)
		status = perun_output_open(attempt->ctx, path, &output);
	if (!status) {
		perun_output_write(output, text.data, text.length);
		status = perun_output_commit(attempt->ctx, output);
		perun_output_close(output);
	}
	if (!status) {
		perun_sha_of(text.data, text.length, checksum);
		perun_json_set(attempt->outcome, "profile", perun_json_text(name));
		perun_json_set(attempt->outcome, "checksum", perun_json_text(checksum));
	}
	perun_buffer_free(&text);
	perun_free(path);
	return status;
}

/* post_job learns the outcome, and cannot undo it. */
static void run_post_job(struct attempt *attempt, const char *directory, const char *name,
			 int status)
{
	struct perun_ctx *quiet;
	char *path;

	if (!attempt->facts || status == PERUN_CANCELLED || perun_cancelled(attempt->ctx))
		return;
	quiet = perun_ctx_new(NULL);
	path = perun_format("%s/%s", attempt->folder, name);
	perun_json_set(attempt->facts, "status", perun_json_int64(status));
	if (!status)
		perun_json_set(attempt->facts, "profile", perun_json_text(path));
	if (cells_hook(quiet, attempt->cells, "post_job", directory, attempt->facts))
		perun_warn(attempt->ctx, "%s", perun_ctx_error(quiet));
	perun_ctx_free(quiet);
	perun_free(path);
}

static int write_outcome(struct attempt *attempt, int status)
{
	struct perun_json *outcome = attempt->outcome;
	char *path = perun_format("%s/done.json", attempt->folder);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	int written;

	perun_json_set(outcome, "ended", perun_json_double(wall_clock()));
	perun_json_set(outcome, "exit", perun_json_int64(status));
	if (status)
		perun_json_set(outcome, "reason", perun_json_text(perun_ctx_error(attempt->ctx)));
	perun_json_set(outcome, "machine", perun_machine_document());
	written = cells_write(status ? quiet : attempt->ctx, path, outcome);
	perun_ctx_free(quiet);
	perun_free(path);
	return status ? status : written;
}

/* A name that no other attempt has, on whatever machine. */
static char *name_attempt(const struct attempt *attempt)
{
	const char *suffix = cells_comparison(attempt->cells) ? "json"
			     : cells_merging(attempt->cells)  ? "pb.gz"
							      : "perf";
	char stamp[32], *node = perun_strdup(attempt->node), *name;
	time_t now = time(NULL);
	struct tm parts;

	for (char *c = node; *c; c++)
		*c = *c == '/' || *c == ' ' ? '_' : *c;
	gmtime_r(&now, &parts);
	strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
	name = perun_format("%s-%s-%ld.%s", stamp, node, (long)getpid(), suffix);
	perun_free(node);
	return name;
}

/* A program that fails is an outcome; an interruption, a full disk and a build that is not there are none. */

static int do_attempt(struct attempt *attempt)
{
	struct run run = {.ctx = attempt->ctx,
			  .plan = attempt->cells->plan,
			  .minor = attempt->cell.version,
			  .launch = *attempt->cell.launch ? attempt->cell.launch : NULL,
			  .log = -1};
	struct perun_profile *profile = NULL;
	char *name = name_attempt(attempt), *directory = NULL;
	int status = find_directory(attempt, &directory);
	bool tried = !status, measured = false;

	run.directory = directory;
	perun_json_set(attempt->outcome, "began", perun_json_double(wall_clock()));
	if (!status && cells_comparison(attempt->cells)) {
		status = cells_compare(attempt->ctx, attempt->cells, attempt->place.job,
				       attempt->folder, name, attempt->outcome);
	} else if (!status && cells_merging(attempt->cells)) {
		status = cells_merge(attempt->ctx, attempt->cells, attempt->place.job,
				     attempt->folder, name, attempt->outcome);
	} else if (!status) {
		status = measure(attempt, &run, &profile);
		measured = !status;
	}
	if (measured)
		status = save(attempt, name, profile);
	run_post_job(attempt, directory, name, status);
	if (!status ||
	    (tried && !measured && status != PERUN_CANCELLED && !perun_cancelled(attempt->ctx)))
		status = write_outcome(attempt, status);
	perun_profile_unref(profile);
	perun_free(directory);
	perun_free(name);
	return status;
}

static void begin(struct attempt *attempt)
{
	const char *job = getenv("PERUN_EXECUTOR_JOB");

	gethostname(attempt->node, sizeof attempt->node - 1);
	attempt->outcome = perun_json_object();
	perun_json_set(attempt->outcome, "cell", perun_json_int64((int64_t)attempt->cell.number));
	perun_json_set(attempt->outcome, "node",
		       perun_json_text(getenv("PERUN_EXECUTOR_NODE") ? getenv("PERUN_EXECUTOR_NODE")
								     : attempt->node));
	if (job)
		perun_json_set(attempt->outcome, "job", perun_json_text(job));
}

int perun_cell_run(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number)
{
	struct attempt attempt = {.ctx = ctx, .cells = cells};
	struct perun_json *before = NULL;
	int lock = -1, status;

	if (number < 1 || number > perun_run_cells_count(cells))
		return perun_fail(ctx, PERUN_USAGE, "the run %s has cells 1 to %zu, not %zu",
				  cells->id, perun_run_cells_count(cells), number);
	attempt.folder = perun_format("%s/cells/%zu", cells->path, number);
	perun_cell_describe(cells, number, &attempt.cell);
	attempt.place = cells_place_of(cells, number);
	status = path_make_directories(ctx, attempt.folder);
	if (!status)
		status = cells_lock(ctx, attempt.folder, "lock", &lock);
	if (!status)
		status = cells_outcome(ctx, cells, number, &before);
	if (status == PERUN_MISSING) {
		begin(&attempt);
		status = do_attempt(&attempt);
		if (status)
			perun_fail(ctx, PERUN_OK, "cell %zu", number);
	}
	if (lock >= 0)
		close(lock);
	perun_json_free(before);
	perun_json_free(attempt.outcome);
	perun_json_free(attempt.facts);
	perun_cell_free(&attempt.cell);
	perun_free(attempt.folder);
	return status;
}
