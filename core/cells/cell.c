/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring one cell: what all have in common, and those of executors, which have nothing but the plan and the build. */
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
#include <perun/lib/advice.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/path/write.h"
#include "core/run/run.h"

static double wall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- measuring ---------------------------------------------------------------------------------- */

char *cells_directory_in(const struct perun_run_cells *cells, const char *tree)
{
	char *directory =
		perun_format("%s%s%s", tree, *cells->directory == '/' ? "" : "/", cells->directory);
	struct stat facts;

	/* A version need not have the directory. */
	if (stat(directory, &facts) == 0 && S_ISDIR(facts.st_mode))
		return directory;
	perun_free(directory);
	return perun_strdup(tree);
}

/* An engine has it built before; who does that by hand is informed how. */
static int fail_unbuilt(struct cells_attempt *attempt)
{
	const char *advice = perun_advice(PERUN_ADVICE_BUILD);
	char *task = *advice ? perun_format("%s%s:%zu", advice, attempt->cells->path,
					    attempt->place.version)
			     : perun_strdup("");

	perun_fail(attempt->run->ctx, PERUN_MISSING, "version %.8s is not built%s",
		   attempt->cell.version, task);
	perun_free(task);
	return PERUN_MISSING;
}

/* The files of the version, or the user's own. */
static int find_directory(struct cells_attempt *attempt, char **directory)
{
	const struct perun_run_cells *cells = attempt->cells;
	char *base, *reason, *tree;
	enum cells_build state;

	if (!cells->builds) {
		*directory = perun_strdup(cells->directory);
		return PERUN_OK;
	}
	*directory = NULL;
	state = cells_build_state(cells, attempt->place.version, &reason);
	if (state == CELLS_BUILD_FAILED) {
		perun_fail(attempt->run->ctx, PERUN_MISSING, "version %.8s is not built: %s",
			   attempt->cell.version, reason);
		perun_free(reason);
		return PERUN_MISSING;
	}
	if (state != CELLS_BUILT)
		return fail_unbuilt(attempt);
	base = cells_build_path(cells, attempt->place.version);
	tree = perun_format("%s/tree", base);
	*directory = cells_directory_in(cells, tree);
	perun_free(tree);
	perun_free(base);
	return PERUN_OK;
}

/* The workload as it is run, whatever profiles say; with the values of parameters. NULL: it is its argument. */
static struct perun_json *describe_workload(const struct run_workload *workload,
					    const struct perun_json *values)
{
	struct perun_json *described = workload->described ? perun_json_clone(workload->described)
				       : perun_json_count(values) ? perun_json_object()
								  : NULL;
	const char *keys[] = {"workload", "stdin"}, *text;
	const struct perun_json *variables = perun_json_get(described, "env");
	struct perun_json *expanded;
	char *value;

	if (!described)
		return NULL;
	if (!workload->described)
		perun_json_set(described, "workload", perun_json_text(workload->label));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		text = perun_json_as_string(perun_json_get(described, keys[i]), NULL);
		if (!text)
			continue;
		value = cells_expand(text, values);
		perun_json_set(described, keys[i], perun_json_text(value));
		perun_free(value);
	}
	expanded = perun_json_object();
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
static int add_parameters(struct cells_attempt *attempt, struct perun_profile **profile)
{
	const struct perun_generated values = {.keys = attempt->cell.parameters};
	struct perun_profile *with = NULL;
	int status;

	if (perun_json_count(values.keys) == 0)
		return PERUN_OK;
	status = perun_workload_collect(attempt->run->ctx, &values, *profile, &with);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = with;
	return PERUN_OK;
}

/* What the executor knows of the machine: "partition=fast", "gres=gpu:2". */
static int add_machine(struct cells_attempt *attempt, struct perun_profile **profile)
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
	status = perun_builder_finish(attempt->run->ctx, builder, &with);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = with;
	return PERUN_OK;
}

/* Collect, and add what the plan and the machine say. */
static int collect(struct cells_attempt *attempt, const struct run_job *job,
		   struct perun_profile **profile, int *failed)
{
	int status = run_measure(attempt->run, job, profile, failed);

	if (!status)
		status = add_parameters(attempt, profile);
	if (!status)
		status = add_machine(attempt, profile);
	return status;
}

/* post_job learns the outcome, and cannot undo it. */
static void run_post_job(struct cells_attempt *attempt, const char *path, int status)
{
	if (status == PERUN_CANCELLED || perun_cancelled(attempt->run->ctx))
		return;
	perun_json_set(attempt->facts, "status", perun_json_int64(status));
	if (path)
		perun_json_set(attempt->facts, "profile", perun_json_text(path));
	attempt->hooks_failed +=
		!cells_hook_try(attempt->run, attempt->cells, "post_job", attempt->facts);
}

char *cells_label(const struct cells_attempt *attempt, const struct run_workload *workload)
{
	const struct perun_json *names = perun_json_get(attempt->cells->document, "workload_names");
	const char *label = attempt->cell.workload;
	char *name, *made;

	if (!workload->among)
		return perun_strdup(label);
	name = cells_expand(
		perun_json_as_string(perun_json_at(names, cells_workload(attempt)), NULL),
		attempt->cell.parameters);
	/* What follows the name of the generator are parameters that no other text says. */
	made = perun_format("%s%s", workload->label,
			    strlen(label) > strlen(name) ? label + strlen(name) : "");
	perun_free(name);
	return made;
}

int cells_measure(struct cells_attempt *attempt, const struct run_workload *of)
{
	struct run *run = attempt->run;
	const struct perun_modules *collectors = &run->plan->units[PERUN_PLAN_COLLECTORS];
	struct perun_json *described = describe_workload(of, attempt->cell.parameters);
	struct run_workload workload = *of;
	struct run_job job = {.workload = &workload,
			      .collector =
				      &collectors->items[attempt->place.job % collectors->count]};
	struct perun_profile *profile = NULL;
	int failed = PERUN_OK, status;
	char *path = NULL;

	workload.label = cells_label(attempt, of);
	workload.described = described;
	job.names = (struct perun_run_job){.struct_size = sizeof job.names,
					   .command = attempt->cell.command,
					   .arguments = attempt->cell.arguments,
					   .workload = workload.label,
					   .collector = job.collector->name};
	run->parts = attempt->folder;
	attempt->names = &job.names;
	attempt->facts = run_job_facts(run, &job);
	attempt->measured = false;
	if (attempt->begins)
		attempt->begins(attempt);
	status = cells_hook(run, attempt->cells, "pre_job", attempt->facts);
	if (!status)
		status = collect(attempt, &job, &profile, &failed);
	attempt->measured = !status;
	if (!status)
		status = attempt->keep(attempt, profile, &path);
	if (!status)
		run_drop_parts(run, &job);
	run_post_job(attempt, path, status ? status : failed);
	attempt->names = NULL;
	perun_json_free(attempt->facts);
	perun_free(workload.label);
	perun_json_free(described);
	perun_profile_unref(profile);
	perun_free(path);
	return status ? status : failed;
}

/* ---- what it leaves ----------------------------------------------------------------------------- */

/* A name that no other attempt has, on whatever machine. */
static char *name_attempt(const struct cells_attempt *attempt)
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
	name = perun_format("%s-%s-%ld", stamp, node, (long)getpid());
	perun_free(node);
	node = name;
	name = attempt->among ? perun_format("%s-%zu.%s", node, attempt->among, suffix)
			      : perun_format("%s.%s", node, suffix);
	perun_free(node);
	return name;
}

static int keep_in_folder(struct cells_attempt *attempt, struct perun_profile *profile, char **path)
{
	struct perun_ctx *ctx = attempt->run->ctx;
	struct perun_json *entry = attempt->among ? perun_json_object() : NULL;
	char *name = name_attempt(attempt);
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);
	int status = perun_write_profile(ctx, profile, "perun", NULL, output);

	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	if (!status)
		status = cells_write_output(ctx, attempt->folder, name, "profile", &text,
					    entry ? entry : attempt->outcome);
	if (!status && entry)
		status = cells_note_saved(attempt, entry);
	else
		perun_json_free(entry);
	*path = perun_format("%s/%s", attempt->folder, name);
	perun_buffer_free(&text);
	perun_free(name);
	return status;
}

void cells_end(struct cells_attempt *attempt, int status)
{
	perun_json_set(attempt->outcome, "ended", perun_json_double(wall_clock()));
	perun_json_set(attempt->outcome, "exit", perun_json_int64(status));
}

int cells_write_outcome(struct cells_attempt *attempt, int status)
{
	struct perun_json *outcome = attempt->outcome;
	char *path = perun_format("%s/done.json", attempt->folder);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	int written;

	cells_end(attempt, status);
	if (status && !perun_json_get(outcome, "reason"))
		perun_json_set(outcome, "reason",
			       perun_json_text(perun_ctx_error(attempt->run->ctx)));
	written = cells_write(status ? quiet : attempt->run->ctx, path, outcome);
	perun_ctx_free(quiet);
	perun_free(path);
	return written;
}

static int measure(struct cells_attempt *attempt)
{
	const struct perun_json *names = perun_json_get(attempt->cells->document, "workload_names");
	struct run *run = attempt->run;
	struct run_workloads workloads;
	int status = run_workloads_open(run, run->directory, &workloads);

	if (status)
		return status;
	status = cells_check_workloads(run->ctx, &workloads, perun_json_count(names));
	if (!status)
		status = cells_measure_all(attempt, &workloads);
	run_workloads_close(&workloads);
	return status;
}

/* A program that fails is an outcome; an interruption, a full disk and a build that is not there are none. */
static int do_attempt(struct cells_attempt *attempt)
{
	struct run *run = attempt->run;
	char *name = name_attempt(attempt), *directory = NULL;
	int status = find_directory(attempt, &directory);
	bool tried = !status;

	run->directory = directory;
	if (!status && cells_comparison(attempt->cells))
		status = cells_compare(run->ctx, attempt->cells, attempt->place.job,
				       attempt->folder, name, attempt->outcome);
	else if (!status && cells_merging(attempt->cells))
		status = cells_merge(run->ctx, attempt->cells, attempt->place.job, attempt->folder,
				     name, attempt->outcome);
	else if (!status)
		status = measure(attempt);
	if (!status || (tried && !attempt->measured && status != PERUN_CANCELLED &&
			!perun_cancelled(run->ctx))) {
		int written;

		perun_json_set(attempt->outcome, "machine", perun_machine_document());
		written = cells_write_outcome(attempt, status);
		status = status ? status : written;
		if (!status)
			cells_drop_saving(attempt);
	}
	perun_free(directory);
	perun_free(name);
	return status;
}

int cells_check_workloads(struct perun_ctx *ctx, const struct run_workloads *workloads,
			  size_t planned)
{
	return workloads->planned == planned
		       ? PERUN_OK
		       : perun_fail(ctx, PERUN_INPUT,
				    "the generators make %zu workloads; when planned there were "
				    "%zu",
				    workloads->planned, planned);
}

size_t cells_workload(const struct cells_attempt *attempt)
{
	const struct perun_json *names = perun_json_get(attempt->cells->document, "workload_names");

	return attempt->place.job / attempt->cells->plan->units[PERUN_PLAN_COLLECTORS].count %
	       perun_json_count(names);
}

void cells_attempt_begin(struct cells_attempt *attempt, struct run *run,
			 const struct perun_run_cells *cells, size_t number)
{
	const char *job = getenv("PERUN_EXECUTOR_JOB"), *node = getenv("PERUN_EXECUTOR_NODE");

	attempt->run = run;
	attempt->cells = cells;
	attempt->folder = perun_format("%s/cells/%zu", cells->path, number);
	perun_cell_describe(cells, number, &attempt->cell);
	attempt->place = cells_place_of(cells, number);
	run->minor = attempt->cell.version;
	run->launch = *attempt->cell.launch ? attempt->cell.launch : NULL;
	gethostname(attempt->node, sizeof attempt->node - 1);
	attempt->outcome = perun_json_object();
	perun_json_set(attempt->outcome, "cell", perun_json_int64((int64_t)number));
	perun_json_set(attempt->outcome, "node", perun_json_text(node ? node : attempt->node));
	perun_json_set(attempt->outcome, "began", perun_json_double(wall_clock()));
	if (job)
		perun_json_set(attempt->outcome, "job", perun_json_text(job));
}

void cells_attempt_end(struct cells_attempt *attempt)
{
	perun_json_free(attempt->outcome);
	perun_cell_free(&attempt->cell);
	perun_free(attempt->folder);
}

int perun_cell_run(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number)
{
	struct run run = {.ctx = ctx, .plan = cells->plan, .log = -1};
	struct cells_attempt attempt = {.keep = keep_in_folder};
	struct perun_json *before = NULL;
	int lock = -1, shared, status;

	if (number < 1 || number > perun_run_cells_count(cells))
		return perun_fail(ctx, PERUN_USAGE, "the run %s has cells 1 to %zu, not %zu",
				  cells->id, perun_run_cells_count(cells), number);
	status = cells_join_inline(ctx, cells, &shared);
	if (status)
		return status;
	cells_attempt_begin(&attempt, &run, cells, number);
	status = path_make_directories(ctx, attempt.folder);
	if (!status)
		status = cells_lock(ctx, attempt.folder, "lock", &lock);
	if (!status)
		status = cells_outcome(ctx, cells, number, &before);
	if (status == PERUN_MISSING) {
		perun_json_set(attempt.outcome, "began", perun_json_double(wall_clock()));
		status = do_attempt(&attempt);
		if (status)
			perun_fail(ctx, PERUN_OK, "cell %zu", number);
	}
	if (lock >= 0)
		close(lock);
	if (shared >= 0)
		close(shared);
	perun_json_free(before);
	cells_attempt_end(&attempt);
	return status;
}
