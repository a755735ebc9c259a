/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells that merge files: each a part of many, whose results are merged in the end. */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/merge.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/store/store.h"

const struct perun_json *cells_merging(const struct perun_run_cells *cells)
{
	return perun_json_get(cells->document, "merging");
}

/* The paths of a part, which stay the document's; NULL where they are none. */
static const char **paths_of(const struct perun_run_cells *cells, size_t job, size_t *count)
{
	const struct perun_json *part = perun_json_at(cells_merging(cells), job);
	const char **paths;

	*count = perun_json_count(part);
	paths = perun_alloc_zero(*count + 1, sizeof *paths);
	for (size_t i = 0; i < *count; i++) {
		paths[i] = perun_json_as_string(perun_json_at(part, i), NULL);
		if (!paths[i] || *paths[i] != '/') {
			perun_free(paths);
			return NULL;
		}
	}
	return paths;
}

bool cells_merging_fits(const struct perun_run_cells *cells)
{
	bool fits = true;

	if (!cells_merging(cells))
		return true;
	for (size_t job = 0; fits && job < cells->jobs; job++) {
		size_t count;
		const char **paths = paths_of(cells, job, &count);

		fits = paths && count;
		perun_free(paths);
	}
	return fits && cells->versions.count == 1 && cells->points == 1 &&
	       perun_json_count(cells_merging(cells)) == cells->jobs;
}

static int write_profile(struct perun_ctx *ctx, const char *folder, const char *name,
			 const struct perun_profile *profile, struct perun_json *outcome)
{
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);
	int status = perun_write_profile(ctx, profile, "pprof", NULL, output);

	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	if (!status)
		status = cells_write_output(ctx, folder, name, "merged", &text, outcome);
	perun_buffer_free(&text);
	return status;
}

int cells_merge(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t job,
		const char *folder, const char *name, struct perun_json *outcome)
{
	struct perun_profile *profile = NULL;
	size_t count;
	const char **paths = paths_of(cells, job, &count);
	int status = perun_merge_files(ctx, paths, count, PERUN_MERGE_CANONICAL, &profile);

	if (!status)
		status = write_profile(ctx, folder, name, profile, outcome);
	perun_profile_unref(profile);
	perun_free(paths);
	return status;
}

int perun_cell_merged(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
		      char **path)
{
	struct perun_json *outcome = NULL;
	struct perun_buffer text = {0};
	int status = cells_outcome(ctx, cells, number, &outcome);

	*path = NULL;
	if (status)
		return status == PERUN_MISSING
			       ? perun_fail(ctx, PERUN_INPUT, "cell %zu has no outcome", number)
			       : status;
	status = cells_read_output(ctx, cells, number, outcome, "merged", path, &text);
	if (status) {
		perun_free(*path);
		*path = NULL;
	}
	perun_buffer_free(&text);
	perun_json_free(outcome);
	return status;
}
