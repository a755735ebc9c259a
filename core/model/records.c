/* SPDX-License-Identifier: BSD-3-Clause */
/* Records: JSON objects of one measurement each, as TaLPas and JSON Lines have them. */
#include <math.h>
#include <string.h>

#include "perun/lib/experiment.h"
#include "perun/json.h"

enum { PARAMETERS = 64, MANY_NUMBERS = 1 << 16 };

struct perun_records {
	struct perun_builder *builder;
	struct perun_record_keys keys;
	struct perun_experiment_rows rows;
	size_t count;
	size_t parameter_count;
	char *names[PARAMETERS];
	double point[PARAMETERS];
	bool given[PARAMETERS];
	struct perun_numbers values;
	perun_id *callpath_of; /* text -> stack, PERUN_NO_ID = not made yet */
	size_t callpath_room;
};

struct perun_records *perun_records_new(struct perun_builder *builder,
					const struct perun_record_keys *keys)
{
	struct perun_records *records = perun_alloc_zero(1, sizeof *records);

	records->builder = builder;
	records->keys = *keys;
	perun_experiment_begin(builder, &records->rows);
	records->values.rows = &records->rows;
	return records;
}

void perun_records_free(struct perun_records *records)
{
	if (!records)
		return;
	for (size_t i = 0; i < records->parameter_count; i++)
		perun_free(records->names[i]);
	perun_free(records->values.values);
	perun_free(records->callpath_of);
	perun_free(records);
}

size_t perun_records_count(const struct perun_records *records)
{
	return records->count;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double number_of(const struct perun_json_token *token)
{
	double number = NAN;

	switch (token->kind) {
	case PERUN_JSON_INT64:
		return (double)token->number.int64;
	case PERUN_JSON_UINT64:
		return (double)token->number.uint64;
	case PERUN_JSON_DOUBLE:
		return token->number.real;
	default:
		perun_json_parse_double(token->text, token->length, &number);
		return number;
	}
}

static void add_number(struct perun_numbers *numbers, double number)
{
	if (numbers->rows && numbers->count == MANY_NUMBERS) {
		perun_column_append_double(numbers->rows->value, numbers->values, NULL,
					   numbers->count);
		numbers->passed += numbers->count;
		numbers->count = 0;
	}
	PERUN_GROW(numbers->values, numbers->count, numbers->room);
	numbers->values[numbers->count++] = number;
}

int perun_numbers_read(struct perun_json_reader *reader, const char *what,
		       struct perun_numbers *numbers)
{
	const struct perun_json_token *token = perun_json_token(reader);
	size_t depth = perun_json_depth(reader);
	bool list = token->event == PERUN_JSON_ARRAY_START;

	if (list)
		depth--;
	for (;;) {
		if (token->event == PERUN_JSON_NUMBER) {
			add_number(numbers, number_of(token));
		} else if (token->event == PERUN_JSON_ERROR) {
			return perun_json_error(reader)->status;
		} else if (token->event != PERUN_JSON_ARRAY_START &&
			   token->event != PERUN_JSON_ARRAY_END) {
			return perun_json_fail(reader, "expected numbers for %s, found %s", what,
					       perun_json_event_name(token->event));
		}
		if (perun_json_depth(reader) == depth)
			return PERUN_OK;
		perun_json_next(reader);
	}
}

/* ---- members --------------------------------------------------------------------------------- */

static int add_parameter(struct perun_records *records, struct perun_json_reader *reader)
{
	const struct perun_json_token *token = perun_json_token(reader);

	if (records->parameter_count == PARAMETERS)
		return perun_json_fail(reader, "more than %d parameters", PARAMETERS);
	records->names[records->parameter_count] = perun_strndup(token->text, token->length);
	perun_builder_parameter(records->builder, records->names[records->parameter_count], NULL);
	records->parameter_count++;
	return PERUN_OK;
}

static size_t find_parameter(const struct perun_records *records,
			     const struct perun_json_token *token)
{
	size_t i = 0;

	while (i < records->parameter_count && !perun_json_token_is(token, records->names[i]))
		i++;
	return i;
}

static int read_parameters(struct perun_records *records, struct perun_json_reader *reader)
{
	const struct perun_json_token *token = perun_json_token(reader);
	int status = perun_json_expect(reader, PERUN_JSON_OBJECT_START, records->keys.parameters);

	while (!status && perun_json_next(reader) == PERUN_JSON_KEY) {
		size_t i = find_parameter(records, token);

		if (i == records->parameter_count && records->count == 0)
			status = add_parameter(records, reader);
		if (status)
			break;
		if (i == records->parameter_count) {
			status = perun_json_skip(reader);
			continue;
		}
		if (perun_json_next(reader) != PERUN_JSON_NUMBER)
			return perun_json_fail(
				reader, "expected a number for parameter %s, found %s",
				records->names[i], perun_json_event_name(token->event));
		records->point[i] = number_of(token);
		records->given[i] = true;
	}
	if (!status && token->event == PERUN_JSON_ERROR)
		status = perun_json_error(reader)->status;
	return status;
}

static perun_id callpath_of(struct perun_records *records, const char *text, size_t length)
{
	perun_id id = perun_builder_string(records->builder, text, length);

	if (id >= records->callpath_room) {
		size_t room = records->callpath_room;

		records->callpath_room = (size_t)id * 2 + 64;
		records->callpath_of = perun_realloc_array(
			records->callpath_of, records->callpath_room, sizeof *records->callpath_of);
		memset(records->callpath_of + room, 0xff,
		       (records->callpath_room - room) * sizeof *records->callpath_of);
	}
	if (records->callpath_of[id] == PERUN_NO_ID)
		records->callpath_of[id] = perun_builder_callpath(records->builder, text, length);
	return records->callpath_of[id];
}

/* What a record says. */
struct record {
	bool parameters, value;
	perun_id callpath, metric;
};

static int read_member(struct perun_records *records, struct perun_json_reader *reader,
		       struct record *record)
{
	const struct perun_json_token *token = perun_json_token(reader);
	const struct perun_record_keys *keys = &records->keys;
	int status;

	if (perun_json_token_is(token, keys->parameters)) {
		record->parameters = true;
		return read_parameters(records, reader);
	}
	if (perun_json_token_is(token, keys->value)) {
		record->value = true;
		if (records->values.passed)
			return perun_json_fail(reader, "duplicate \"%s\"", keys->value);
		records->values.count = 0;
		perun_json_next(reader);
		return perun_numbers_read(reader, keys->value, &records->values);
	}
	if (perun_json_token_is(token, keys->callpath)) {
		status = perun_json_expect(reader, PERUN_JSON_STRING, keys->callpath);
		if (!status)
			record->callpath = callpath_of(records, token->text, token->length);
		return status;
	}
	if (perun_json_token_is(token, keys->metric)) {
		status = perun_json_expect(reader, PERUN_JSON_STRING, keys->metric);
		if (!status)
			record->metric =
				perun_builder_string(records->builder, token->text, token->length);
		return status;
	}
	return perun_json_skip(reader);
}

static int check(struct perun_records *records, struct perun_json_reader *reader,
		 const struct record *record)
{
	const struct perun_record_keys *keys = &records->keys;
	const char *missing = NULL;

	if (!record->parameters)
		missing = keys->parameters;
	else if (!record->value || records->values.count == 0)
		missing = keys->value;
	else if (record->callpath == PERUN_NO_ID)
		missing = keys->callpath;
	else if (record->metric == PERUN_NO_ID)
		missing = keys->metric;
	if (missing)
		return perun_json_fail(reader, "a measurement without \"%s\"", missing);
	for (size_t i = 0; i < records->parameter_count; i++)
		if (!records->given[i])
			return perun_json_fail(reader, "a measurement without parameter \"%s\"",
					       records->names[i]);
	if (records->parameter_count == 0)
		return perun_json_fail(reader, "a measurement without any parameter");
	return PERUN_OK;
}

int perun_records_add(struct perun_records *records, struct perun_json_reader *reader)
{
	const struct perun_json_token *token = perun_json_token(reader);
	struct record record = {.callpath = PERUN_NO_ID, .metric = PERUN_NO_ID};
	int status = PERUN_OK;

	if (token->event != PERUN_JSON_OBJECT_START)
		return perun_json_fail(reader, "expected an object for a measurement, found %s",
				       perun_json_event_name(token->event));
	memset(records->given, 0, sizeof records->given);
	while (!status && perun_json_next(reader) == PERUN_JSON_KEY)
		status = read_member(records, reader, &record);
	if (!status && token->event == PERUN_JSON_ERROR)
		status = perun_json_error(reader)->status;
	if (status)
		return status;
	if (record.callpath == PERUN_NO_ID && records->keys.default_callpath)
		record.callpath = callpath_of(records, records->keys.default_callpath,
					      strlen(records->keys.default_callpath));
	if (record.metric == PERUN_NO_ID && records->keys.default_metric)
		record.metric = perun_builder_text(records->builder, records->keys.default_metric);
	status = check(records, reader, &record);
	if (status)
		return status;
	records->count++;
	perun_experiment_add_numbers(
		&records->values, record.callpath, record.metric,
		perun_builder_point(records->builder, records->point, records->parameter_count));
	return PERUN_OK;
}
