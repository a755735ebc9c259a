/* SPDX-License-Identifier: BSD-3-Clause */
/* What the documents of Extra-P have in common. */
#include <string.h>

#include "formats/common/experiment-json.h"

/* ---- reading ---------------------------------------------------------------------------------- */

int experiment_json_status(const struct experiment_json *reading)
{
	return perun_json_error(reading->json)->status;
}

int experiment_json_parameters(struct experiment_json *reading)
{
	struct perun_json_reader *json = reading->json;
	const struct perun_json_token *token = reading->token;
	int status = PERUN_OK;

	while (!status && perun_json_next(json) == PERUN_JSON_STRING) {
		char *name = perun_strndup(token->text, token->length);
		perun_id id = perun_builder_parameter(reading->builder, name, NULL);

		perun_free(name);
		if (id != reading->parameters)
			status = perun_json_fail(json, "the same parameter twice");
		else if (++reading->parameters > PARAMETERS)
			status = perun_json_fail(json, "more than %d parameters", PARAMETERS);
	}
	if (!status)
		status = experiment_json_status(reading);
	if (!status && token->event != PERUN_JSON_ARRAY_END)
		status = perun_json_fail(json, "expected the name of a parameter, found %s",
					 perun_json_event_name(token->event));
	if (!status && reading->dimensions && reading->dimensions != reading->parameters)
		status = perun_json_fail(json, "%zu parameters, but points of %zu numbers",
					 reading->parameters, reading->dimensions);
	return status;
}

int experiment_json_point(struct experiment_json *reading, const char *what, const double *numbers,
			  size_t count, perun_id *point)
{
	size_t expected = reading->parameters ? reading->parameters : reading->dimensions;

	if (count == 0 || (expected && count != expected))
		return perun_json_fail(
			reading->json,
			"a %s of %zu numbers, expected one for each of the %zu parameters", what,
			count, expected);
	reading->dimensions = count;
	*point = perun_builder_point(reading->builder, numbers, count);
	return PERUN_OK;
}

int experiment_json_once(struct experiment_json *reading, perun_id point)
{
	size_t room = reading->seen_room;

	if (point >= room) {
		reading->seen_room = (size_t)point * 2 + 64;
		reading->seen = perun_realloc_array(reading->seen, reading->seen_room,
						    sizeof *reading->seen);
		memset(reading->seen + room, 0,
		       (reading->seen_room - room) * sizeof *reading->seen);
	}
	if (reading->seen[point] == reading->list)
		return perun_json_fail(reading->json, "the same point twice for one metric");
	reading->seen[point] = reading->list;
	return PERUN_OK;
}

static int read_measurement(struct experiment_json *reading, perun_id callpath, perun_id metric)
{
	if (reading->token->event != PERUN_JSON_OBJECT_START)
		return perun_json_fail(reading->json,
				       "expected an object for a measurement, found %s",
				       perun_json_event_name(reading->token->event));
	return reading->measurement(reading, callpath, metric);
}

static size_t length_of_name(const struct experiment_json *reading)
{
	const struct perun_json_token *token = reading->token;
	const char *end = reading->tagged ? memchr(token->text, 3, token->length) : NULL;

	return end ? (size_t)(end - token->text) : token->length;
}

/* {"metric": [measurements]}, of the call path whose name the token is. */
static int read_metrics(struct experiment_json *reading)
{
	size_t length = length_of_name(reading);
	perun_id callpath = perun_builder_callpath(reading->builder, reading->token->text, length);
	struct perun_json_reader *json = reading->json;
	int status;

	if (reading->tagged)
		reading->name =
			perun_builder_string(reading->builder, reading->token->text, length);
	status = perun_json_expect(json, PERUN_JSON_OBJECT_START, "a call path");
	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		perun_id metric = perun_builder_string(reading->builder, reading->token->text,
						       reading->token->length);

		status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "a metric");
		reading->list++;
		while (!status && perun_json_next(json) > 0 &&
		       reading->token->event != PERUN_JSON_ARRAY_END)
			status = read_measurement(reading, callpath, metric);
		if (!status)
			status = experiment_json_status(reading);
	}
	return status ? status : experiment_json_status(reading);
}

int experiment_json_measurements(struct experiment_json *reading)
{
	int status = PERUN_OK;

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY)
		status = read_metrics(reading);
	return status ? status : experiment_json_status(reading);
}

int experiment_json_document(struct experiment_json *reading,
			     int (*member)(struct experiment_json *reading))
{
	int status = perun_json_expect(reading->json, PERUN_JSON_OBJECT_START, "an experiment");

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY)
		status = member(reading);
	if (!status)
		status = experiment_json_status(reading);
	if (!status && perun_json_next(reading->json) != PERUN_JSON_END)
		status = experiment_json_status(reading);
	return status;
}

void experiment_json_clear(struct experiment_json *reading)
{
	perun_json_reader_free(reading->json);
	perun_free(reading->seen);
}

/* ---- writing ---------------------------------------------------------------------------------- */

void experiment_json_write_parameters(struct perun_json_writer *json,
				      const struct perun_experiment *experiment)
{
	perun_json_write_key_text(json, "parameters");
	perun_json_write_array_start(json);
	for (size_t p = 0; p < experiment->parameters; p++)
		perun_json_write_text(json, experiment->parameter_names[p]);
	perun_json_write_array_end(json);
}

void experiment_json_write_series(struct perun_json_writer *json, const char *key,
				  const struct perun_experiment *experiment, const bool *left_out,
				  experiment_json_writer *write, void *data)
{
	size_t *first = perun_alloc_zero(experiment->callpaths + 1, sizeof *first);
	size_t *next = perun_alloc_zero(experiment->series_count + 1, sizeof *next);

	for (size_t i = experiment->series_count; i-- > 0;) {
		if (left_out && left_out[i])
			continue;
		next[i] = first[experiment->series[i].callpath];
		first[experiment->series[i].callpath] = i + 1;
	}
	perun_json_write_key_text(json, key);
	perun_json_write_object_start(json);
	for (size_t path = 0; path < experiment->callpaths; path++) {
		if (!first[path])
			continue;
		perun_json_write_key_text(json, experiment->callpath_names[path]);
		perun_json_write_object_start(json);
		for (size_t i = first[path]; i; i = next[i - 1]) {
			perun_json_write_key_text(
				json, experiment->metrics[experiment->series[i - 1].metric]);
			write(data, json, i - 1);
		}
		perun_json_write_object_end(json);
	}
	perun_json_write_object_end(json);
	perun_free(first);
	perun_free(next);
}

struct measurements {
	const struct perun_experiment *experiment;
	experiment_json_writer *write;
	void *data;
};

static void write_measurements(void *data, struct perun_json_writer *json, size_t i)
{
	const struct measurements *measurements = data;
	const struct perun_experiment_series *series = &measurements->experiment->series[i];

	perun_json_write_array_start(json);
	for (size_t k = 0; k < series->count; k++)
		measurements->write(measurements->data, json, series->first + k);
	perun_json_write_array_end(json);
}

void experiment_json_write_measurements(struct perun_json_writer *json,
					const struct perun_experiment *experiment,
					experiment_json_writer *write, void *data)
{
	struct measurements measurements = {experiment, write, data};

	experiment_json_write_series(json, "measurements", experiment, NULL, write_measurements,
				     &measurements);
}
