/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * custom-benchmark: what github-action-benchmark reads and keeps: a list of {name, unit, value, range}, a run with such a
 * list as "benches", and data.js, of which the newest run of each suite counts.
 */
#include <math.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/json-source.h"

#define DATA_JS "window.BENCHMARK_DATA"

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	const char *suite; /* that names begin with, or NULL */
	bool bigger;       /* values are better higher, where their units do not say */
	bool cargo;        /* the run is libtest's */
};

/*
 * The standard error that a range states, as a share of the value: "± 975" in the unit of the value, "±0.74%" of it, or
 * pytest's "stddev: 6e-7", in seconds for one operation. NaN: it states none. What cargo prints is a range of samples, other
 * tools state a deviation, of two runs at least.
 */
static double error_of_range(const struct reading *reading, const char *range, double value)
{
	static const char *const begins[] = {"\xc2\xb1", "+/-", "(+/-", "stddev:"};
	bool seconds = false, found = false;
	double number;
	size_t length;

	for (size_t i = 0; !found && i < sizeof begins / sizeof *begins; i++) {
		found = strncmp(range, begins[i], strlen(begins[i])) == 0;
		seconds = found && begins[i][0] == 's';
		range += found ? strlen(begins[i]) : 0;
	}
	range += strspn(range, " ");
	length = strspn(range, "0123456789.,+-eE");
	if (!seconds)
		length = benchmark_grouped(range, &number);
	else if (!perun_json_parse_double(range, length, &number))
		return NAN;
	if (!length)
		return NAN;
	range += length;
	if (*range == '%')
		number *= value / 100;
	else if (seconds)
		number *= value * value;
	return reading->cargo ? number / value * BENCHMARK_ERROR_OF_RANGE
			      : number / value / sqrt(2);
}

static void add_range(const struct reading *reading, const char *uid, const char *unit, bool bigger,
		      const char *range, double value)
{
	double error = error_of_range(reading, range, value);

	if (bigger)
		benchmark_deviation(reading->benchmark, benchmark_metric_of_unit(unit), uid, error);
	else
		benchmark_deviation_in_unit(reading->benchmark, uid, "real", NULL, unit, error);
}

/* Times are better lower, whatever the run says of all its values. */
static bool is_time(const char *unit)
{
	char *above = perun_strndup(unit, strcspn(unit, "/"));
	double seconds = 1;
	bool time = benchmark_to_seconds(&seconds, above);

	perun_free(above);
	return time;
}

/* `range` may be NULL. */
static void add_value(const struct reading *reading, const char *name, const char *unit,
		      double value, const char *range)
{
	char *whole = reading->suite ? perun_format("%s/%s", reading->suite, name) : NULL;
	const char *uid = whole ? whole : name;
	bool bigger = reading->bigger && !is_time(unit);

	if (bigger)
		benchmark_value(reading->benchmark, uid, benchmark_metric_of_unit(unit), unit, true,
				value);
	else
		benchmark_in_unit(reading->benchmark, uid, "real", NULL, unit, value);
	if (range)
		add_range(reading, uid, unit, bigger, range, value);
	perun_free(whole);
}

static bool value_of(const struct perun_json *item, double *value)
{
	const struct perun_json *member = perun_json_get(item, "value");
	const char *text = perun_json_as_string(member, NULL);

	return perun_json_as_double(member, value) ||
	       (text && perun_json_parse_double(text, strlen(text), value));
}

/* What is wrong with an item. */
static int refuse_item(struct perun_ctx *ctx, const struct perun_json *item, size_t at)
{
	char *where = perun_format("[%zu]", at);
	const struct perun_json *name;
	int status = benchmark_member(ctx, item, where, "name", PERUN_JSON_TYPE_STRING, &name);

	if (!status)
		status = perun_fail(ctx, PERUN_INPUT, "expected %s.value to be a number", where);
	perun_free(where);
	return status;
}

static int read_item(const struct reading *reading, const struct perun_json *item, size_t at)
{
	const char *name = perun_json_as_string(perun_json_get(item, "name"), NULL);
	double value;

	if (!name || !value_of(item, &value))
		return refuse_item(reading->ctx, item, at);
	add_value(reading, name, perun_json_get_text(item, "unit"), value,
		  perun_json_as_string(perun_json_get(item, "range"), NULL));
	return PERUN_OK;
}

/* ---- a document that is a list: nothing is kept of its objects but what counts --------------- */

struct item {
	struct perun_buffer name, unit, range; /* texts, where they are one */
	enum perun_json_event named;           /* what the name is; END: there is none */
	bool has_value, has_range;
	double value;
};

static bool take_text(const struct perun_json_token *token, struct perun_buffer *text)
{
	perun_buffer_clear(text);
	if (token->event != PERUN_JSON_STRING)
		return false;
	perun_buffer_add(text, token->text, token->length);
	perun_buffer_add_char(text, '\0');
	return true;
}

static bool take_number(const struct perun_json_token *token, double *number)
{
	if (token->event == PERUN_JSON_NUMBER && token->kind == PERUN_JSON_DOUBLE) {
		*number = token->number.real;
		return true;
	}
	return (token->event == PERUN_JSON_NUMBER || token->event == PERUN_JSON_STRING) &&
	       perun_json_parse_double(token->text, token->length, number);
}

/* The last one of several members of a name counts. */
static void take_member(struct perun_json_reader *json, struct item *item)
{
	const struct perun_json_token *token = perun_json_token(json);

	if (perun_json_token_is(token, "name")) {
		item->named = perun_json_next(json);
		take_text(token, &item->name);
	} else if (perun_json_token_is(token, "unit")) {
		perun_json_next(json);
		take_text(token, &item->unit);
	} else if (perun_json_token_is(token, "value")) {
		perun_json_next(json);
		item->has_value = take_number(token, &item->value);
	} else if (perun_json_token_is(token, "range")) {
		perun_json_next(json);
		item->has_range = take_text(token, &item->range);
	}
	perun_json_skip(json);
}

static int take_item(const struct reading *reading, struct perun_json_reader *json,
		     struct item *item, size_t at)
{
	item->named = PERUN_JSON_END;
	item->has_value = item->has_range = false;
	perun_buffer_clear(&item->unit);
	if (perun_json_token(json)->event == PERUN_JSON_OBJECT_START)
		while (perun_json_next(json) == PERUN_JSON_KEY)
			take_member(json, item);
	if (perun_json_error(json)->status)
		return perun_json_error(json)->status;
	if (item->named != PERUN_JSON_STRING)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected [%zu].name to be a string, found %s", at,
				  item->named ? perun_json_event_name(item->named) : "nothing");
	if (!item->has_value)
		return perun_fail(reading->ctx, PERUN_INPUT, "expected [%zu].value to be a number",
				  at);
	add_value(reading, item->name.data, item->unit.length ? item->unit.data : "", item->value,
		  item->has_range ? item->range.data : NULL);
	return PERUN_OK;
}

static int read_items(const struct reading *reading, struct perun_input *input)
{
	struct json_source source = {.ctx = reading->ctx, .input = input};
	struct perun_json_reader *json =
		perun_json_reader_new(reading->ctx, json_source_read, &source, NULL);
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "a list of results");
	struct item item = {0};

	for (size_t i = 0; !status && perun_json_next(json) > 0; i++) {
		if (perun_json_token(json)->event == PERUN_JSON_ARRAY_END)
			break;
		status = take_item(reading, json, &item, i);
	}
	if (!status && perun_json_next(json) != PERUN_JSON_END)
		status = perun_json_error(json)->status;
	perun_buffer_free(&item.name);
	perun_buffer_free(&item.unit);
	perun_buffer_free(&item.range);
	perun_json_reader_free(json);
	return status;
}

/* ---- data.js, and single runs ---------------------------------------------------------------- */

static int read_list(const struct reading *reading, const struct perun_json *list)
{
	int status = PERUN_OK;

	if (perun_json_type(list) != PERUN_JSON_TYPE_ARRAY)
		return perun_fail(reading->ctx, PERUN_INPUT, "expected a list of results");
	for (size_t i = 0; !status && i < perun_json_count(list); i++)
		status = read_item(reading, perun_json_pass(list, i, NULL), i);
	return status;
}

/* {"commit": ..., "tool": "customBiggerIsBetter", "benches": [...]} */
static int read_run(struct reading *reading, const struct perun_json *run)
{
	const char *tool = perun_json_as_string(perun_json_get(run, "tool"), NULL);

	reading->bigger = tool && strcmp(tool, "customBiggerIsBetter") == 0;
	reading->cargo = tool && strcmp(tool, "cargo") == 0;
	if (tool)
		benchmark_fact(reading->benchmark, "tool", perun_json_text(tool));
	if (perun_json_get(run, "commit"))
		benchmark_fact(reading->benchmark, "commit",
			       perun_json_clone(perun_json_get(run, "commit")));
	return read_list(reading, perun_json_get(run, "benches"));
}

/* The newest run of each suite, where the document has it under "entries". */
static int read_suites(struct reading *reading, const struct perun_json *suites)
{
	size_t count = perun_json_count(suites);
	int status = PERUN_OK;

	if (perun_json_type(suites) != PERUN_JSON_TYPE_OBJECT)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected a list of results, or entries of suites");
	for (size_t i = 0; !status && i < count; i++) {
		reading->suite = count > 1 ? perun_json_key_at(suites, i, NULL) : NULL;
		status = read_run(reading, perun_json_at(suites, i));
	}
	return status;
}

/* JSON, or a script that assigns it: what is before the object is left out. */
struct script {
	struct perun_ctx *ctx;
	struct perun_input *input;
	bool begun, assigned;
};

static int read_script(void *data, void *memory, size_t size, size_t *got)
{
	struct script *script = data;
	int status = perun_input_read(script->ctx, script->input, memory, size, got);
	const char *object = NULL;

	if (!status && !script->begun &&
	    memmem(memory, *got < 4096 ? *got : 4096, DATA_JS, strlen(DATA_JS)))
		object = memchr(memory, '{', *got);
	script->begun = true;
	if (object) {
		script->assigned = true;
		*got -= (size_t)(object - (const char *)memory);
		memmove(memory, object, *got);
	}
	return status;
}

/* The last one of a list, one at a time being in memory. */
static int read_newest(struct perun_json_reader *json, struct perun_json **run)
{
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "the runs of a suite");

	*run = NULL;
	while (!status && perun_json_next(json) != PERUN_JSON_ARRAY_END) {
		perun_json_free(*run);
		status = perun_json_read_value(json, run);
	}
	return status;
}

static int read_entries(struct perun_json_reader *json, struct perun_json *suites)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = perun_json_expect(json, PERUN_JSON_OBJECT_START, "entries of suites");

	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		char *suite = perun_strndup(token->text, token->length);
		struct perun_json *run;

		status = read_newest(json, &run);
		if (run)
			perun_json_set(suites, suite, run);
		perun_free(suite);
	}
	return status ? status : perun_json_error(json)->status;
}

static int read_members(struct perun_json_reader *json, struct perun_json *document)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = perun_json_expect(json, PERUN_JSON_OBJECT_START, "an object");

	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		char *key = perun_strndup(token->text, token->length);
		struct perun_json *value = NULL;

		if (strcmp(key, "entries") == 0) {
			value = perun_json_object();
			status = read_entries(json, value);
		} else {
			perun_json_next(json);
			status = perun_json_read_value(json, &value);
		}
		if (value)
			perun_json_set(document, key, value);
		perun_free(key);
	}
	return status ? status : perun_json_error(json)->status;
}

static int read_document(struct perun_ctx *ctx, struct perun_input *input,
			 struct perun_json **document)
{
	struct script script = {.ctx = ctx, .input = input};
	struct perun_json_reader *json = perun_json_reader_new(ctx, read_script, &script, NULL);
	int status;

	*document = perun_json_object();
	status = read_members(json, *document);
	if (!status && !script.assigned && perun_json_next(json) != PERUN_JSON_END)
		status = perun_json_error(json)->status;
	perun_json_reader_free(json);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	struct perun_json *document = NULL;
	char first;
	int status;

	(void)instance;
	status = benchmark_first_byte(ctx, input, &first);
	if (status)
		return status;
	reading.benchmark = benchmark_begin(ctx, builder, "custom-benchmark", input);
	if (first == '[')
		status = read_items(&reading, input);
	else
		status = read_document(ctx, input, &document);
	if (!status && perun_json_get(document, "benches"))
		status = read_run(&reading, document);
	else if (!status && first != '[')
		status = read_suites(&reading, perun_json_get(document, "entries"));
	status = benchmark_end(reading.benchmark, status);
	perun_json_free(document);
	return status;
}

/* data.js, or a list whose first object has these keys. */
static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data, *end;
	struct perun_probe first = *probe;

	if (probe->directory)
		return 0;
	/* The option external-data-json-path keeps the same without the assignment. */
	if (probe_has(probe, DATA_JS) ||
	    (probe_has(probe, "\"lastUpdate\"") && probe_has(probe, "\"repoUrl\"") &&
	     probe_has(probe, "\"entries\"")))
		return 95;
	while (first.size && strchr(" \t\r\n", *text) && *text) {
		text++;
		first.size--;
	}
	if (!first.size || *text != '[')
		return 0;
	end = memchr(text, '}', first.size);
	first.data = text;
	first.size = end ? (size_t)(end - text) : first.size;
	return probe_has(&first, "\"name\"") && probe_has(&first, "\"unit\"") &&
			       probe_has(&first, "\"value\"") && !probe_has(&first, "\"ph\"")
		       ? 85
		       : 0;
}

static const char *const marks[] = {DATA_JS, "\"unit\"", "\"repoUrl\"", NULL};

FORMAT_PLUGIN(custom_benchmark, "custom-benchmark", "custom JSON of github-action-benchmark", NULL,
	      .contains = marks, .probe = probe_format, .read = read_format);
