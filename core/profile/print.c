/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells as text: for people, and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/profile/model.h"

static void print_double(double value, bool integer, struct perun_buffer *buffer)
{
	char text[PERUN_JSON_NUMBER_SIZE];
	size_t length;

	if (integer && value == floor(value) && value >= -9223372036854775808.0 &&
	    value < 9223372036854775808.0)
		length = perun_json_print_int64((int64_t)value, text);
	else if (integer && value == floor(value) && value > 0 && value < 18446744073709551616.0)
		length = perun_json_print_uint64((uint64_t)value, text);
	else
		length = perun_json_print_double(value, text);
	perun_buffer_add(buffer, text, length);
}

/* Whether the type is one of numbers (or a row), then printed. */
static bool print_number(enum perun_type type, const struct perun_span *span, size_t i,
			 struct perun_buffer *buffer)
{
	char text[PERUN_JSON_NUMBER_SIZE];
	size_t length;

	switch (type) {
	case PERUN_TYPE_INT64:
		length = perun_json_print_int64(span->int64s[i], text);
		break;
	case PERUN_TYPE_UINT64:
		length = perun_json_print_uint64(span->uint64s[i], text);
		break;
	case PERUN_TYPE_ROW:
		length = perun_json_print_uint64(span->ids[i], text);
		break;
	case PERUN_TYPE_DOUBLE:
		print_double(span->doubles[i], perun_bit(span->integers, i), buffer);
		return true;
	case PERUN_TYPE_BOOL:
		perun_buffer_add_text(buffer, span->bools[i] ? "true" : "false");
		return true;
	default:
		return false;
	}
	perun_buffer_add(buffer, text, length);
	return true;
}

/* The name a person knows a function by; "" when it has none. */
static const char *function_text(const struct perun_pools *pools, perun_id id)
{
	const struct perun_function *function = perun_pools_function(pools, id);
	const char *name;

	if (!function)
		return "";
	name = perun_pools_text(pools, function->name, NULL);
	if (!name || !*name)
		name = perun_pools_text(pools, function->system_name, NULL);
	return name ? name : "";
}

static void add_frame(const char *name, uint64_t address, bool json, struct perun_buffer *buffer)
{
	char text[32];

	if (!*name) {
		snprintf(text, sizeof text, "0x%" PRIx64, address);
		name = text;
	}
	if (json)
		perun_json_quote(buffer, name, strlen(name));
	else
		perun_buffer_add_text(buffer, name);
}

/* Frames from the root to the leaf: "main;f;g", or ["main", "f", "g"]. */
static void print_stack(const struct perun_pools *pools, perun_id id, bool json,
			struct perun_buffer *buffer)
{
	size_t count, frames = 0;
	const perun_id *stack = perun_pools_stack(pools, id, &count);
	const char *between = json ? ", " : ";";

	for (size_t i = count; i-- > 0;) {
		const struct perun_location *location = perun_pools_location(pools, stack[i]);

		if (!location || !location->line_count) {
			perun_buffer_add_text(buffer, frames++ ? between : "");
			add_frame("", location ? location->address : 0, json, buffer);
			continue;
		}
		for (uint32_t line = location->line_count; line-- > 0;) {
			perun_buffer_add_text(buffer, frames++ ? between : "");
			add_frame(function_text(pools, location->lines[line].function),
				  location->address, json, buffer);
		}
	}
}

static void print_label(const struct perun_pools *pools, const struct perun_label *label,
			struct perun_buffer *buffer)
{
	char number[PERUN_JSON_NUMBER_SIZE];
	const char *text;
	size_t length;

	text = perun_pools_text(pools, label->key, &length);
	perun_buffer_add(buffer, text, length);
	perun_buffer_add_char(buffer, '=');
	text = perun_pools_text(pools, label->text, &length);
	if (text) {
		perun_buffer_add(buffer, text, length);
		return;
	}
	perun_buffer_add(buffer, number, perun_json_print_int64(label->number, number));
	text = perun_pools_text(pools, label->unit, &length);
	if (length) {
		perun_buffer_add_char(buffer, ' ');
		perun_buffer_add(buffer, text, length);
	}
}

static struct perun_json *label_value(const struct perun_pools *pools,
				      const struct perun_label *label)
{
	size_t length;
	const char *text = perun_pools_text(pools, label->text, &length);

	return text ? perun_json_string(text, length) : perun_json_int64(label->number);
}

/* {"key": "text", "other": [1, 2]}: an array where a key appears several times. */
static void print_labels_json(const struct perun_pools *pools, const struct perun_label *labels,
			      size_t count, struct perun_buffer *buffer)
{
	struct perun_json *object = perun_json_object();

	for (size_t i = 0; i < count; i++) {
		struct perun_json *value = label_value(pools, &labels[i]), *there, *array;
		size_t length;
		const char *key = perun_pools_text(pools, labels[i].key, &length);

		key = key ? key : "";
		there = perun_json_get_n(object, key, length);
		if (!there) {
			perun_json_set_n(object, key, length, value);
		} else if (perun_json_type(there) == PERUN_JSON_TYPE_ARRAY) {
			perun_json_append(there, value);
		} else {
			array = perun_json_array();
			perun_json_append(array, perun_json_clone(there));
			perun_json_append(array, value);
			perun_json_set_n(object, key, length, array);
		}
	}
	perun_json_print(object, buffer, PERUN_JSON_PYTHON, 0);
	perun_json_free(object);
}

/* "p=1.5,n=3", or {"p": 1.5, "n": 3.0}. */
static void print_point(const struct perun_pools *pools, perun_id id, bool json,
			struct perun_buffer *buffer)
{
	size_t size;
	const double *values = perun_pool_at(pools->pool[PERUN_POOL_POINTS], id, &size);

	perun_buffer_add_text(buffer, json ? "{" : "");
	for (size_t i = 0; i < size / sizeof *values && i < pools->parameter_count; i++) {
		size_t length;
		const char *name = perun_pools_text(pools, pools->parameters[i].name, &length);

		perun_buffer_add_text(buffer, i == 0 ? "" : json ? ", " : ",");
		if (json)
			perun_json_quote(buffer, name, length);
		else
			perun_buffer_add(buffer, name, length);
		perun_buffer_add_text(buffer, json ? ": " : "=");
		print_double(values[i], !json, buffer);
	}
	perun_buffer_add_text(buffer, json ? "}" : "");
}

void perun_cell_print(const struct perun_pools *pools, enum perun_type type,
		      const struct perun_span *span, size_t i, struct perun_buffer *buffer)
{
	const struct perun_label *labels;
	const char *text;
	size_t size;

	if (print_number(type, span, i, buffer))
		return;
	switch (type) {
	case PERUN_TYPE_STRING:
	case PERUN_TYPE_JSON:
		text = perun_pools_text(pools, span->ids[i], &size);
		perun_buffer_add(buffer, text, size);
		break;
	case PERUN_TYPE_STACK:
		print_stack(pools, span->ids[i], false, buffer);
		break;
	case PERUN_TYPE_LABELS:
		labels = perun_pools_labels(pools, span->ids[i], &size);
		for (size_t k = 0; k < size; k++) {
			perun_buffer_add_text(buffer, k ? "," : "");
			print_label(pools, &labels[k], buffer);
		}
		break;
	default:
		print_point(pools, span->ids[i], false, buffer);
	}
}

void perun_cell_print_json(const struct perun_pools *pools, enum perun_type type,
			   const struct perun_span *span, size_t i, struct perun_buffer *buffer)
{
	const struct perun_label *labels;
	const char *text;
	size_t size;

	if (print_number(type, span, i, buffer))
		return;
	switch (type) {
	case PERUN_TYPE_STRING:
		text = perun_pools_text(pools, span->ids[i], &size);
		perun_json_quote(buffer, text, size);
		break;
	case PERUN_TYPE_JSON:
		text = perun_pools_text(pools, span->ids[i], &size);
		perun_buffer_add(buffer, text, size);
		break;
	case PERUN_TYPE_STACK:
		perun_buffer_add_char(buffer, '[');
		print_stack(pools, span->ids[i], true, buffer);
		perun_buffer_add_char(buffer, ']');
		break;
	case PERUN_TYPE_LABELS:
		labels = perun_pools_labels(pools, span->ids[i], &size);
		print_labels_json(pools, labels, size, buffer);
		break;
	default:
		print_point(pools, span->ids[i], true, buffer);
	}
}
