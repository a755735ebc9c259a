/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading Extra-P's JSON: the newer format as a stream. */
#include <string.h>

#include "extrap-json.h"
#include "formats/common/experiment-json.h"
#include "formats/common/json-source.h"

struct reading {
	struct experiment_json common;
	struct perun_experiment_rows rows;
	struct perun_numbers point, values;
	struct perun_json *old; /* lists of the older format, as far as they were met */
	bool measured;
};

/* {"point": [1, 2], "values": [0.5, 0.6]}: the token is its start. */
static int read_measurement(struct experiment_json *common, perun_id callpath, perun_id metric)
{
	struct reading *reading = (struct reading *)common;
	struct perun_json_reader *json = common->json;
	bool has_point = false, has_values = false;
	perun_id point;
	int status = PERUN_OK;

	reading->point.count = reading->values.count = 0;
	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(common->token, "point")) {
			has_point = true;
			perun_json_next(json);
			status = perun_numbers_read(json, "point", &reading->point);
		} else if (perun_json_token_is(common->token, "values")) {
			has_values = true;
			perun_json_next(json);
			status = perun_numbers_read(json, "values", &reading->values);
		} else {
			status = perun_json_skip(json);
		}
	}
	if (!status)
		status = experiment_json_status(common);
	if (status)
		return status;
	if (!has_point || !has_values || reading->values.count == 0)
		return perun_json_fail(json, "a measurement without \"%s\"",
				       has_point ? "values" : "point");
	status = experiment_json_point(common, "point", reading->point.values, reading->point.count,
				       &point);
	if (!status)
		status = experiment_json_once(common, point);
	if (!status)
		perun_experiment_add_numbers(&reading->values, callpath, metric, point);
	return status;
}

/* A list of the older format; those of others are passed over. */
static int keep_old(struct reading *reading, const char *key)
{
	static const char *const lists[] = {"callpaths", "metrics", "coordinates", "measurements"};
	struct perun_json *value;
	size_t i = 0;
	int status;

	while (i < sizeof lists / sizeof *lists && strcmp(key, lists[i]) != 0)
		i++;
	if (i == sizeof lists / sizeof *lists)
		return perun_json_skip(reading->common.json);
	status = perun_json_read_value(reading->common.json, &value);

	if (!status)
		perun_json_set(reading->old, key, value);
	return status;
}

/* The objects of the older format, of which the reader is at the first one. */
static int keep_old_parameters(struct reading *reading)
{
	struct perun_json_reader *json = reading->common.json;
	struct perun_json *list = perun_json_array(), *value;
	int status;

	perun_json_set(reading->old, "parameters", list);
	do {
		status = perun_json_read_value(json, &value);
		if (!status)
			perun_json_append(list, value);
	} while (!status && perun_json_next(json) > 0 &&
		 reading->common.token->event != PERUN_JSON_ARRAY_END);
	return status ? status : experiment_json_status(&reading->common);
}

/* Names in the newer format, objects in the older one. */
static int read_parameters(struct reading *reading)
{
	struct experiment_json *common = &reading->common;
	enum perun_json_event event = perun_json_next(common->json);
	char *name;

	if (event == PERUN_JSON_OBJECT_START)
		return keep_old_parameters(reading);
	if (event != PERUN_JSON_STRING)
		return event == PERUN_JSON_ARRAY_END ? PERUN_OK : experiment_json_status(common);
	name = perun_strndup(common->token->text, common->token->length);
	perun_builder_parameter(common->builder, name, NULL);
	perun_free(name);
	common->parameters = 1;
	return experiment_json_parameters(common);
}

static int read_member(struct experiment_json *common)
{
	struct reading *reading = (struct reading *)common;
	char *key = perun_strndup(common->token->text, common->token->length);
	enum perun_json_event event = perun_json_next(common->json);
	int status;

	if (event == PERUN_JSON_OBJECT_START && strcmp(key, "measurements") == 0) {
		status = experiment_json_measurements(common);
		reading->measured = true;
	} else if (event == PERUN_JSON_ARRAY_START && strcmp(key, "parameters") == 0) {
		status = read_parameters(reading);
	} else if (event == PERUN_JSON_ARRAY_START) {
		status = keep_old(reading, key);
	} else {
		status = event == PERUN_JSON_ERROR ? experiment_json_status(common)
						   : perun_json_skip(common->json);
	}
	perun_free(key);
	return status;
}

int extrapjson_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct json_source source = {ctx, input};
	struct perun_json_reader *json =
		perun_json_reader_new(ctx, json_source_read, &source, NULL);
	struct reading reading = {.common = {.json = json,
					     .token = perun_json_token(json),
					     .builder = builder,
					     .measurement = read_measurement},
				  .old = perun_json_object()};
	int status;

	(void)instance;
	perun_experiment_begin(builder, &reading.rows);
	reading.values.rows = &reading.rows;
	status = experiment_json_document(&reading.common, read_member);
	if (!status && perun_json_get(reading.old, "callpaths"))
		status = extrapjson_read_old(ctx, reading.old, builder, &reading.rows);
	else if (!status && (!reading.measured || reading.common.parameters == 0))
		status = perun_fail(ctx, PERUN_INPUT, "there are no \"%s\" in it",
				    reading.common.parameters ? "measurements" : "parameters");
	experiment_json_clear(&reading.common);
	perun_json_free(reading.old);
	perun_free(reading.point.values);
	perun_free(reading.values.values);
	return status;
}
