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

static int save(struct perun_ctx *ctx, const char *folder, const char *name,
		const struct perun_json *values, struct perun_json *outcome)
{
	char *path = perun_format("%s/%s", folder, name), checksum[PERUN_CHECKSUM_SIZE];
	struct perun_buffer text = {0};
	struct perun_output *output = NULL;
	int status = perun_output_open(ctx, path, &output);

	perun_json_print(values, &text, PERUN_JSON_COMPACT, 0);
	if (!status) {
		perun_output_write(output, text.data, text.length);
		status = perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	if (!status) {
		perun_sha_of(text.data, text.length, checksum);
		perun_json_set(outcome, "comparison", perun_json_text(name));
		perun_json_set(outcome, "checksum", perun_json_text(checksum));
	}
	perun_buffer_free(&text);
	perun_free(path);
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
	int status = add_launcher(ctx, cells, job, &program);

	if (!status)
		status = perun_interleave_of_document(ctx, program, &interleave);
	if (!status)
		status = perun_interleave_compare(ctx, interleave, directories, &result);
	if (!status) {
		values = perun_interleave_values(interleave, &result);
		status = save(ctx, folder, name, values, outcome);
		perun_json_free(values);
	}
	perun_interleave_result_free(&result);
	perun_interleave_free(interleave);
	perun_json_free(program);
	return status;
}

static int read_values(struct perun_ctx *ctx, const char *path, const char *checksum,
		       struct perun_json **values)
{
	int file = perun_path_open(path, O_RDONLY | O_NONBLOCK, 0);
	char made[PERUN_CHECKSUM_SIZE] = "";
	struct perun_buffer text = {0};
	bool read = file >= 0 && perun_read_all(file, &text) == 0 && text.length <= MAX_VALUES;
	int status;

	if (read)
		perun_sha_of(text.data, text.length, made);
	status = read && strcmp(made, checksum) == 0
			 ? perun_json_parse(ctx, text.data, text.length, NULL, values)
			 : perun_fail(ctx, PERUN_INPUT, "%s is not what the cell wrote", path);
	if (file >= 0)
		close(file);
	perun_buffer_free(&text);
	return status;
}

int perun_cell_comparison(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
			  struct perun_json **values)
{
	struct perun_json *outcome = NULL;
	int64_t failed = PERUN_INPUT;
	const char *name, *reason;
	char *path;
	int status = cells_outcome(ctx, cells, number, &outcome);

	*values = NULL;
	if (status)
		return status == PERUN_MISSING
			       ? perun_fail(ctx, PERUN_INPUT, "cell %zu has no outcome", number)
			       : status;
	name = perun_json_get_text(outcome, "comparison");
	reason = perun_json_get_text(outcome, "reason");
	path = perun_format("%s/cells/%zu/%s", cells->path, number, name);
	perun_json_as_int64(perun_json_get(outcome, "exit"), &failed);
	if (failed)
		status = perun_fail(
			ctx, failed > 0 && failed <= PERUN_MISSING ? (int)failed : PERUN_INPUT,
			"%s", *reason ? reason : "it failed");
	else if (!*name || strchr(name, '/'))
		status = perun_fail(ctx, PERUN_INPUT, "cell %zu names no values", number);
	else
		status = read_values(ctx, path, perun_json_get_text(outcome, "checksum"), values);
	perun_free(path);
	perun_json_free(outcome);
	return status;
}
