/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing Extra-P's newer JSON format. */
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

static void write_series(struct perun_json_writer *json, const struct perun_experiment *experiment,
			 const struct perun_experiment_series *series,
			 const struct perun_repetitions *all)
{
	perun_json_write_key_text(json, experiment->metrics[series->metric]);
	perun_json_write_array_start(json);
	for (size_t i = series->first; i < series->first + series->count; i++) {
		perun_json_write_object_start(json);
		write_numbers(json, "point",
			      experiment->coordinates +
				      experiment->measurements[i].point * experiment->parameters,
			      experiment->parameters);
		write_numbers(json, "values", all->values + all->starts[i],
			      all->starts[i + 1] - all->starts[i]);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
}

/* Series by call path: the format has the metrics of a call path together. */
static void write_callpaths(struct perun_json_writer *json,
			    const struct perun_experiment *experiment,
			    const struct perun_repetitions *all)
{
	size_t *first = perun_alloc_zero(experiment->callpaths, sizeof *first);
	size_t *next = perun_alloc_zero(experiment->series_count, sizeof *next);

	for (size_t i = experiment->series_count; i-- > 0;) {
		next[i] = first[experiment->series[i].callpath];
		first[experiment->series[i].callpath] = i + 1;
	}
	for (size_t path = 0; path < experiment->callpaths; path++) {
		if (!first[path])
			continue;
		perun_json_write_key_text(json, experiment->callpath_names[path]);
		perun_json_write_object_start(json);
		for (size_t i = first[path]; i; i = next[i - 1])
			write_series(json, experiment, &experiment->series[i - 1], all);
		perun_json_write_object_end(json);
	}
	perun_free(first);
	perun_free(next);
}

int extrapjson_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
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
	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "parameters");
	perun_json_write_array_start(json);
	for (size_t p = 0; p < experiment->parameters; p++)
		perun_json_write_text(json, experiment->parameter_names[p]);
	perun_json_write_array_end(json);
	perun_json_write_key_text(json, "measurements");
	perun_json_write_object_start(json);
	write_callpaths(json, experiment, &values);
	perun_json_write_object_end(json);
	perun_json_write_object_end(json);
	status = perun_json_writer_finish(json);
	perun_output_text(output, "\n");
	perun_repetitions_clear(&values);
	perun_experiment_free(experiment);
	return status;
}
