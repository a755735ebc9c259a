/* SPDX-License-Identifier: BSD-3-Clause */
/* hyperfine: what `hyperfine --export-json` writes, each run a repeat of its command. */
#include <ctype.h>
#include <string.h>

#include "formats/common/benchmark.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_input *input;
	struct benchmark *benchmark;
};

static int read_times(struct reading *reading, const struct perun_json *result, const char *command,
		      const char *where)
{
	const struct perun_json *times = perun_json_get(result, "times");
	double seconds;

	for (size_t i = 0; i < perun_json_count(times); i++) {
		if (!perun_json_as_double(perun_json_at(times, i), &seconds))
			return perun_fail(
				reading->ctx, PERUN_INPUT,
				"expected %s.times[%zu] to be a number, found %s", where, i,
				perun_json_type_name(perun_json_type(perun_json_at(times, i))));
		benchmark_time(reading->benchmark, command, "real", seconds);
	}
	if (perun_json_count(times))
		return PERUN_OK;
	if (!perun_json_as_double(perun_json_get(result, "mean"), &seconds))
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected %s to have times, an array of numbers, or mean", where);
	benchmark_time(reading->benchmark, command, "real", seconds);
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
		if (perun_json_as_double(perun_json_at(memory, i), &bytes))
			benchmark_value(reading->benchmark, command, "max_rss", "B", false, bytes);
	}
}

/* A run that fails may end early: the command has no times then, and failed. */
static bool has_failed(struct reading *reading, const struct perun_json *result,
		       const char *command)
{
	const struct perun_json *codes = perun_json_get(result, "exit_codes");
	size_t failed = 0;
	int64_t code;
	char *why;

	for (size_t i = 0; i < perun_json_count(codes); i++)
		failed += !perun_json_as_int64(perun_json_at(codes, i), &code) || code != 0;
	if (!failed)
		return false;
	why = perun_format("%zu of %zu runs ended with a failure", failed, perun_json_count(codes));
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

/* The command, with the parameters that it does not show: so that the name depends on nothing but this result. */
static char *name_of(const struct perun_json *result, const char *command)
{
	const struct perun_json *parameters = perun_json_get(result, "parameters");
	struct perun_buffer name = {0};
	size_t count = 0;

	perun_buffer_add_text(&name, command);
	for (size_t i = 0; i < perun_json_count(parameters); i++) {
		const char *value = perun_json_as_string(perun_json_at(parameters, i), NULL);

		if (value && has_word(command, value))
			continue;
		perun_buffer_printf(&name, "%s%s=%s", count++ ? ", " : " (",
				    perun_json_key_at(parameters, i, NULL), value ? value : "");
	}
	if (count)
		perun_buffer_add_char(&name, ')');
	perun_buffer_add_char(&name, '\0');
	return name.data;
}

static int read_result(void *data, const struct perun_json *result, size_t at)
{
	struct reading *reading = data;
	char *where = perun_format("results[%zu]", at);
	const struct perun_json *name;
	double seconds;
	int status = benchmark_member(reading->ctx, result, where, "command",
				      PERUN_JSON_TYPE_STRING, &name);
	char *command = status ? NULL : name_of(result, perun_json_as_string(name, NULL));

	bool failed = !status && has_failed(reading, result, command);

	if (!status && !failed)
		status = read_times(reading, result, command, where);
	perun_free(where);
	if (status || failed) {
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

static int read_hyperfine(void *instance, struct perun_ctx *ctx, struct perun_input *input,
			  struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .input = input};
	const struct perun_json *results;
	struct perun_json *document;
	int status = benchmark_document_around(ctx, input, "results", &document);

	(void)instance;
	if (status)
		return status;
	reading.benchmark = benchmark_begin(ctx, builder, "hyperfine", input);
	status = benchmark_member(ctx, document, "", "results", PERUN_JSON_TYPE_ARRAY, &results);
	if (!status)
		status = benchmark_each(ctx, input, "results", read_result, &reading);
	status = benchmark_end(reading.benchmark, status);
	perun_json_free(document);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !probe_has(probe, "\"results\"") ||
	    !probe_has(probe, "\"command\"") || !probe_has(probe, "\"mean\""))
		return 0;
	return probe_has(probe, "\"stddev\"") && probe_has(probe, "\"system\"") ? 95 : 0;
}

FORMAT_PLUGIN(hyperfine, "hyperfine", "results of hyperfine", NULL, .probe = probe_format,
	      .read = read_hyperfine);
