/* SPDX-License-Identifier: BSD-3-Clause */
/* `perun afperf filter` and `split`: parts of a file, in AFPerf or any other format. */
#include <inttypes.h>
#include <math.h>

#include "command.h"
#include "formats/common/afperf/read.h"

/* ---- what is wanted --------------------------------------------------------------------------------- */

static int read_runs(struct afperf_call *call, uint64_t **runs, size_t *count)
{
	size_t given = perun_option_count(call->options, "run");

	*runs = perun_alloc_zero(given + 1, sizeof **runs);
	*count = given;
	for (size_t i = 0; i < given; i++) {
		const char *text = perun_option_string_at(call->options, "run", i);
		struct afperf_slice slice = {(char *)(uintptr_t)text, strlen(text)};

		if (afperf_parse_id(&slice, &(*runs)[i]) != AFPERF_NUMBER_GOOD)
			return perun_fail(call->ctx, PERUN_USAGE,
					  "--run %s: expected a run id, decimal or hexadecimal",
					  text);
	}
	return PERUN_OK;
}

static const char *const *read_texts(const struct afperf_call *call, const char *name,
				     size_t *count)
{
	const char **texts;

	*count = perun_option_count(call->options, name);
	texts = perun_alloc_zero(*count + 1, sizeof *texts);
	for (size_t i = 0; i < *count; i++)
		texts[i] = perun_option_string_at(call->options, name, i);
	return texts;
}

int afperf_call_filter(struct afperf_call *call, struct afperf_filter *filter)
{
	uint64_t *runs;
	int status = read_runs(call, &runs, &filter->run_count);

	filter->runs = runs;
	filter->labels = read_texts(call, "label", &filter->label_count);
	filter->tags = read_texts(call, "tag", &filter->tag_count);
	filter->timed = perun_option_given(call->options, "from") ||
			perun_option_given(call->options, "until");
	filter->from = perun_option_given(call->options, "from")
			       ? perun_option_number(call->options, "from")
			       : -INFINITY;
	filter->to = perun_option_given(call->options, "until")
			     ? perun_option_number(call->options, "until")
			     : INFINITY;
	return status;
}

void afperf_filter_clear(struct afperf_filter *filter)
{
	perun_free((void *)(uintptr_t)filter->runs);
	perun_free((void *)(uintptr_t)filter->labels);
	perun_free((void *)(uintptr_t)filter->tags);
}

/* ---- output ----------------------------------------------------------------------------------------- */

int afperf_call_open(struct afperf_call *call, struct perun_output **output)
{
	const char *path = perun_option_string(call->options, "output");

	if (!path || strcmp(path, "-") == 0) {
		*output = call->output;
		return PERUN_OK;
	}
	return perun_output_open(call->ctx, path, output);
}

int afperf_call_close(struct afperf_call *call, struct perun_output *output, int status)
{
	if (output == call->output)
		return status;
	if (!status)
		status = perun_output_commit(call->ctx, output);
	perun_output_close(output);
	return status;
}

static void report_losses(struct afperf_call *call, const char *format)
{
	for (size_t i = 0; i < perun_ctx_losses(call->ctx); i++) {
		uint64_t count;
		const char *what = perun_ctx_loss(call->ctx, i, &count);

		perun_warn(call->ctx, "the format %s cannot hold, and so lost: %s (%" PRIu64 ")",
			   format, what, count);
	}
	perun_ctx_clear_losses(call->ctx);
}

int afperf_call_write(struct afperf_call *call, const struct perun_profile *profile,
		      const char *format)
{
	struct perun_output *output;
	int status = afperf_call_open(call, &output);

	if (status)
		return status;
	status = perun_write_profile(call->ctx, profile, format, NULL, output);
	status = afperf_call_close(call, output, status);
	if (!status)
		report_losses(call, format);
	return status;
}

/* ---- actions ---------------------------------------------------------------------------------------- */

static int read_wanted(struct afperf_call *call, const char *path, struct perun_profile **profile)
{
	struct afperf_filter filter = {0};
	struct afperf_options options = {.limit = call->limit,
					 .frame_limit = AFPERF_FRAME_LIMIT,
					 .lenient = call->lenient,
					 .filter = &filter};
	struct perun_builder *builder;
	struct perun_input *input;
	int status = afperf_call_filter(call, &filter);

	*profile = NULL;
	if (!status)
		status = perun_input_open(call->ctx, path, &input);
	if (!status) {
		builder = perun_builder_new();
		status = afperf_read(call->ctx, &options, input, builder);
		perun_input_close(input);
		if (status) {
			perun_builder_free(builder);
			status = perun_fail(call->ctx, status, "cannot read %s", path);
		} else {
			status = perun_builder_finish(call->ctx, builder, profile);
		}
	}
	afperf_filter_clear(&filter);
	return status;
}

int afperf_run_filter(struct afperf_call *call, const char *path)
{
	const char *format = perun_option_string(call->options, "to");
	struct perun_profile *profile;
	int status = read_wanted(call, path, &profile);

	if (!status)
		status = afperf_call_write(call, profile, format ? format : "afperf");
	perun_profile_unref(profile);
	return status;
}

/* "run-12.afperf"; runs without ids are numbered. */
static char *name_part(const struct perun_profile *profile, size_t run)
{
	const struct perun_table *runs = perun_profile_table(profile, "runs");
	const struct perun_column *ids = perun_table_column(runs, "run");

	if (perun_column_absent(ids, run))
		return perun_format("number-%zu.afperf", run + 1);
	return perun_format("run-%" PRIu64 ".afperf", perun_column_uint64(ids, run));
}

static int write_parts(struct afperf_call *call, const struct perun_profile *profile,
		       struct perun_output *folder)
{
	size_t runs = perun_table_rows(perun_profile_table(profile, "runs"));
	int status = PERUN_OK;

	for (size_t run = 0; run < runs && !status; run++) {
		char *name = name_part(profile, run);
		struct perun_output *part;

		status = perun_output_child(call->ctx, folder, name, false, &part);
		if (!status)
			status = afperf_write_run(call->ctx, profile, run, part);
		perun_free(name);
	}
	return status;
}

int afperf_run_split(struct afperf_call *call, const char *path)
{
	const char *folder_name = perun_option_string(call->options, "output");
	struct perun_profile *profile;
	struct perun_output *folder;
	int status;

	if (!folder_name)
		return perun_fail(call->ctx, PERUN_USAGE,
				  "perun afperf split needs --output with a new directory for the "
				  "runs");
	status = read_wanted(call, path, &profile);
	if (!status)
		status = perun_output_open_directory(call->ctx, folder_name, &folder);
	if (!status) {
		status = write_parts(call, profile, folder);
		if (!status)
			status = perun_output_commit(call->ctx, folder);
		perun_output_close(folder);
	}
	if (!status)
		report_losses(call, "afperf");
	perun_profile_unref(profile);
	return status;
}
