/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts as JSON: documents of Jansson, printed with the shortest numbers. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <perun/json.h>

#include "cli/print/json.h"

/* ---- making ---------------------------------------------------------------------------------- */

json_t *cli_json_text(const char *text)
{
	json_t *fact;
	char *safe;

	if (!text)
		return json_null();
	fact = json_string(text);
	if (fact)
		return fact;
	safe = perun_printable(text);
	fact = json_string(safe);
	perun_free(safe);
	return fact ? fact : json_string("");
}

/* A number; null when it is not finite. */
static json_t *cli_json_number(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

/* The names in a text, separated by blanks, as an array. */
static json_t *cli_json_words(const char *text)
{
	json_t *array = json_array();

	while (text && *(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");
		char *word = perun_strndup(text, length);

		json_array_append_new(array, cli_json_text(word));
		perun_free(word);
		text += length;
	}
	return array;
}

/* Seconds since the epoch as "2024-03-08T10:00:00+01:00". */
static json_t *cli_json_time(int64_t seconds)
{
	time_t time = (time_t)seconds;
	struct tm parts;
	char text[40];

	if (!localtime_r(&time, &parts) ||
	    !strftime(text, sizeof text - 1, "%Y-%m-%dT%H:%M:%S%z", &parts))
		return json_integer(seconds);
	/* +0100 to +01:00 */
	memmove(text + strlen(text) - 1, text + strlen(text) - 2, 3);
	text[strlen(text) - 3] = ':';
	return json_string(text);
}

static json_t *fact_array(const struct perun_json *array)
{
	json_t *fact = json_array();

	for (size_t i = 0; i < perun_json_count(array); i++)
		json_array_append_new(fact, cli_json_document(perun_json_at(array, i)));
	return fact;
}

static json_t *fact_object(const struct perun_json *object)
{
	json_t *fact = json_object();

	for (size_t i = 0; i < perun_json_count(object); i++) {
		char *key = perun_printable(perun_json_key_at(object, i, NULL));

		json_object_set_new(fact, key, cli_json_document(perun_json_at(object, i)));
		perun_free(key);
	}
	return fact;
}

json_t *cli_json_document(const struct perun_json *document)
{
	int64_t whole;
	double number = NAN;
	bool is = false;

	if (!document)
		return json_null();
	switch (perun_json_type(document)) {
	case PERUN_JSON_TYPE_OBJECT:
		return fact_object(document);
	case PERUN_JSON_TYPE_ARRAY:
		return fact_array(document);
	case PERUN_JSON_TYPE_STRING:
		return cli_json_text(perun_json_as_string(document, NULL));
	case PERUN_JSON_TYPE_BOOL:
		perun_json_as_bool(document, &is);
		return json_boolean(is);
	case PERUN_JSON_TYPE_INT:
		if (perun_json_as_int64(document, &whole))
			return json_integer(whole);
		/* Jansson has no larger integers. */
		/* fallthrough */
	case PERUN_JSON_TYPE_DOUBLE:
		perun_json_as_double(document, &number);
		return cli_json_number(number);
	default:
		return json_null();
	}
}

json_t *cli_json_entry(const struct perun_entry *entry, const char *id)
{
	json_t *fact = json_object(), *labels = json_object();

	if (id)
		json_object_set_new(fact, "id", json_string(id));
	json_object_set_new(fact, "source", cli_json_text(entry->path));
	json_object_set_new(fact, "checksum", cli_json_text(entry->checksum));
	json_object_set_new(fact, "type", cli_json_text(entry->type));
	json_object_set_new(fact, "cmd", cli_json_text(entry->cmd));
	json_object_set_new(fact, "args", cli_json_text(entry->args));
	json_object_set_new(fact, "workload", cli_json_text(entry->workload));
	json_object_set_new(fact, "collector", cli_json_text(entry->collector));
	json_object_set_new(fact, "postprocessors", cli_json_words(entry->postprocessors));
	json_object_set_new(fact, "time", cli_json_time(entry->time));
	for (const char *at = entry->labels; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		char *key = perun_strndup(at, strcspn(at, "=")), *value;

		value = perun_strndup(at + strlen(key) + 1, strcspn(at, "\n") - strlen(key) - 1);
		json_object_set_new_nocheck(labels, key, cli_json_text(value));
		perun_free(key);
		perun_free(value);
	}
	json_object_set_new(fact, "labels", labels);
	return fact;
}

json_t *cli_json_version(const struct perun_minor_version *version)
{
	json_t *fact = json_object(), *parents = json_array();

	for (size_t i = 0; i < version->parent_count; i++)
		json_array_append_new(parents, cli_json_text(version->parents[i]));
	json_object_set_new(fact, "checksum", cli_json_text(version->checksum));
	json_object_set_new(fact, "author", cli_json_text(version->author));
	json_object_set_new(fact, "email", cli_json_text(version->email));
	json_object_set_new(fact, "date", cli_json_time(version->date));
	json_object_set_new(fact, "parents", parents);
	json_object_set_new(fact, "description", cli_json_text(version->description));
	return fact;
}

/* What a total is made of is a number, as the Python program has it; else it is a text. */
static json_t *fact_amount(const struct perun_change *change, const char *text)
{
	bool total = change->result == PERUN_RESULT_TOTAL_DEGRADATION ||
		     change->result == PERUN_RESULT_TOTAL_OPTIMIZATION;
	double number;

	if (total && perun_json_parse_double(text, strlen(text), &number))
		return cli_json_number(number);
	return cli_json_text(text);
}

json_t *cli_json_change(const struct perun_change *change, const char *minor, const char *command)
{
	json_t *fact = json_object(), *intervals = json_array();

	for (size_t i = 0; i < change->interval_count; i++) {
		const struct perun_interval_change *interval = perun_change_interval(change, i);
		json_t *item = json_array();

		json_array_append_new(item, cli_json_text(perun_result_name(interval->result)));
		json_array_append_new(item, cli_json_number(interval->relative));
		json_array_append_new(item, cli_json_number(interval->from));
		json_array_append_new(item, cli_json_number(interval->to));
		json_array_append_new(intervals, item);
	}
	json_object_set_new(fact, "result", cli_json_text(perun_result_name(change->result)));
	json_object_set_new(fact, "type", cli_json_text(change->type));
	json_object_set_new(fact, "location", cli_json_text(change->location));
	json_object_set_new(fact, "from_baseline", fact_amount(change, change->from_baseline));
	json_object_set_new(fact, "to_target", fact_amount(change, change->to_target));
	json_object_set_new(fact, "rate", cli_json_number(change->rate));
	json_object_set_new(fact, "confidence_type", cli_json_text(change->confidence_type));
	json_object_set_new(fact, "confidence_rate", cli_json_number(change->confidence_rate));
	json_object_set_new(fact, "relative", cli_json_number(change->relative));
	if (change->low < change->high) {
		json_t *interval = json_array();

		json_array_append_new(interval, cli_json_number(change->low));
		json_array_append_new(interval, cli_json_number(change->high));
		json_object_set_new(fact, "interval", interval);
	}
	json_object_set_new(fact, "partial_intervals", intervals);
	if (change->method && *change->method)
		json_object_set_new(fact, "method", cli_json_text(change->method));
	if (change->metric && *change->metric)
		json_object_set_new(fact, "metric", cli_json_text(change->metric));
	if (change->explanation && *change->explanation)
		json_object_set_new(fact, "explanation", cli_json_text(change->explanation));
	if (minor && *minor)
		json_object_set_new(fact, "baseline", cli_json_text(minor));
	if (command && *command)
		json_object_set_new(fact, "command", cli_json_text(command));
	return fact;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void indent(struct perun_buffer *out, unsigned depth)
{
	perun_buffer_add_char(out, '\n');
	while (depth--)
		perun_buffer_add_text(out, "  ");
}

/* Whether an array is short enough for one line: no arrays or objects inside. */
static bool is_flat(const json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *item = json_array_get(array, i);

		if (json_is_object(item) || json_is_array(item))
			return false;
	}
	return true;
}

static void print_value(const json_t *value, struct perun_buffer *out, unsigned depth);

static void print_array(const json_t *array, struct perun_buffer *out, unsigned depth)
{
	bool flat = is_flat(array);

	perun_buffer_add_char(out, '[');
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (i)
			perun_buffer_add_text(out, flat ? ", " : ",");
		if (!flat)
			indent(out, depth + 1);
		print_value(json_array_get(array, i), out, depth + 1);
	}
	if (!flat)
		indent(out, depth);
	perun_buffer_add_char(out, ']');
}

static void print_object(const json_t *object, struct perun_buffer *out, unsigned depth)
{
	json_t *copy = (json_t *)object; /* Jansson's iterators want it so; nothing is changed */
	const char *key;
	json_t *value;
	bool any = false;

	perun_buffer_add_char(out, '{');
	json_object_foreach(copy, key, value)
	{
		if (any)
			perun_buffer_add_char(out, ',');
		any = true;
		indent(out, depth + 1);
		perun_json_quote(out, key, strlen(key));
		perun_buffer_add_text(out, ": ");
		print_value(value, out, depth + 1);
	}
	if (any)
		indent(out, depth);
	perun_buffer_add_char(out, '}');
}

static void print_value(const json_t *value, struct perun_buffer *out, unsigned depth)
{
	char number[PERUN_JSON_NUMBER_SIZE];

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		print_object(value, out, depth);
		break;
	case JSON_ARRAY:
		print_array(value, out, depth);
		break;
	case JSON_STRING:
		perun_json_quote(out, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		perun_json_print_int64(json_integer_value(value), number);
		perun_buffer_add_text(out, number);
		break;
	case JSON_REAL:
		perun_json_print_double(json_real_value(value), number);
		perun_buffer_add_text(out, number);
		break;
	case JSON_TRUE:
		perun_buffer_add_text(out, "true");
		break;
	case JSON_FALSE:
		perun_buffer_add_text(out, "false");
		break;
	default:
		perun_buffer_add_text(out, "null");
	}
}

void cli_print_fact(json_t *document, unsigned depth)
{
	struct perun_buffer out = {0};

	indent(&out, depth);
	print_value(document, &out, depth);
	fwrite(out.data, 1, out.length, stdout);
	perun_buffer_free(&out);
	json_decref(document);
}

void cli_print_facts(json_t *document)
{
	struct perun_buffer out = {0};

	print_value(document, &out, 0);
	perun_buffer_add_char(&out, '\n');
	fwrite(out.data, 1, out.length, stdout);
	perun_buffer_free(&out);
	json_decref(document);
}
