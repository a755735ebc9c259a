/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of resources: from JSON, into cells, and back to JSON. */
#include <string.h>

#include "reading.h"

int perunjson_intern(struct reading *reading, const char *text, size_t length, perun_id *id)
{
	*id = perun_builder_string(reading->builder, text ? text : "", length);
	if (*id != PERUN_NO_ID)
		return PERUN_OK;
	return perun_json_fail(reading->json, "too many different texts, or one that is too long");
}

static int take_text(struct reading *reading, enum tag tag, const char *text, size_t length,
		     struct value *value)
{
	perun_id id;
	int status;
	size_t last_length;
	const char *last;

	/* Most texts are the same as in the row before. */
	if (value->tag == tag) {
		last = perun_builder_string_at(reading->builder, (perun_id)value->bits,
					       &last_length);
		if (last_length == length && memcmp(last, text, length) == 0)
			return PERUN_OK;
	}
	status = perunjson_intern(reading, text, length, &id);
	*value = (struct value){tag, id};
	return status;
}

static int take_number(struct reading *reading, struct value *value)
{
	const struct perun_json_token *token = reading->token;

	switch (token->kind) {
	case PERUN_JSON_INT64:
		*value = (struct value){TAG_INT64, (uint64_t)token->number.int64};
		return PERUN_OK;
	case PERUN_JSON_UINT64:
		*value = (struct value){TAG_UINT64, token->number.uint64};
		return PERUN_OK;
	case PERUN_JSON_DOUBLE:
		*value = (struct value){TAG_DOUBLE, token->number.uint64};
		return PERUN_OK;
	default:
		return take_text(reading, TAG_JSON, token->text, token->length, value);
	}
}

int perunjson_take_value(struct reading *reading, enum perun_json_event event, struct value *value)
{
	int status;

	switch (event) {
	case PERUN_JSON_STRING:
		return take_text(reading, TAG_STRING, reading->token->text, reading->token->length,
				 value);
	case PERUN_JSON_NUMBER:
		return take_number(reading, value);
	case PERUN_JSON_TRUE:
	case PERUN_JSON_FALSE:
		*value = (struct value){TAG_BOOL, event == PERUN_JSON_TRUE};
		return PERUN_OK;
	case PERUN_JSON_NULL:
		*value = (struct value){TAG_JSON, reading->null};
		return PERUN_OK;
	case PERUN_JSON_OBJECT_START:
	case PERUN_JSON_ARRAY_START:
		perun_buffer_clear(&reading->text);
		status = perun_json_capture(reading->json, &reading->text);
		if (status)
			return status;
		return take_text(reading, TAG_JSON, reading->text.data, reading->text.length,
				 value);
	default:
		return perun_json_error(reading->json)->status;
	}
}

int perunjson_read_value(struct reading *reading, struct value *value)
{
	return perunjson_take_value(reading, perun_json_next(reading->json), value);
}

static double to_double(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof real);
	return real;
}

void perunjson_set_cell(struct perun_column_builder *column, const struct value *value)
{
	switch (value->tag) {
	case TAG_INT64:
		perun_column_set_int64(column, (int64_t)value->bits);
		break;
	case TAG_UINT64:
		perun_column_set_uint64(column, value->bits);
		break;
	case TAG_DOUBLE:
		perun_column_set_double(column, to_double(value->bits));
		break;
	case TAG_BOOL:
		perun_column_set_bool(column, value->bits != 0);
		break;
	case TAG_STRING:
		perun_column_set_id(column, PERUN_TYPE_STRING, (perun_id)value->bits);
		break;
	case TAG_JSON:
		perun_column_set_id(column, PERUN_TYPE_JSON, (perun_id)value->bits);
		break;
	default:
		break;
	}
}

void perunjson_print_value(struct reading *reading, const struct value *value,
			   struct perun_buffer *out)
{
	char number[PERUN_JSON_NUMBER_SIZE];
	size_t length = 0;
	const char *text;

	switch (value->tag) {
	case TAG_INT64:
		length = perun_json_print_int64((int64_t)value->bits, number);
		break;
	case TAG_UINT64:
		length = perun_json_print_uint64(value->bits, number);
		break;
	case TAG_DOUBLE:
		length = perun_json_print_double(to_double(value->bits), number);
		break;
	case TAG_BOOL:
		perun_buffer_add_text(out, value->bits ? "true" : "false");
		return;
	case TAG_STRING:
		text = perun_builder_string_at(reading->builder, (perun_id)value->bits, &length);
		perun_json_quote(out, text, length);
		return;
	case TAG_JSON:
		text = perun_builder_string_at(reading->builder, (perun_id)value->bits, &length);
		perun_buffer_add(out, text, length);
		return;
	default:
		perun_buffer_add_text(out, "null");
		return;
	}
	perun_buffer_add(out, number, length);
}
