/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading Extra-P's JSON: the newer format as a stream. */
#include <string.h>

#include "extrap-json.h"
#include "formats/common/json-source.h"
#include "formats/common/parameters.h"

struct reading {
	struct perun_json_reader *json;
	const struct perun_json_token *token;
	struct perun_builder *builder;
	struct perun_experiment_rows rows;
	struct perun_numbers point, values;
	struct perun_json *old;        /* lists of the older format, as far as they were met */
	size_t parameters, dimensions; /* 0 = not known yet */
	bool measured;
	uint32_t *seen; /* of each point: the list that has it */
	size_t seen_room;
	uint32_t list; /* number of the list of measurements that is read */
};

static int failed(const struct reading *reading)
{
	return perun_json_error(reading->json)->status;
}

/* Each point once in a list. */
static int check_point(struct reading *reading, perun_id point)
{
	if (point >= reading->seen_room) {
		size_t room = reading->seen_room;

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

/* {"point": [1, 2], "values": [0.5, 0.6]}: the token is its start. */
static int read_measurement(struct reading *reading, perun_id callpath, perun_id metric)
{
	bool has_point = false, has_values = false;
	perun_id point;
	int status = PERUN_OK;

	if (reading->token->event != PERUN_JSON_OBJECT_START)
		return perun_json_fail(reading->json,
				       "expected an object for a measurement, found %s",
				       perun_json_event_name(reading->token->event));
	reading->point.count = reading->values.count = 0;
	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(reading->token, "point")) {
			has_point = true;
			perun_json_next(reading->json);
			status = perun_numbers_read(reading->json, "point", &reading->point);
		} else if (perun_json_token_is(reading->token, "values")) {
			has_values = true;
			perun_json_next(reading->json);
			status = perun_numbers_read(reading->json, "values", &reading->values);
		} else {
			status = perun_json_skip(reading->json);
		}
	}
	if (!status)
		status = failed(reading);
	if (status)
		return status;
	if (!has_point || !has_values || reading->values.count == 0)
		return perun_json_fail(reading->json, "a measurement without \"%s\"",
				       has_point ? "values" : "point");
	if (reading->dimensions == 0)
		reading->dimensions = reading->point.count;
	if (reading->point.count != reading->dimensions || reading->point.count == 0 ||
	    (reading->parameters && reading->point.count != reading->parameters))
		return perun_json_fail(
			reading->json,
			"a point of %zu numbers, expected one for each of the %zu parameters",
			reading->point.count,
			reading->parameters ? reading->parameters : reading->dimensions);
	point = perun_builder_point(reading->builder, reading->point.values, reading->point.count);
	status = check_point(reading, point);
	if (!status)
		perun_experiment_add(&reading->rows, callpath, metric, point,
				     reading->values.values, reading->values.count);
	return status;
}

/* {"metric": [measurements]}. */
static int read_metrics(struct reading *reading, perun_id callpath)
{
	int status = perun_json_expect(reading->json, PERUN_JSON_OBJECT_START, "a call path");

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY) {
		perun_id metric = perun_builder_string(reading->builder, reading->token->text,
						       reading->token->length);

		status = perun_json_expect(reading->json, PERUN_JSON_ARRAY_START, "a metric");
		reading->list++;
		while (!status && perun_json_next(reading->json) > 0 &&
		       reading->token->event != PERUN_JSON_ARRAY_END)
			status = read_measurement(reading, callpath, metric);
		if (!status)
			status = failed(reading);
	}
	return status ? status : failed(reading);
}

static int read_callpaths(struct reading *reading)
{
	int status = PERUN_OK;

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY)
		status = read_metrics(reading,
				      perun_builder_callpath(reading->builder, reading->token->text,
							     reading->token->length));
	reading->measured = true;
	return status ? status : failed(reading);
}

/* A list of the older format. */
static int keep_old(struct reading *reading, const char *key)
{
	struct perun_json *value;
	int status = perun_json_read_value(reading->json, &value);

	if (!status)
		perun_json_set(reading->old, key, value);
	return status;
}

static int read_member(struct reading *reading)
{
	char *key = perun_strndup(reading->token->text, reading->token->length);
	enum perun_json_event event = perun_json_next(reading->json);
	int status;

	if (event == PERUN_JSON_OBJECT_START && strcmp(key, "measurements") == 0) {
		status = read_callpaths(reading);
	} else if (event == PERUN_JSON_ARRAY_START && strcmp(key, "parameters") == 0) {
		/* Names in the newer format, objects in the older one. */
		event = perun_json_next(reading->json);
		if (event == PERUN_JSON_OBJECT_START) {
			struct perun_json *list = perun_json_array(), *value;

			perun_json_set(reading->old, key, list);
			do {
				status = perun_json_read_value(reading->json, &value);
				if (!status)
					perun_json_append(list, value);
			} while (!status && perun_json_next(reading->json) > 0 &&
				 reading->token->event != PERUN_JSON_ARRAY_END);
			if (!status)
				status = failed(reading);
		} else {
			status = event == PERUN_JSON_STRING || event == PERUN_JSON_ARRAY_END
					 ? PERUN_OK
					 : failed(reading);
			if (!status && event == PERUN_JSON_STRING) {
				char *name =
					perun_strndup(reading->token->text, reading->token->length);

				perun_builder_parameter(reading->builder, name, NULL);
				perun_free(name);
				reading->parameters = 1;
				status = read_parameter_names(reading->json, reading->builder,
							      reading->dimensions,
							      &reading->parameters);
			}
		}
	} else if (event == PERUN_JSON_ARRAY_START) {
		status = keep_old(reading, key);
	} else {
		status = event == PERUN_JSON_ERROR ? failed(reading)
						   : perun_json_skip(reading->json);
	}
	perun_free(key);
	return status;
}

static int read_document(struct reading *reading)
{
	int status = perun_json_expect(reading->json, PERUN_JSON_OBJECT_START, "an experiment");

	while (!status && perun_json_next(reading->json) == PERUN_JSON_KEY)
		status = read_member(reading);
	if (!status)
		status = failed(reading);
	if (!status && perun_json_next(reading->json) != PERUN_JSON_END)
		status = failed(reading);
	return status;
}

int extrapjson_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct json_source source = {ctx, input};
	struct reading reading = {.builder = builder};
	int status;

	(void)instance;
	reading.json = perun_json_reader_new(ctx, json_source_read, &source, NULL);
	reading.token = perun_json_token(reading.json);
	reading.old = perun_json_object();
	perun_experiment_begin(builder, &reading.rows);
	status = read_document(&reading);
	if (!status && perun_json_get(reading.old, "callpaths"))
		status = extrapjson_read_old(ctx, reading.old, builder, &reading.rows);
	else if (!status && (!reading.measured || reading.parameters == 0))
		status = perun_fail(ctx, PERUN_INPUT, "there are no \"%s\" in it",
				    reading.parameters ? "measurements" : "parameters");
	perun_json_reader_free(reading.json);
	perun_json_free(reading.old);
	perun_free(reading.point.values);
	perun_free(reading.values.values);
	perun_free(reading.seen);
	return status;
}
