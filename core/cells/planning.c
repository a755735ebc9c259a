/* SPDX-License-Identifier: BSD-3-Clause */
/* Making the plan of a run in cells. */
#include <config.h>

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>
#include <perun/lib/registry.h>
#include <perun/vcs.h>

#include "core/cells/cells.h"
#include "core/config/trust-record.h"
#include "core/context/structs.h"
#include "core/path/write.h"
#include "core/run/builds.h"
#include "core/run/run.h"

/* ---- what is to be planned ---------------------------------------------------------------------- */

struct planning {
	struct run run;
	struct perun_run_cells_options options;
	struct perun_words versions;
	struct perun_json *document;
	bool here;                               /* the user's own files */
	const struct perun_run_options *inlined; /* NULL = an executor has the cells measured */
	bool sweeps; /* a cell has many workloads, or nobody knows how many */
};

/* The workloads of a version must be known now: their number is an axis. */
static int add_workload_names(struct planning *planning)
{
	struct run *run = &planning->run;
	struct perun_json *names = perun_json_array();
	struct run_workloads workloads;
	int status = run_workloads_open(run, NULL, &workloads);

	for (size_t i = 0; !status && i < workloads.count; i++) {
		perun_json_append(names, perun_json_text(workloads.items[i].label));
		planning->sweeps |= workloads.items[i].sweep || workloads.open;
	}
	perun_json_set(planning->document, "workload_names", names);
	if (status)
		return status;
	run_workloads_close(&workloads);
	return PERUN_OK;
}

static struct perun_json *words_document(const struct perun_words *words)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < words->count; i++)
		perun_json_append(list, perun_json_text(words->items[i]));
	return list;
}

/* How versions are built, and where. */
static int add_build(struct planning *planning)
{
	struct perun_ctx *ctx = planning->run.ctx;
	struct perun_store *store = planning->run.store;
	const char *scratch = planning->options.scratch;
	struct perun_json *build = perun_json_object();
	struct perun_builds *builds;
	char *here = perun_current_directory(), *root = NULL, *text;
	int status = perun_builds_new(ctx, store, NULL, &builds);

	if (!status)
		status = perun_vcs_discover(ctx, planning->run.vcs, here, &root);
	if (!status) {
		text = scratch ? perun_format("%s%s%s", *scratch == '/' ? "" : here,
					      *scratch == '/' ? "" : "/", scratch)
			       : perun_format("%s/runs/builds", perun_store_path(store));
		perun_json_set(build, "directory", perun_json_text(text));
		perun_free(text);
		text = perun_format("%016" PRIx64, perun_builds_hash(builds));
		perun_json_set(build, "hash", perun_json_text(text));
		perun_free(text);
		perun_json_set(build, "commands", words_document(&builds->commands));
		if (root && strncmp(here, root, strlen(root)) == 0)
			perun_json_set(planning->document, "below",
				       perun_json_text(here + strlen(root)));
	}
	perun_json_set(planning->document, "build", build);
	perun_builds_free(builds);
	perun_free(here);
	perun_free(root);
	return status;
}

/* ---- the executor of this site ------------------------------------------------------------------ */

/* Whether an entry of the setting is for this executor, host and class of machines. */
static bool is_meant(const struct perun_json *entry, const char *name, const char *machine)
{
	const char *host = perun_json_get_text(entry, "host"),
		   *class = perun_json_get_text(entry, "class");
	char own[256] = "";

	gethostname(own, sizeof own - 1);
	return perun_same_name(perun_json_get_text(entry, "name"), name) &&
	       (!*host || fnmatch(host, own, 0) == 0) &&
	       (machine ? strcmp(class, machine) == 0 : !*class);
}

static int find_entry(struct planning *planning, const char *name, struct perun_json **setting,
		      const struct perun_json **entry)
{
	struct perun_ctx *ctx = planning->run.ctx;
	const char *machine = planning->options.machine;
	int status = perun_config_document(ctx, planning->run.store, PERUN_CONFIG_NEAREST,
					   "executors", setting);

	*entry = NULL;
	for (size_t i = 0; !status && !*entry && i < perun_json_count(*setting); i++) {
		const struct perun_json *item = perun_json_at(*setting, i);

		if (perun_json_type(item) != PERUN_JSON_TYPE_OBJECT)
			status = perun_fail(ctx, PERUN_INPUT,
					    "the setting executors: entry %zu does not map keys to "
					    "values",
					    i + 1);
		else if (is_meant(item, name, machine))
			*entry = item;
	}
	if (!status && machine && !*entry)
		status = perun_fail(ctx, PERUN_USAGE,
				    "no class of machines called %s is configured for the executor "
				    "%s on this host (executors in .perun/local.yml)",
				    machine, name);
	return status;
}

/* The words for its options are tried here, so that a mistake shows before anything is built. */
static int add_executor(struct planning *planning)
{
	struct perun_ctx *ctx = planning->run.ctx;
	const char *name = planning->options.executor ? planning->options.executor : "local";
	struct perun_json *setting = NULL, *fact = perun_json_object();
	const struct perun_json *entry, *params;
	struct perun_modules units = {0};
	struct perun_module *unit = perun_modules_add(&units, name);
	const struct perun_plugin *plugin;
	int64_t retries = 2;
	int status = perun_registry_load(ctx, PERUN_KIND_EXECUTOR, name, &plugin);

	if (!status)
		status = find_entry(planning, name, &setting, &entry);
	params = status ? NULL : perun_json_get(entry, "params");
	if (params)
		status = perun_module_document(ctx, unit, params);
	if (!status && planning->options.executor_params)
		status = perun_module_yaml(ctx, unit, planning->options.executor_params);
	if (!status) {
		struct perun_words words = {unit->arguments, unit->count, unit->count};

		perun_json_as_int64(perun_json_get(entry, "retries"), &retries);
		perun_json_set(fact, "arguments", words_document(&words));
		perun_json_set(planning->document, "launch",
			       perun_json_text(perun_json_get_text(entry, "launch")));
		if (!planning->options.scratch && *perun_json_get_text(entry, "scratch"))
			planning->options.scratch =
				perun_strdup(perun_json_get_text(entry, "scratch"));
	}
	perun_json_set(fact, "name", perun_json_text(name));
	perun_json_set(fact, "retries", perun_json_int64(retries));
	perun_json_set(planning->document, "executor", fact);
	perun_json_free(setting);
	perun_modules_free(&units);
	return status;
}

/* ---- a run ------------------------------------------------------------------------------------- */

/* The cells are done by `local`, in the process that plans them. */
static void add_inline(struct planning *planning)
{
	const struct perun_run_options *options = planning->inlined;
	struct perun_json *document = planning->document;

	perun_json_set(document, "inline", perun_json_bool(true));
	if (options->in_place)
		perun_json_set(document, "in_place", perun_json_bool(true));
	if (options->name_template)
		perun_json_set(document, "template", perun_json_text(options->name_template));
}

/* Equal ones are one plan: all but what differs from run to run. Not what a file says of itself, which may be anybody's. */
static void hash_plan(const struct perun_json *document, char checksum[PERUN_CHECKSUM_SIZE])
{
	static const char *const parts[] = {
		"directory",  "apart",      "versions",  "generators", "described",
		"cmds",       "args",       "workloads", "collectors", "postprocessors",
		"parameters", "launch",     "build",     "below",      "executor",
		"hooks",      "comparison", "merging",   "inline"};
	struct perun_buffer text = {0};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct perun_json *part = perun_json_get(document, parts[i]);

		if (part)
			perun_json_print(part, &text, PERUN_JSON_PYTHON, 0);
		perun_buffer_add_char(&text, '\n');
	}
	perun_sha_of(text.data, text.length, checksum);
	perun_buffer_free(&text);
}

/* Names are in the order of time, to a thousandth of a second. */
static char *name_run(const char *runs)
{
	char stamp[32], digits[PERUN_RANDOM_SIZE];
	struct timespec now;
	struct tm parts;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
	perun_random_digits(digits);
	return perun_format("%s/%s-%03x%c", runs, stamp, (unsigned)(now.tv_nsec / 1000000),
			    digits[0]);
}

/* A name of its own, also in other clones: profiles are named by it. One that begins just now may have it. */
static int make_run(struct perun_ctx *ctx, const char *runs, char **path)
{
	int status = path_make_directories(ctx, runs), tries = 1000;

	*path = name_run(runs);
	while (!status && perun_path_make_directory(*path, 0777) < 0) {
		if (errno != EEXIST || tries-- == 0) {
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", *path);
			break;
		}
		perun_free(*path);
		*path = name_run(runs);
	}
	return status;
}

/* Only what this user planned is run by commands that find it: see executors.c. */
static int note_ours(struct perun_ctx *ctx, const struct perun_run_cells *cells)
{
	char *real = realpath(cells->path, NULL);
	int status = real ? perun_trust_write(ctx, real, cells->document) : PERUN_OK;

	free(real);
	return status;
}

static int write_plan(struct planning *planning, struct perun_run_cells **cells)
{
	struct perun_ctx *ctx = planning->run.ctx;
	char *runs = perun_format("%s/runs", perun_store_path(planning->run.store)), *path = NULL;
	char *file = NULL, created[32];
	time_t now = time(NULL);
	struct tm parts;
	int status;

	gmtime_r(&now, &parts);
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &parts);
	perun_json_set(planning->document, "created", perun_json_text(created));
	/* Whatever is wrong with it shows before there is a directory. */
	status = cells_of_document(ctx, runs, perun_json_clone(planning->document), cells);
	if (!status) {
		perun_json_set(planning->document, "cells",
			       perun_json_int64((int64_t)perun_run_cells_count(*cells)));
		perun_run_cells_free(*cells);
		*cells = NULL;
		status = make_run(ctx, runs, &path);
	}
	if (!status) {
		file = perun_format("%s/" CELLS_PLAN, path);
		status = cells_write(ctx, file, planning->document);
		if (status)
			perun_path_remove_tree(path);
	}
	if (!status)
		status = cells_of_document(ctx, path, perun_json_clone(planning->document), cells);
	if (!status && planning->inlined) {
		cells_lock_inline(*cells);
		/* For who goes on with it by its name. Who measures it now need not have a place for what is trusted. */
		if (!planning->inlined->has_profile &&
		    (planning->sweeps || perun_run_cells_count(*cells) > 1))
			note_ours(NULL, *cells);
		cells_tidy_inline(runs);
	} else if (!status) {
		status = note_ours(ctx, *cells);
	}
	perun_free(file);
	perun_free(path);
	perun_free(runs);
	return status;
}

/* The latest run of the same plan; NULL where there is none. */
static struct perun_run_cells *find_same(struct planning *planning)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *runs = perun_format("%s/runs", perun_store_path(planning->run.store));
	char checksum[PERUN_CHECKSUM_SIZE], wanted[PERUN_CHECKSUM_SIZE];
	struct perun_run_cells *found = NULL;
	size_t count;
	char **ids = perun_run_cells_list(runs, &count);

	hash_plan(planning->document, wanted);
	for (size_t i = 0; !found && i < count; i++) {
		struct perun_run_cells *cells = NULL;

		checksum[0] = '\0';
		if (!perun_run_cells_open(quiet, runs, ids[i], &cells))
			hash_plan(cells->document, checksum);
		if (strcmp(checksum, wanted) == 0)
			found = cells;
		else
			perun_run_cells_free(cells);
		perun_ctx_clear(quiet);
	}
	perun_free(ids);
	perun_free(runs);
	perun_ctx_free(quiet);
	return found;
}

static int find_versions(struct planning *planning)
{
	struct run *run = &planning->run;
	int status = perun_store_vcs(run->ctx, run->store, &run->vcs);

	if (!status)
		status = perun_plan_check(run->ctx, run->store, run->plan);
	return status ? status : perun_plan_versions(run, &planning->versions);
}

/* What all plans have. */
static int describe(struct planning *planning)
{
	struct perun_ctx *ctx = planning->run.ctx;
	struct perun_store *store = planning->run.store;
	const struct perun_run_cells_options *options = &planning->options;
	bool in_place = planning->inlined && planning->inlined->in_place;
	int status;

	planning->document = perun_plan_document(&planning->run, &planning->versions);
	perun_json_set(planning->document, "format", perun_json_int64(CELLS_FORMAT));
	status = add_workload_names(planning);
	if (!status)
		status = add_executor(planning);
	if (!status && planning->inlined)
		add_inline(planning);
	if (!status && !options->comparison && !options->merging)
		status = cells_plan_hooks(ctx, store, planning->document, planning->inlined);
	if (!status && options->comparison)
		perun_json_set(planning->document, "comparison",
			       perun_json_clone(options->comparison));
	if (!status && options->merging)
		perun_json_set(planning->document, "merging", perun_json_clone(options->merging));
	if (!status && !planning->here && !in_place)
		status = add_build(planning);
	return status;
}

int cells_plan(struct perun_ctx *ctx, struct perun_store *store, const struct perun_plan *plan,
	       const struct perun_run_cells_options *options,
	       const struct perun_run_options *inlined, struct perun_run_cells **cells,
	       bool *resumed)
{
	struct planning planning = {.run = {.ctx = ctx, .store = store, .plan = plan},
				    .here = perun_plan_count(plan, PERUN_PLAN_REVISIONS) == 0,
				    .inlined = inlined};
	const char *scratch;
	int status;

	*cells = NULL;
	PERUN_STRUCT_TAKE(&planning.options, options);
	planning.run.options.parents = planning.options.parents;
	scratch = planning.options.scratch;
	status = find_versions(&planning);
	if (!status)
		status = describe(&planning);
	if (!status) {
		if (planning.options.resume || (inlined && !inlined->has_profile))
			*cells = find_same(&planning);
		if (*cells && inlined &&
		    !cells_go_on(ctx, store, *cells, planning.options.resume)) {
			perun_run_cells_free(*cells);
			*cells = NULL;
		}
		if (resumed)
			*resumed = *cells != NULL;
		if (!*cells)
			status = write_plan(&planning, cells);
	}
	if (planning.options.scratch != scratch)
		perun_free((char *)planning.options.scratch);
	perun_json_free(planning.document);
	perun_words_free(&planning.versions);
	return status;
}

int perun_run_cells_plan(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_plan *plan,
			 const struct perun_run_cells_options *options,
			 struct perun_run_cells **cells, bool *resumed)
{
	return cells_plan(ctx, store, plan, options, NULL, cells, resumed);
}
