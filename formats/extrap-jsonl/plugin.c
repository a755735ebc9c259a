/* SPDX-License-Identifier: BSD-3-Clause */
/* extrap-jsonl: Extra-P's JSON Lines, one measurement a line. */
#include <string.h>

#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/json.h>

#include "formats/common/json-source.h"
#include "formats/common/losses.h"
#include "formats/common/plugin.h"

static int read_jsonl(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		      struct perun_builder *builder)
{
	static const struct perun_record_keys keys = {.parameters = "params",
						      .callpath = "callpath",
						      .metric = "metric",
						      .value = "value",
						      .default_callpath = "<root>",
						      .default_metric = "<default>"};
	struct perun_json_options options = {.struct_size = sizeof options, .sequence = true};
	struct json_source source = {ctx, input};
	struct perun_json_reader *reader =
		perun_json_reader_new(ctx, json_source_read, &source, &options);
	struct perun_records *records = perun_records_new(builder, &keys);
	enum perun_json_event event;
	int status = PERUN_OK;

	(void)instance;
	while (!status && (event = perun_json_next(reader)) != PERUN_JSON_END) {
		if (event == PERUN_JSON_ERROR)
			status = perun_json_error(reader)->status;
		else
			status = perun_records_add(records, reader);
		if (!status && perun_records_count(records) % 65536 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	if (!status && perun_records_count(records) == 0)
		status = perun_fail_empty(ctx, NULL);
	perun_records_free(records);
	perun_json_reader_free(reader);
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int to_output(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

static void write_measurement(struct perun_json_writer *json,
			      const struct perun_experiment *experiment,
			      const struct perun_experiment_series *series, size_t at,
			      const struct perun_repetitions *all)
{
	const double *point = experiment->coordinates +
			      experiment->measurements[at].point * experiment->parameters;

	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "params");
	perun_json_write_object_start(json);
	for (size_t p = 0; p < experiment->parameters; p++) {
		perun_json_write_key_text(json, experiment->parameter_names[p]);
		perun_json_write_double(json, point[p]);
	}
	perun_json_write_object_end(json);
	perun_json_write_key_text(json, "callpath");
	perun_json_write_text(json, experiment->callpath_names[series->callpath]);
	perun_json_write_key_text(json, "metric");
	perun_json_write_text(json, experiment->metrics[series->metric]);
	perun_json_write_key_text(json, "value");
	if (all->starts[at + 1] - all->starts[at] == 1) {
		perun_json_write_double(json, all->values[all->starts[at]]);
	} else {
		perun_json_write_array_start(json);
		for (size_t k = all->starts[at]; k < all->starts[at + 1]; k++)
			perun_json_write_double(json, all->values[k]);
		perun_json_write_array_end(json);
	}
	perun_json_write_object_end(json);
}

static int write_jsonl(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		       struct perun_output *output)
{
	struct perun_experiment *experiment;
	struct perun_repetitions values;
	struct perun_json_writer *json;
	int status = perun_experiment_new(ctx, profile, true, &experiment);

	(void)instance;
	if (status)
		return status;
	perun_experiment_repetitions(experiment, &values);
	losses_of_experiment(ctx, experiment, values.summaries, 0);
	json = perun_json_writer_new_sink(to_output, output, PERUN_JSON_PYTHON, 0);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[i];

		for (size_t k = 0; k < series->count; k++)
			write_measurement(json, experiment, series, series->first + k, &values);
	}
	status = perun_json_writer_finish(json);
	perun_output_text(output, "\n");
	perun_repetitions_clear(&values);
	perun_experiment_free(experiment);
	return status;
}

/* A line that begins like a measurement. */
static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data, *newline = memchr(text, '\n', probe->size);
	size_t length = newline ? (size_t)(newline - text) : probe->size;

	if (probe->directory || length == 0 || text[0] != '{')
		return 0;
	return memmem(text, length, "\"params\"", 8) && memmem(text, length, "\"value\"", 7) ? 92
											     : 0;
}

static const char *const marks[] = {"\"params\"", NULL};

FORMAT_PLUGIN(extrap_jsonl, "extrap-jsonl", "Extra-P's JSON Lines", NULL, .patterns = "*.jsonl",
	      .contains = marks, .probe = probe_format, .read = read_jsonl, .write = write_jsonl);
