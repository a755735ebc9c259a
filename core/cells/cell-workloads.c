/* SPDX-License-Identifier: BSD-3-Clause */
/* The workloads of a cell: one, or all that a generator makes whose number nobody knew when the run was planned. */
#include <config.h>

#include <perun/lib/path.h>

#include "core/cells/cells.h"

/* ---- profiles that are there, of many ---------------------------------------------------------- */

int cells_note_saved(struct cells_attempt *attempt, struct perun_json *entry)
{
	char *path = perun_format("%s/" CELLS_SAVING, attempt->folder);
	int status;

	perun_json_set(entry, "number", perun_json_int64((int64_t)attempt->among));
	perun_json_set(perun_json_get(attempt->outcome, "profiles"), attempt->names->workload,
		       entry);
	status = cells_write(attempt->run->ctx, path, attempt->outcome);
	perun_free(path);
	return status;
}

/* The profiles that earlier attempts left of a cell that has many: an object, the caller's. */
static struct perun_json *saved_before(const struct cells_attempt *attempt)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *path = perun_format("%s/" CELLS_SAVING, attempt->folder);
	struct perun_json *saved = NULL, *found = perun_json_object();
	const struct perun_json *named;

	if (cells_read(quiet, path, CELLS_MAX_SAVING, &saved))
		saved = NULL;
	named = perun_json_get(saved, "profiles");
	for (size_t i = 0; i < perun_json_count(named); i++) {
		struct perun_buffer text = {0};
		char *file = NULL;

		if (!cells_read_output(quiet, attempt->cells, attempt->cell.number,
				       perun_json_at(named, i), "profile", &file, &text))
			perun_json_set(found, perun_json_key_at(named, i, NULL),
				       perun_json_clone(perun_json_at(named, i)));
		perun_ctx_clear(quiet);
		perun_buffer_free(&text);
		perun_free(file);
	}
	perun_json_free(saved);
	perun_free(path);
	perun_ctx_free(quiet);
	return found;
}

void cells_drop_saving(const struct cells_attempt *attempt)
{
	char *path = perun_format("%s/" CELLS_SAVING, attempt->folder);

	if (attempt->among)
		perun_path_unlink(path);
	perun_free(path);
}

/* ---- measuring ---------------------------------------------------------------------------------- */

static bool is_kept(const struct cells_attempt *attempt, const struct run_workload *workload)
{
	char *label = cells_label(attempt, workload);
	bool kept = attempt->among ? perun_json_get(perun_json_get(attempt->outcome, "profiles"),
						    label) != NULL
				   : *perun_json_get_text(attempt->outcome, "profile") != '\0';

	perun_free(label);
	return kept;
}

/* What was measured is kept when a postprocessor fails. */
static int measure_one(struct cells_attempt *attempt, const struct run_workload *workload)
{
	struct perun_ctx *ctx = attempt->run->ctx;
	int status = cells_measure(attempt, workload);

	if (status && attempt->measured && is_kept(attempt, workload)) {
		perun_warn(ctx, "%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	return status;
}

/* Of many one that fails does not keep the others from being measured: the first failure is that of the cell, in the end. */
static int note_failure(struct cells_attempt *attempt, int status, int *failed)
{
	struct perun_ctx *ctx = attempt->run->ctx;

	if (!status || !attempt->among || attempt->measured || status == PERUN_CANCELLED ||
	    perun_cancelled(ctx))
		return status;
	if (!*failed)
		perun_json_set(attempt->outcome, "reason", perun_json_text(perun_ctx_error(ctx)));
	*failed = *failed ? *failed : status;
	perun_warn(ctx, "%s", perun_ctx_error(ctx));
	perun_ctx_clear(ctx);
	return PERUN_OK;
}

int cells_measure_all(struct cells_attempt *attempt, const struct run_workloads *workloads)
{
	int status = PERUN_OK, failed = PERUN_OK;

	for (size_t i = 0; !status && i < workloads->count; i++) {
		const struct run_workload *workload = &workloads->items[i];

		if (workload->planned != cells_workload(attempt))
			continue;
		if (workload->among && !attempt->among++)
			perun_json_set(attempt->outcome, "profiles", saved_before(attempt));
		if (!is_kept(attempt, workload))
			status = note_failure(attempt, measure_one(attempt, workload), &failed);
	}
	if (!status && failed) {
		attempt->measured = false;
		status = perun_fail(attempt->run->ctx, failed, "%s",
				    perun_json_get_text(attempt->outcome, "reason"));
	}
	return status;
}
