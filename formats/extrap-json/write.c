/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing Extra-P's newer JSON format. */
#include "formats/common/experiment-json.h"
#include "formats/common/losses.h"
#include "extrap-json.h"

static int to_output(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

static void write_numbers(struct perun_json_writer *json, const char *key, const double *numbers,
			  size_t count)
{
	perun_json_write_key_text(json, key);
	perun_json_write_array_start(json);
	for (size_t i = 0; i < count; i++)
		perun_json_write_double(json, numbers[i]);
	perun_json_write_array_end(json);
}

/* What the document is made of. */
struct writing {
	const struct perun_experiment *experiment;
	struct perun_repetitions values;
};

static void write_measurement(void *data, struct perun_json_writer *json, size_t i)
{
	const struct writing *writing = data;
	const struct perun_experiment *experiment = writing->experiment;
	const size_t *starts = writing->values.starts;

	perun_json_write_object_start(json);
	write_numbers(json, "point",
		      experiment->coordinates +
			      experiment->measurements[i].point * experiment->parameters,
		      experiment->parameters);
	write_numbers(json, "values", writing->values.values + starts[i],
		      starts[i + 1] - starts[i]);
	perun_json_write_object_end(json);
}

int extrapjson_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output)
{
	struct perun_experiment *experiment;
	struct writing writing;
	struct perun_json_writer *json;
	int status = perun_experiment_new(ctx, profile, true, &experiment);

	(void)instance;
	if (status)
		return status;
	writing.experiment = experiment;
	perun_experiment_repetitions(experiment, &writing.values);
	losses_of_experiment(ctx, experiment, writing.values.summaries, 0);
	json = perun_json_writer_new_sink(to_output, output, PERUN_JSON_PYTHON, 0);
	perun_json_write_object_start(json);
	experiment_json_write_parameters(json, experiment);
	experiment_json_write_measurements(json, experiment, write_measurement, &writing);
	perun_json_write_object_end(json);
	status = perun_json_writer_finish(json);
	perun_output_text(output, "\n");
	perun_repetitions_clear(&writing.values);
	perun_experiment_free(experiment);
	return status;
}
