/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of cells: done.json of each, and which are in the store. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>

#include <perun/lib/path.h>

#include "core/cells/cells.h"

#define MAX_COLLECTED ((size_t)256 << 20)

int cells_outcome(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
		  struct perun_json **outcome)
{
	char *path = perun_format("%s/cells/%zu/done.json", cells->path, number);
	int status = cells_read(ctx, path, CELLS_MAX_SAVING, outcome);

	perun_free(path);
	return status;
}

/* A file that is there and lies where cells put theirs. */
static bool add_file(struct perun_words *words, const char *folder, const char *name)
{
	char *path = perun_format("%s/%s", folder, name);
	struct stat facts;
	bool there = *name && !strchr(name, '/') && perun_path_stat(path, &facts) == 0;

	if (there)
		perun_words_add(words, path, strlen(path));
	perun_free(path);
	return there;
}

/* One that was pending, by its name in the index of its version where it was registered since. */
static void add_pending(struct perun_words *words, const char *jobs, const char *version,
			const char *name)
{
	char *registered;

	if (add_file(words, jobs, name) || !*version || !*name)
		return;
	registered = perun_format("%s^%s", version, name);
	perun_words_add(words, registered, strlen(registered));
	perun_free(registered);
}

void perun_cell_profiles(const struct perun_run_cells *cells, size_t number,
			 struct perun_words *words)
{
	const char *version = cells->versions.items[cells_place_of(cells, number).version];
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *outcome = NULL;
	const struct perun_json *profiles, *pending;
	const char *store = cells->path;
	char *folder = perun_format("%s/cells/%zu", cells->path, number), *jobs;

	/* The directory of the run is below it, in "runs". */
	for (const char *at = store; (at = strstr(at, "/runs/")); at++)
		store = at;
	jobs = perun_format("%.*s/jobs", (int)(store - cells->path), cells->path);
	if (cells_outcome(quiet, cells, number, &outcome))
		outcome = NULL;
	profiles = perun_json_get(outcome, "profiles");
	pending = perun_json_get(outcome, "pending");
	add_file(words, folder, perun_json_get_text(outcome, "profile"));
	for (size_t i = 0; i < perun_json_count(profiles); i++)
		add_file(words, folder, perun_json_get_text(perun_json_at(profiles, i), "profile"));
	for (size_t i = 0; i < perun_json_count(pending); i++)
		add_pending(words, jobs, version,
			    perun_json_get_text(perun_json_at(pending, i), "name"));
	perun_json_free(outcome);
	perun_free(folder);
	perun_free(jobs);
	perun_ctx_free(quiet);
}

/* ---- what is in the store ----------------------------------------------------------------------- */

/* Ranges of cells, [[1, 36], [40, 41]]: what is collected mostly is without gaps. */
bool *cells_collected(const struct perun_run_cells *cells)
{
	size_t count = perun_run_cells_count(cells);
	bool *all = perun_alloc_zero(count ? count : 1, sizeof *all);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *path = cells_file(cells, "collected");
	struct perun_json *document = NULL;
	const struct perun_json *ranges;

	if (cells_read(quiet, path, MAX_COLLECTED, &document))
		document = NULL;
	ranges = perun_json_get(document, "cells");
	for (size_t i = 0; i < perun_json_count(ranges); i++) {
		const struct perun_json *range = perun_json_at(ranges, i);
		int64_t first = 0, last = 0;

		if (perun_json_type(range) != PERUN_JSON_TYPE_ARRAY ||
		    perun_json_count(range) != 2 ||
		    !perun_json_as_int64(perun_json_at(range, 0), &first) ||
		    !perun_json_as_int64(perun_json_at(range, 1), &last) || first < 1)
			continue;
		for (int64_t at = first; at <= last && (uint64_t)at <= count; at++)
			all[at - 1] = true;
	}
	perun_json_free(document);
	perun_free(path);
	perun_ctx_free(quiet);
	return all;
}

int cells_note_collected(struct perun_ctx *ctx, const struct perun_run_cells *cells,
			 const bool *all)
{
	size_t count = perun_run_cells_count(cells);
	struct perun_json *document = perun_json_object(), *ranges = perun_json_array();
	char *path = cells_file(cells, "collected");
	int status;

	for (size_t i = 0, end; i < count; i = end + 1) {
		for (end = i; end < count && all[end]; end++)
			;
		if (end > i) {
			struct perun_json *range = perun_json_array();

			perun_json_append(range, perun_json_int64((int64_t)i + 1));
			perun_json_append(range, perun_json_int64((int64_t)end));
			perun_json_append(ranges, range);
		}
	}
	perun_json_set(document, "cells", ranges);
	status = cells_write(ctx, path, document);
	perun_json_free(document);
	perun_free(path);
	return status;
}
