/* SPDX-License-Identifier: BSD-3-Clause */
/* The operation read: a file into a builder. */
#include "read.h"

#include "model.h"

struct reader {
	struct afperf_model model;
	const struct afperf_options *options;
	struct afperf_problem first;
	uint64_t violations;
	const char *name;
};

#define TOLD_VIOLATIONS 20

static void take_violation(void *data, const struct afperf_problem *problem)
{
	struct reader *reader = data;
	struct perun_buffer text = {0};

	if (!reader->violations++)
		reader->first = *problem;
	if (!reader->options->lenient || reader->violations > TOLD_VIOLATIONS)
		return;
	afperf_problem_text(problem, &text);
	perun_warn(reader->model.ctx, "%s: left out: %s", reader->name, text.data);
	perun_buffer_free(&text);
}

static void relay_restart(void *data)
{
	afperf_model_restart(&((struct reader *)data)->model);
}

static void relay_record(void *data, struct afperf_file *file, const struct afperf_data *record)
{
	afperf_model_record(&((struct reader *)data)->model, file, record);
}

static void relay_closed(void *data, struct afperf_file *file, enum afperf_level level,
			 uint32_t index)
{
	afperf_model_closed(&((struct reader *)data)->model, file, level, index);
}

static int finish(struct reader *reader, struct afperf_file *file)
{
	struct perun_buffer text = {0};
	int status;

	if (!reader->violations)
		return afperf_model_finish(&reader->model, file);
	if (reader->options->lenient) {
		struct perun_json *own;

		if (reader->violations > TOLD_VIOLATIONS)
			perun_warn(reader->model.ctx, "%s: %llu violations in all", reader->name,
				   (unsigned long long)reader->violations);
		status = afperf_model_finish(&reader->model, file);
		own = perun_json_path(perun_builder_document(reader->model.builder),
				      "/extra/afperf");
		if (own)
			perun_json_set(own, "left_out", perun_json_uint64(reader->violations));
		return status;
	}
	afperf_problem_text(&reader->first, &text);
	status = perun_fail(reader->model.ctx, PERUN_INPUT, "%s", text.data);
	perun_buffer_free(&text);
	return status;
}

int afperf_read(struct perun_ctx *ctx, const struct afperf_options *options,
		struct perun_input *input, struct perun_builder *builder)
{
	struct reader reader = {.model = {.ctx = ctx,
					  .builder = builder,
					  .filter = options->filter,
					  .frame_limit = options->frame_limit},
				.options = options,
				.name = perun_input_name(input)};
	struct afperf_listener listener = {.data = &reader,
					   .restart = relay_restart,
					   .record = relay_record,
					   .closed = relay_closed,
					   .violation = take_violation};
	struct afperf_file file = {.stop_at_first = !options->lenient};
	int status;

	afperf_model_begin(&reader.model);
	status = afperf_file_read(ctx, &file, input, options->limit, &listener);
	if (!status)
		status = finish(&reader, &file);
	afperf_model_free(&reader.model);
	afperf_file_free(&file);
	return status;
}
