/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts as JSON. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perun/json.h>

#include "cli/print/json.h"
#include "commands/common/history.h"

/* ---- making ---------------------------------------------------------------------------------- */

struct perun_json *cli_json_text(const char *text)
{
	return text ? perun_json_text(text) : perun_json_null();
}

/* A number; null when it is not finite. */
static struct perun_json *cli_json_number(double number)
{
	return isfinite(number) ? perun_json_double(number) : perun_json_null();
}

/* The names in a text, separated by blanks, as an array. */
static struct perun_json *cli_json_words(const char *text)
{
	struct perun_json *array = perun_json_array();

	while (text && *(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");
		char *word = perun_strndup(text, length);

		perun_json_append(array, cli_json_text(word));
		perun_free(word);
		text += length;
	}
	return array;
}

struct perun_json *cli_json_entry(const struct perun_entry *entry, const char *id)
{
	struct perun_json *fact = perun_json_object(), *labels = perun_json_object();

	if (id)
		perun_json_set(fact, "id", perun_json_text(id));
	perun_json_set(fact, "source", cli_json_text(entry->path));
	perun_json_set(fact, "checksum", cli_json_text(entry->checksum));
	perun_json_set(fact, "type", cli_json_text(entry->type));
	perun_json_set(fact, "cmd", cli_json_text(entry->cmd));
	perun_json_set(fact, "args", cli_json_text(entry->args));
	perun_json_set(fact, "workload", cli_json_text(entry->workload));
	perun_json_set(fact, "collector", cli_json_text(entry->collector));
	perun_json_set(fact, "postprocessors", cli_json_words(entry->postprocessors));
	perun_json_set(fact, "time", commands_json_time(entry->time));
	for (const char *at = entry->labels; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		char *key = perun_strndup(at, strcspn(at, "=")), *value;

		value = perun_strndup(at + strlen(key) + 1, strcspn(at, "\n") - strlen(key) - 1);
		perun_json_set(labels, key, cli_json_text(value));
		perun_free(key);
		perun_free(value);
	}
	perun_json_set(fact, "labels", labels);
	return fact;
}

struct perun_json *cli_json_version(const struct perun_minor_version *version)
{
	struct perun_json *fact = perun_json_object(), *parents = perun_json_array();

	for (size_t i = 0; i < version->parent_count; i++)
		perun_json_append(parents, cli_json_text(version->parents[i]));
	perun_json_set(fact, "checksum", cli_json_text(version->checksum));
	perun_json_set(fact, "author", cli_json_text(version->author));
	perun_json_set(fact, "email", cli_json_text(version->email));
	perun_json_set(fact, "date", commands_json_time(version->date));
	perun_json_set(fact, "parents", parents);
	perun_json_set(fact, "description", cli_json_text(version->description));
	return fact;
}

/* What a total is made of is a number, as the Python program has it; else it is a text. */
static struct perun_json *fact_amount(const struct perun_change *change, const char *text)
{
	bool total = change->result == PERUN_RESULT_TOTAL_DEGRADATION ||
		     change->result == PERUN_RESULT_TOTAL_OPTIMIZATION;
	double number;

	if (total && perun_json_parse_double(text, strlen(text), &number))
		return cli_json_number(number);
	return cli_json_text(text);
}

struct perun_json *cli_json_change(const struct perun_change *change, const char *minor,
				   const char *command)
{
	struct perun_json *fact = perun_json_object(), *intervals = perun_json_array();

	for (size_t i = 0; i < change->interval_count; i++) {
		const struct perun_interval_change *interval = perun_change_interval(change, i);
		struct perun_json *item = perun_json_array();

		perun_json_append(item, cli_json_text(perun_result_name(interval->result)));
		perun_json_append(item, cli_json_number(interval->relative));
		perun_json_append(item, cli_json_number(interval->from));
		perun_json_append(item, cli_json_number(interval->to));
		perun_json_append(intervals, item);
	}
	perun_json_set(fact, "result", cli_json_text(perun_result_name(change->result)));
	perun_json_set(fact, "type", cli_json_text(change->type));
	perun_json_set(fact, "location", cli_json_text(change->location));
	perun_json_set(fact, "from_baseline", fact_amount(change, change->from_baseline));
	perun_json_set(fact, "to_target", fact_amount(change, change->to_target));
	perun_json_set(fact, "rate", cli_json_number(change->rate));
	perun_json_set(fact, "confidence_type", cli_json_text(change->confidence_type));
	perun_json_set(fact, "confidence_rate", cli_json_number(change->confidence_rate));
	perun_json_set(fact, "relative", cli_json_number(change->relative));
	if (change->low < change->high) {
		struct perun_json *interval = perun_json_array();

		perun_json_append(interval, cli_json_number(change->low));
		perun_json_append(interval, cli_json_number(change->high));
		perun_json_set(fact, "interval", interval);
	}
	perun_json_set(fact, "partial_intervals", intervals);
	if (change->method && *change->method)
		perun_json_set(fact, "method", cli_json_text(change->method));
	if (change->metric && *change->metric)
		perun_json_set(fact, "metric", cli_json_text(change->metric));
	if (change->explanation && *change->explanation)
		perun_json_set(fact, "explanation", cli_json_text(change->explanation));
	if (minor && *minor)
		perun_json_set(fact, "baseline", cli_json_text(minor));
	if (command && *command)
		perun_json_set(fact, "command", cli_json_text(command));
	return fact;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void indent(struct perun_buffer *out, unsigned depth)
{
	perun_buffer_add_char(out, '\n');
	while (depth--)
		perun_buffer_add_text(out, "  ");
}

static bool is_nested(const struct perun_json *value)
{
	enum perun_json_type type = perun_json_type(value);

	return type == PERUN_JSON_TYPE_OBJECT || type == PERUN_JSON_TYPE_ARRAY;
}

/* Whether an array is short enough for one line: no arrays or objects inside. */
static bool is_flat(const struct perun_json *array)
{
	bool flat = true;

	for (size_t i = 0; flat && i < perun_json_count(array); i++)
		flat = !is_nested(perun_json_at(array, i));
	return flat;
}

static void print_value(const struct perun_json *value, struct perun_buffer *out, unsigned depth);

static void print_array(const struct perun_json *array, struct perun_buffer *out, unsigned depth)
{
	bool flat = is_flat(array);

	perun_buffer_add_char(out, '[');
	for (size_t i = 0; i < perun_json_count(array); i++) {
		if (i)
			perun_buffer_add_text(out, flat ? ", " : ",");
		if (!flat)
			indent(out, depth + 1);
		print_value(perun_json_at(array, i), out, depth + 1);
	}
	if (!flat)
		indent(out, depth);
	perun_buffer_add_char(out, ']');
}

static void print_object(const struct perun_json *object, struct perun_buffer *out, unsigned depth)
{
	size_t count = perun_json_count(object), length;

	perun_buffer_add_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		const char *key = perun_json_key_at(object, i, &length);

		if (i)
			perun_buffer_add_char(out, ',');
		indent(out, depth + 1);
		perun_json_quote(out, key, length);
		perun_buffer_add_text(out, ": ");
		print_value(perun_json_at(object, i), out, depth + 1);
	}
	if (count)
		indent(out, depth);
	perun_buffer_add_char(out, '}');
}

static void print_value(const struct perun_json *value, struct perun_buffer *out, unsigned depth)
{
	double number = 0;

	if (perun_json_type(value) == PERUN_JSON_TYPE_OBJECT)
		print_object(value, out, depth);
	else if (perun_json_type(value) == PERUN_JSON_TYPE_ARRAY)
		print_array(value, out, depth);
	else if (perun_json_as_double(value, &number) && !isfinite(number))
		perun_buffer_add_text(out, "null");
	else
		perun_json_print(value, out, PERUN_JSON_COMPACT, 0);
}

void cli_print_fact(struct perun_json *document, unsigned depth)
{
	struct perun_buffer out = {0};

	indent(&out, depth);
	print_value(document, &out, depth);
	fwrite(out.data, 1, out.length, stdout);
	perun_buffer_free(&out);
	perun_json_free(document);
}

void cli_print_facts(struct perun_json *document)
{
	struct perun_buffer out = {0};

	print_value(document, &out, 0);
	perun_buffer_add_char(&out, '\n');
	fwrite(out.data, 1, out.length, stdout);
	perun_buffer_free(&out);
	perun_json_free(document);
}
