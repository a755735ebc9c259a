/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells that compare two builds: all pairs of a program run in one task, so on one machine and in one allocation. */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/interleave.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/store/store.h"

#define MAX_VALUES ((size_t)1 << 30)

const struct perun_json *cells_comparison(const struct perun_run_cells *cells)
{
	return perun_json_get(cells->document, "comparison");
}

bool cells_comparison_fits(const struct perun_run_cells *cells)
{
	const struct perun_json *comparison = cells_comparison(cells);
	const struct perun_json *directories = perun_json_get(comparison, "directories");

	if (!comparison)
		return true;
	for (size_t i = 0; i < 2; i++) {
		const char *path = perun_json_as_string(perun_json_at(directories, i), NULL);

		if (!path || *path != '/')
			return false;
	}
	return perun_json_count(directories) == 2 && cells->versions.count == 1 &&
	       cells->points == 1 &&
	       perun_json_count(perun_json_get(comparison, "programs")) == cells->jobs;
}

static const struct perun_json *program_of(const struct perun_run_cells *cells, size_t job)
{
	return perun_json_at(perun_json_get(cells_comparison(cells), "programs"), job);
}

/* The program with the words of the site's launcher before it; the caller's. */
static int add_launcher(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t job,
			struct perun_json **program)
{
	const struct perun_json *argv;
	struct perun_json *list = perun_json_array();
	struct perun_words words = {0};
	int status = perun_split_words(ctx, cells->launch, &words);

	*program = perun_json_clone(program_of(cells, job));
	argv = perun_json_get(*program, "argv");
	for (size_t i = 0; i < words.count; i++)
		perun_json_append(list, perun_json_text(words.items[i]));
	for (size_t i = 0; i < perun_json_count(argv); i++)
		perun_json_append(list, perun_json_clone(perun_json_at(argv, i)));
	perun_json_set(*program, "argv", list);
	perun_words_free(&words);
	return status;
}

int cells_compare(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t job,
		  const char *folder, const char *name, struct perun_json *outcome)
{
	const struct perun_json *paths = perun_json_get(cells_comparison(cells), "directories");
	const char *const directories[2] = {perun_json_as_string(perun_json_at(paths, 0), NULL),
					    perun_json_as_string(perun_json_at(paths, 1), NULL)};
	struct perun_interleave_result result = {0};
	struct perun_interleave *interleave = NULL;
	struct perun_json *program, *values;
	struct perun_buffer text = {0};
	int status = add_launcher(ctx, cells, job, &program);

	if (!status)
		status = perun_interleave_of_document(ctx, program, &interleave);
	if (!status)
		status = perun_interleave_compare(ctx, interleave, directories, &result);
	if (!status) {
		values = perun_interleave_values(interleave, &result);
		perun_json_print(values, &text, PERUN_JSON_COMPACT, 0);
		status = cells_write_output(ctx, folder, name, "comparison", &text, outcome);
		perun_json_free(values);
	}
	perun_buffer_free(&text);
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	perun_json_free(program);
	return status;
}

static int read_values(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
		       const struct perun_json *outcome, struct perun_json **values)
{
	struct perun_buffer text = {0};
	char *path;
	int status = cells_read_output(ctx, cells, number, outcome, "comparison", &path, &text);

	if (!status && text.length > MAX_VALUES)
		status = perun_fail(ctx, PERUN_INPUT, "%s is too long", path);
	if (!status)
		status = perun_json_parse(ctx, text.data, text.length, NULL, values);
	perun_buffer_free(&text);
	perun_free(path);
	return status;
}

int perun_cell_comparison(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
			  struct perun_json **values)
{
	struct perun_json *outcome = NULL;
	int64_t failed = PERUN_INPUT;
	const char *reason;
	int status = cells_outcome(ctx, cells, number, &outcome);

	*values = NULL;
	if (status)
		return status == PERUN_MISSING
			       ? perun_fail(ctx, PERUN_INPUT, "cell %zu has no outcome", number)
			       : status;
	reason = perun_json_get_text(outcome, "reason");
	perun_json_as_int64(perun_json_get(outcome, "exit"), &failed);
	if (failed)
		status = perun_fail(
			ctx, failed > 0 && failed <= PERUN_MISSING ? (int)failed : PERUN_INPUT,
			"%s", *reason ? reason : "it failed");
	else
		status = read_values(ctx, cells, number, outcome, values);
	perun_json_free(outcome);
	return status;
}
