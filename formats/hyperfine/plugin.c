/* SPDX-License-Identifier: BSD-3-Clause */
/* hyperfine: what its exports write and what it prints; in JSON each run is a repeat of its command, all else has means alone. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"
#include "formats/common/result-table.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_input *input;
	struct benchmark *benchmark;
	size_t runs, failures; /* of the exit codes of a result */
};

/* An exit code is 0, or the run failed: one that was killed has null. */
static void count_failures(struct reading *reading, struct perun_json_reader *json)
{
	union perun_json_number codes[256];
	uint8_t kinds[256];
	struct perun_json_batch batch = {codes, kinds, .capacity = 256};

	reading->runs = reading->failures = 0;
	for (;;) {
		if (perun_json_read_numbers(json, &batch))
			return;
		for (size_t i = 0; i < batch.count; i++)
			reading->failures += kinds[i] != PERUN_JSON_INT64 || codes[i].int64 != 0;
		reading->runs += batch.count;
		if (batch.count == batch.capacity)
			continue;
		if (perun_json_next(json) <= PERUN_JSON_END ||
		    perun_json_token(json)->event == PERUN_JSON_ARRAY_END || perun_json_skip(json))
			return;
		reading->runs++;
		reading->failures++;
	}
}

/* The arrays of numbers of a result may be long: they are not kept in its document. */
static int take_array(void *data, struct perun_json_reader *json,
		      const struct perun_json_place *place, bool *taken)
{
	struct reading *reading = data;

	if (place->depth != 1 || !place->key)
		return PERUN_OK;
	if (strcmp(place->key, "times") == 0) {
		benchmark_hold_times(reading->benchmark, json, 1);
		*taken = true;
	} else if (strcmp(place->key, "exit_codes") == 0) {
		count_failures(reading, json);
		*taken = true;
	}
	return PERUN_OK;
}

static int read_times(struct reading *reading, const struct perun_json *result, const char *command,
		      const char *where)
{
	const char *found;
	size_t stray, count = benchmark_held(reading->benchmark, &stray, &found);
	double seconds, deviation, runs = 2; /* there were two at least */

	if (perun_json_type(perun_json_get(result, "times")) != PERUN_JSON_TYPE_ARRAY)
		count = 0;
	if (count && found)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected %s.times[%zu] to be a number, found %s", where, stray,
				  found);
	if (count) {
		benchmark_name_held(reading->benchmark, command, "real");
		return PERUN_OK;
	}
	benchmark_drop_held(reading->benchmark);
	if (!perun_json_as_double(perun_json_get(result, "mean"), &seconds))
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected %s to have times, an array of numbers, or mean", where);
	benchmark_time(reading->benchmark, command, "real", seconds);
	perun_json_as_double(perun_json_get(result, "runs"), &runs);
	if (perun_json_as_double(perun_json_get(result, "stddev"), &deviation))
		benchmark_deviation(reading->benchmark, "time(real)", command,
				    deviation / seconds / sqrt(fmax(runs, 2)));
	return PERUN_OK;
}

/* hyperfine writes memory as an array with a value of each run, or as one number. */
static void read_memory(struct reading *reading, const struct perun_json *result,
			const char *command)
{
	const struct perun_json *memory = perun_json_get(result, "memory_usage_byte");
	double bytes;

	if (perun_json_as_double(memory, &bytes))
		benchmark_value(reading->benchmark, command, "max_rss", "B", false, bytes);
	for (size_t i = 0; i < perun_json_count(memory); i++) {
		if (perun_json_as_double(perun_json_pass(memory, i, NULL), &bytes))
			benchmark_value(reading->benchmark, command, "max_rss", "B", false, bytes);
	}
}

/* A run that fails may end early: the command has no times then, and failed. */
static bool has_failed(struct reading *reading, const struct perun_json *result,
		       const char *command)
{
	const struct perun_json *codes = perun_json_get(result, "exit_codes");
	size_t failed = reading->failures, runs = reading->runs;
	char *why;

	reading->failures = reading->runs = 0;
	if (!failed || perun_json_type(codes) != PERUN_JSON_TYPE_ARRAY)
		return false;
	why = perun_format("%zu of %zu runs ended with a failure", failed, runs);
	benchmark_failed(reading->benchmark, command, why);
	perun_warn(reading->ctx, "%s: '%s' is left out: %s", perun_input_name(reading->input),
		   command, why);
	perun_free(why);
	return true;
}

/* Whether a word of the command is the value: what is around it is neither a letter nor a digit. */
static bool has_word(const char *command, const char *value)
{
	size_t length = strlen(value);

	for (const char *at = command; length && (at = strstr(at, value)); at++) {
		if ((at == command || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	}
	return false;
}

/* They are a part of the name of the benchmark. */
enum { MAX_PARAMETERS = 65536 };

/* The command, with the parameters that it does not show: so that the name depends on nothing but this result. */
static char *name_of(const struct perun_json *result, const char *command)
{
	const struct perun_json *parameters = perun_json_get(result, "parameters");
	struct perun_buffer name = {0};
	size_t count = 0;

	perun_buffer_add_text(&name, command);
	for (size_t i = 0; i < perun_json_count(parameters); i++) {
		const char *key,
			*value = perun_json_as_string(perun_json_pass(parameters, i, &key), NULL);

		if (value && has_word(command, value))
			continue;
		perun_buffer_printf(&name, "%s%s=%s", count++ ? ", " : " (", key,
				    value ? value : "");
	}
	if (count)
		perun_buffer_add_char(&name, ')');
	perun_buffer_add_char(&name, '\0');
	return name.data;
}

static int read_result(void *data, const struct perun_json *result, const char *key, size_t at)
{
	struct reading *reading = data;
	char *where = perun_format("results[%zu]", at);
	const struct perun_json *name;
	double seconds;
	int status = benchmark_member(reading->ctx, result, where, "command",
				      PERUN_JSON_TYPE_STRING, &name);
	char *command = NULL;
	bool failed;

	(void)key;
	if (!status && perun_json_count(perun_json_get(result, "parameters")) > MAX_PARAMETERS)
		status = perun_fail(reading->ctx, PERUN_INPUT, "%s has more than %d parameters",
				    where, MAX_PARAMETERS);
	if (!status)
		command = name_of(result, perun_json_as_string(name, NULL));
	failed = !status && has_failed(reading, result, command);
	if (!status && !failed)
		status = read_times(reading, result, command, where);
	perun_free(where);
	if (status || failed) {
		benchmark_drop_held(reading->benchmark);
		perun_free(command);
		return status;
	}
	if (perun_json_as_double(perun_json_get(result, "user"), &seconds))
		benchmark_time(reading->benchmark, command, "user", seconds);
	if (perun_json_as_double(perun_json_get(result, "system"), &seconds))
		benchmark_time(reading->benchmark, command, "sys", seconds);
	read_memory(reading, result, command);
	perun_free(command);
	return PERUN_OK;
}

/* ---- CSV and Markdown -------------------------------------------------------------------------- */

/* "12.3 ± 0.4" in a unit of its heading; CSV has seconds. */
static void set_seconds(struct perun_json *result, const char *key,
			const struct result_table *table, const char *heading)
{
	const char *unit, *cell;
	size_t length, used;
	double amount, deviation;
	char *of;

	cell = result_table_value(table, heading, &unit, &length);
	used = cell ? benchmark_grouped(cell, &amount) : 0;
	if (!used)
		return;
	of = perun_strndup(unit, length);
	if (!length || benchmark_to_seconds(&amount, of))
		perun_json_set(result, key, perun_json_double(amount));
	cell += used + strspn(cell + used, " \xc2\xb1");
	if (benchmark_grouped(cell, &deviation) &&
	    (!length || benchmark_to_seconds(&deviation, of)))
		perun_json_set(result, "stddev", perun_json_double(deviation));
	perun_free(of);
}

/* The row as a result of the JSON. */
static int read_row(void *data, const struct result_table *table)
{
	static const char *const keys[][3] = {{"mean", "mean", "Mean"},
					      {"stddev", "stddev", "stddev"},
					      {"user", "user", "user"},
					      {"system", "system", "system"}};
	struct perun_json *result = perun_json_object(), *parameters = perun_json_object();
	const char *command = result_table_cell(table, 0);
	int status;

	perun_json_set(result, "command", perun_json_text(command));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		for (size_t k = 1; k < 3 && !perun_json_get(result, keys[i][0]); k++)
			set_seconds(result, keys[i][0], table, keys[i][k]);
	for (size_t i = 0; i < result_table_columns(table); i++) {
		const char *heading = result_table_heading(table, i);

		if (strncmp(heading, "parameter_", 10) == 0)
			perun_json_set(parameters, heading + 10,
				       perun_json_text(result_table_cell(table, i)));
	}
	perun_json_set(result, "parameters", parameters);
	status = read_result(data, result, NULL, result_table_line(table));
	perun_json_free(result);
	return status;
}

static int read_text(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder, const char *heading)
{
	struct reading reading = {.ctx = ctx, .input = input};

	reading.benchmark = benchmark_begin(ctx, builder, "hyperfine", input);
	return benchmark_end(reading.benchmark,
			     result_table_read(ctx, input, heading, read_row, &reading));
}

/* ---- what it prints ----------------------------------------------------------------------------- */

struct console {
	struct reading reading;
	struct perun_json *result; /* as of the JSON; NULL before the first */
	size_t number;
};

/* The time that follows a word of a line: "User: 1.2 ms". */
static void set_after(struct console *console, const char *key, const char *line, const char *word)
{
	const char *at = strstr(line, word);
	double amount;
	size_t used;
	char *unit;

	if (!at)
		return;
	at += strlen(word);
	at += strspn(at, " ");
	used = benchmark_grouped(at, &amount);
	at += used;
	at += strspn(at, " ");
	unit = perun_strndup(at, strcspn(at, " ,]"));
	if (used && benchmark_to_seconds(&amount, unit))
		perun_json_set(console->result, key, perun_json_double(amount));
	perun_free(unit);
}

/* A command that was interrupted or could not be run has no time. */
static int end_result(struct console *console)
{
	struct perun_json *result = console->result;
	int status = PERUN_OK;

	console->result = NULL;
	if (perun_json_get(result, "mean") || perun_json_get(result, "exit_codes"))
		status = read_result(&console->reading, result, NULL, console->number);
	perun_json_free(result);
	return status;
}

/* The command of "Benchmark 1: sort big" or, of older versions, "Benchmark #1: sort big"; else NULL. */
static const char *command_of(const char *line)
{
	const char *digits = line + 10;
	size_t length;

	if (strncmp(line, "Benchmark ", 10) != 0)
		return NULL;
	digits += *digits == '#';
	length = strspn(digits, "0123456789");
	return length && strncmp(digits + length, ": ", 2) == 0 ? digits + length + 2 : NULL;
}

static int take_line(void *data, char *line, size_t length)
{
	struct console *console = data;
	const char *command = command_of(line), *runs;
	double count;

	(void)length;
	if (command) {
		int status = end_result(console);

		console->result = perun_json_object();
		console->number++;
		perun_json_set(console->result, "command", perun_json_text(command));
		return status;
	}
	if (!console->result)
		return PERUN_OK;
	if (strstr(line, "Time (")) {
		set_after(console, "mean", line, "):");
		set_after(console, "stddev", strstr(line, "): ") ? strstr(line, "): ") : "",
			  "\xc2\xb1 ");
		set_after(console, "user", line, "User:");
		set_after(console, "system", line, "System:");
	} else if ((runs = strstr(line, " runs"))) {
		while (runs > line && isdigit((unsigned char)runs[-1]))
			runs--;
		if (benchmark_grouped(runs, &count) && count >= 2)
			perun_json_set(console->result, "runs", perun_json_double(count));
	} else if (strstr(line, "non-zero exit code")) {
		perun_json_set(console->result, "exit_codes", perun_json_array());
		console->reading.runs = console->reading.failures = 1;
	}
	return PERUN_OK;
}

/* What whole lines of results end in. */
static const char *const endings[] = {"runs", "faster than", "times", NULL};

static int read_console(struct perun_ctx *ctx, struct perun_input *input,
			struct perun_builder *builder)
{
	struct console console = {.reading = {.ctx = ctx, .input = input}};
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status;

	console.reading.benchmark = benchmark_begin(ctx, builder, "hyperfine", input);
	status = read_each_log_line(ctx, lines, take_line, &console, endings);
	if (!status)
		status = end_result(&console);
	perun_json_free(console.result);
	perun_lines_free(lines);
	return benchmark_end(console.reading.benchmark, status);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static int read_json(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .input = input};
	const struct perun_json *results;
	struct perun_json *document;
	int status;

	reading.benchmark = benchmark_begin(ctx, builder, "hyperfine", input);
	status = benchmark_read_around(ctx, input, "results", read_result, take_array, &reading,
				       &document);
	if (!status)
		status = benchmark_member(ctx, document, "", "results", PERUN_JSON_TYPE_ARRAY,
					  &results);
	status = benchmark_end(reading.benchmark, status);
	perun_json_free(document);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (status)
		return status;
	if (first == 'B')
		return read_console(ctx, input, builder);
	if (first == '|')
		return read_text(ctx, input, builder, "Command");
	return first == 'c' ? read_text(ctx, input, builder, "command")
			    : read_json(ctx, input, builder);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_starts(probe, "command,mean,stddev,median,user,system,min,max") ||
	    probe_starts(probe, "| Command | Mean ["))
		return 95;
	if (probe_starts(probe, "Benchmark ") && probe_has(probe, "\n  Time (") &&
	    probe_has(probe, "[User: "))
		return 95;
	if (!probe_has(probe, "\"results\"") || !probe_has(probe, "\"command\"") ||
	    !probe_has(probe, "\"mean\""))
		return 0;
	return probe_has(probe, "\"stddev\"") && probe_has(probe, "\"system\"") ? 95 : 0;
}

static const char *const marks[] = {"command,mean,stddev,", "| Command | Mean [", "\"stddev\"",
				    "[User: ", NULL};

FORMAT_PLUGIN(hyperfine, "hyperfine", "results of hyperfine", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
