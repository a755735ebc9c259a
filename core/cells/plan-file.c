/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as files: read, and found. */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/run/run.h"

#define MAX_PLAN ((size_t)64 << 20)

/* ---- from a document --------------------------------------------------------------------------- */

bool cells_texts(const struct perun_json *document, const char *key, struct perun_words *words)
{
	const struct perun_json *list = perun_json_get(document, key);

	for (size_t i = 0; i < perun_json_count(list); i++) {
		size_t length;
		const char *text = perun_json_as_string(perun_json_at(list, i), &length);

		if (!text || strlen(text) != length)
			return false;
		perun_words_add(words, text, length);
	}
	return !list || perun_json_type(list) == PERUN_JSON_TYPE_ARRAY;
}

static bool add_units(const struct perun_json *document, const char *key,
		      struct perun_modules *units)
{
	const struct perun_json *list = perun_json_get(document, key);

	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		const char *name = perun_json_get_text(item, "name");
		struct perun_words words = {0};
		struct perun_module *unit;
		bool good = *name && cells_texts(item, "arguments", &words);

		unit = perun_modules_add(units, name);
		for (size_t j = 0; good && j < words.count; j++)
			perun_module_word(unit, words.items[j]);
		perun_words_free(&words);
		if (!good)
			return false;
	}
	return perun_json_type(list) == PERUN_JSON_TYPE_ARRAY;
}

static bool add_described(const struct perun_json *document, struct perun_plan *plan)
{
	const struct perun_json *list = perun_json_get(document, "described");

	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		bool is = perun_json_type(item) == PERUN_JSON_TYPE_OBJECT;

		PERUN_GROW(plan->described, plan->described_count, plan->described_capacity);
		plan->described[plan->described_count++] = is ? perun_json_clone(item) : NULL;
	}
	return plan->described_count <= plan->texts[PERUN_PLAN_WORKLOADS].count;
}

static bool read_plan(struct perun_ctx *ctx, struct perun_run_cells *cells)
{
	const struct perun_json *document = cells->document;
	struct perun_plan *plan = cells->plan = perun_plan_new();

	if (perun_json_get(document, "generators"))
		plan->generators = perun_json_clone(perun_json_get(document, "generators"));
	return cells_texts(document, "cmds", &plan->texts[PERUN_PLAN_COMMANDS]) &&
	       cells_texts(document, "args", &plan->texts[PERUN_PLAN_ARGUMENTS]) &&
	       cells_texts(document, "workloads", &plan->texts[PERUN_PLAN_WORKLOADS]) &&
	       add_described(document, plan) &&
	       add_units(document, "collectors", &plan->units[PERUN_PLAN_COLLECTORS]) &&
	       add_units(document, "postprocessors", &plan->units[PERUN_PLAN_POSTPROCESSORS]) &&
	       plan->units[PERUN_PLAN_COLLECTORS].count &&
	       !perun_plan_parameters(ctx, plan, perun_json_get(document, "parameters"));
}

/* Names of versions become names of directories. */
static bool read_versions(struct perun_run_cells *cells)
{
	if (!cells_texts(cells->document, "versions", &cells->versions) || !cells->versions.count)
		return false;
	for (size_t i = 0; i < cells->versions.count; i++) {
		const char *version = cells->versions.items[i];

		if (version[strspn(version, "0123456789abcdef")] || strlen(version) > 64)
			return false;
	}
	return true;
}

static bool times(size_t *product, size_t factor)
{
	if (!factor || *product > MAX_CELLS / factor)
		return false;
	*product *= factor;
	return true;
}

/* The sizes of the axes, whose product is the number of cells. */
static bool read_axes(struct perun_run_cells *cells)
{
	const struct perun_plan *plan = cells->plan;
	const struct perun_json *names = perun_json_get(cells->document, "workload_names");
	size_t all = cells->versions.count;

	for (size_t i = 0; i < perun_json_count(names); i++)
		if (!perun_json_as_string(perun_json_at(names, i), NULL))
			return false;
	cells->jobs = cells->points = 1;
	if (!times(&cells->jobs, perun_plan_texts(plan, PERUN_PLAN_COMMANDS)) ||
	    !times(&cells->jobs, perun_plan_texts(plan, PERUN_PLAN_ARGUMENTS)) ||
	    !times(&cells->jobs, perun_json_count(names)) ||
	    !times(&cells->jobs, plan->units[PERUN_PLAN_COLLECTORS].count))
		return false;
	for (size_t i = 0; i < perun_json_count(plan->parameters); i++)
		if (!times(&cells->points, perun_json_count(perun_json_at(plan->parameters, i))))
			return false;
	return times(&all, cells->jobs) && times(&all, cells->points);
}

static bool read_rest(struct perun_run_cells *cells)
{
	const struct perun_json *executor = perun_json_get(cells->document, "executor");
	const struct perun_json *build = perun_json_get(cells->document, "build");
	int64_t retries = 0;

	cells->executor = perun_json_get_text(executor, "name");
	cells->launch = perun_json_get_text(cells->document, "launch");
	cells->directory = perun_json_get_text(cells->document, build ? "below" : "directory");
	perun_json_as_bool(perun_json_get(cells->document, "inline"), &cells->inlined);
	cells->builds = build ? perun_json_get_text(build, "directory") : NULL;
	cells->hash = perun_json_get_text(build, "hash");
	perun_json_as_int64(perun_json_get(executor, "retries"), &retries);
	cells->retries = retries > 0 && retries < 1000 ? (size_t)retries : 0;
	return *cells->executor && cells_texts(executor, "arguments", &cells->executor_words) &&
	       (!build ? *cells->directory == '/'
		       : *cells->builds == '/' && *cells->hash && !strchr(cells->hash, '/') &&
				 !strstr(cells->directory, ".."));
}

int cells_of_document(struct perun_ctx *ctx, const char *path, struct perun_json *document,
		      struct perun_run_cells **made)
{
	struct perun_run_cells *cells = perun_alloc_zero(1, sizeof *cells);
	int64_t format = 0;
	int status = PERUN_OK;

	cells->path = perun_strdup(path);
	cells->id = perun_strdup(perun_path_base_name(path));
	cells->document = document;
	cells->measuring = -1;
	*made = cells;
	perun_json_as_int64(perun_json_get(document, "format"), &format);
	if (format != CELLS_FORMAT)
		status = perun_fail(ctx, PERUN_INPUT,
				    "it has format %" PRId64 ", this program reads format %d",
				    format, CELLS_FORMAT);
	else if (!read_versions(cells) || !read_plan(ctx, cells) || !read_axes(cells) ||
		 !read_rest(cells) || !cells_hooks_fit(cells) || !cells_comparison_fits(cells) ||
		 !cells_merging_fits(cells))
		status = perun_fail(ctx, PERUN_INPUT, "it is not the plan of a run");
	if (status) {
		perun_fail(ctx, PERUN_OK, "%s/" CELLS_PLAN, path);
		perun_run_cells_free(cells);
		*made = NULL;
	}
	return status;
}

void perun_run_cells_free(struct perun_run_cells *cells)
{
	if (!cells)
		return;
	cells_close_executors(cells);
	if (cells->measuring >= 0)
		close(cells->measuring);
	perun_plan_free(cells->plan);
	perun_words_free(&cells->versions);
	perun_words_free(&cells->executor_words);
	perun_json_free(cells->document);
	perun_free(cells->ended);
	perun_free(cells->id);
	perun_free(cells->path);
	perun_free(cells);
}

/* ---- finding runs ------------------------------------------------------------------------------ */

static bool is_id(const char *name)
{
	return strlen(name) == 20 && strspn(name, "0123456789") == 8 && name[8] == '-' &&
	       strspn(name + 9, "0123456789") == 6 && name[15] == '-' &&
	       strspn(name + 16, "0123456789abcdef") == 4;
}

static int latest_first(const void *one, const void *other)
{
	return strcmp(*(char *const *)other, *(char *const *)one);
}

char **perun_run_cells_list(const char *runs, size_t *count)
{
	int file = perun_path_open(runs, O_RDONLY | O_DIRECTORY, 0);
	DIR *stream = file < 0 ? NULL : fdopendir(file);
	struct perun_words found = {0};
	struct dirent *entry;
	size_t size;
	char **ids, *text;

	while (stream && (entry = readdir(stream)))
		if (is_id(entry->d_name))
			perun_words_add(&found, entry->d_name, strlen(entry->d_name));
	if (stream)
		closedir(stream);
	*count = found.count;
	size = (found.count + 1) * sizeof *ids;
	ids = perun_alloc(size + found.count * 21);
	text = (char *)ids + size;
	for (size_t i = 0; i < found.count; i++, text += 21)
		ids[i] = memcpy(text, found.items[i], 21);
	ids[found.count] = NULL;
	if (found.count)
		qsort(ids, found.count, sizeof *ids, latest_first);
	perun_words_free(&found);
	return ids;
}

/* "20261126-1417" or the digits at the end, as long as it means one run. */
static int find_id(struct perun_ctx *ctx, const char *runs, const char *given, char **id)
{
	size_t count, length = given ? strlen(given) : 0, matches = 0;
	char **ids = perun_run_cells_list(runs, &count);
	int status = PERUN_OK;

	*id = NULL;
	for (size_t i = 0; i < count; i++) {
		if (given && strncmp(ids[i], given, length) != 0 && strcmp(ids[i] + 16, given) != 0)
			continue;
		if (!matches++)
			*id = perun_strdup(ids[i]);
	}
	if (!matches && !given)
		status = perun_fail(ctx, PERUN_USAGE, "there is no run in %s", runs);
	else if (!matches)
		status = perun_fail(ctx, PERUN_USAGE, "no run is called %s", *given ? given : "''");
	else if (given && matches > 1)
		status = perun_fail(ctx, PERUN_USAGE, "%zu runs begin with %s", matches, given);
	perun_free(ids);
	return status;
}

static char *without_slashes(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return perun_strndup(path, length);
}

int perun_run_cells_open(struct perun_ctx *ctx, const char *runs, const char *id,
			 struct perun_run_cells **cells)
{
	bool whole = id && strchr(id, '/');
	char *name = NULL, *path, *file;
	struct perun_json *document = NULL;
	int status = whole ? PERUN_OK : find_id(ctx, runs, id, &name);

	*cells = NULL;
	path = whole ? without_slashes(id) : perun_format("%s/%s", runs, name ? name : "");
	file = perun_format("%s/" CELLS_PLAN, path);
	if (!status) {
		status = cells_read(ctx, file, MAX_PLAN, &document);
		if (status == PERUN_MISSING)
			status = perun_fail(ctx, PERUN_USAGE, "there is no %s", file);
	}
	if (!status)
		status = cells_of_document(ctx, path, document, cells);
	perun_free(file);
	perun_free(path);
	perun_free(name);
	return status;
}

char *perun_run_cells_find_runs(const char *start)
{
	char *at = start ? perun_strdup(start) : perun_current_directory();

	for (;;) {
		char *runs = perun_format("%s/.perun/runs", strcmp(at, "/") == 0 ? "" : at), *slash;
		struct stat facts;

		if (stat(runs, &facts) == 0 && S_ISDIR(facts.st_mode)) {
			perun_free(at);
			return runs;
		}
		perun_free(runs);
		slash = strrchr(at, '/');
		if (!slash || !at[1]) {
			perun_free(at);
			return NULL;
		}
		slash[slash == at ? 1 : 0] = '\0';
	}
}

/* ---- what it says ------------------------------------------------------------------------------ */

const char *perun_run_cells_id(const struct perun_run_cells *cells)
{
	return cells->id;
}

const char *perun_run_cells_path(const struct perun_run_cells *cells)
{
	return cells->path;
}

const char *perun_run_cells_executor(const struct perun_run_cells *cells)
{
	return cells->executor;
}

bool perun_run_cells_inline(const struct perun_run_cells *cells)
{
	return cells->inlined;
}

const char *perun_run_cells_created(const struct perun_run_cells *cells)
{
	return perun_json_get_text(cells->document, "created");
}

size_t perun_run_cells_count(const struct perun_run_cells *cells)
{
	return cells->versions.count * cells->points * cells->jobs;
}

size_t perun_run_cells_versions(const struct perun_run_cells *cells)
{
	return cells->versions.count;
}
